"""A host on the official SDK of Python: it calls flows that ask a person, answers as it was told, and
prints what it was asked and what came of it.

python person.py SERVER ABILITIES ANSWERS: a program, which the SDK of the first generation starts, or
a URL for that of the second; `form` or nothing; and for each tool a list of answers, in JSON: an
object accepts, `decline` and `cancel` are what they say.
"""

import asyncio
import contextlib
import json
import os
import sys

try:
    from mcp_types import ElicitResult
except ImportError:
    from mcp.types import ElicitResult

server, abilities, answers = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
seen, waiting = {}, []


async def ask(_, params):
    asked = params.model_dump(mode="json", by_alias=True, exclude_none=True)
    seen["asked"].append([asked["message"], asked["requestedSchema"]])
    answer = waiting.pop(0)
    if isinstance(answer, str):
        return ElicitResult(action=answer)
    return ElicitResult(action="accept", content=answer)


@contextlib.asynccontextmanager
async def connected(callback):
    if server.startswith("http"):
        from mcp import Client

        async with Client(server, elicitation_callback=callback) as client:
            yield client
        return
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(command=server, env=dict(os.environ))
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write, elicitation_callback=callback) as session:
            await session.initialize()
            yield session


async def main():
    global seen, waiting
    callback = ask if abilities == "form" else None
    found = {}
    async with connected(callback) as session:
        for tool, given in answers.items():
            seen, waiting = {"asked": []}, list(given)
            result = await session.call_tool(tool, {})
            seen["text"] = result.content[0].text
            failed = "is_error" if hasattr(result, "is_error") else "isError"
            seen["failed"] = bool(getattr(result, failed))
            found[tool] = seen
    print(json.dumps(found))


asyncio.run(main())
