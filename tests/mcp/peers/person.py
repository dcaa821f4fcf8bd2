"""A host on the official SDK of Python, of its first generation: it starts a server, calls flows that
ask a person, answers as it was told, and prints what it was asked and what came of it.

python person.py SERVER ABILITIES ANSWERS: `form` or nothing, and for each tool a list of answers,
in JSON: an object accepts, `decline` and `cancel` are what they say.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

server, abilities, answers = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
parameters = StdioServerParameters(command=server, env=dict(os.environ))
seen, waiting = {}, []


async def ask(_, params):
    asked = params.model_dump(mode="json", by_alias=True, exclude_none=True)
    seen["asked"].append([asked["message"], asked["requestedSchema"]])
    answer = waiting.pop(0)
    if isinstance(answer, str):
        return types.ElicitResult(action=answer)
    return types.ElicitResult(action="accept", content=answer)


async def main():
    global seen, waiting
    callback = ask if abilities == "form" else None
    found = {}
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write, elicitation_callback=callback) as session:
            await session.initialize()
            for tool, given in answers.items():
                seen, waiting = {"asked": []}, list(given)
                result = await session.call_tool(tool, {})
                seen["text"] = result.content[0].text
                seen["failed"] = result.isError
                found[tool] = seen
    print(json.dumps(found))


asyncio.run(main())
