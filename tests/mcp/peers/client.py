"""A client built on one of the Python SDKs: connects, asks for everything, and
prints what it received as one JSON object.

python client.py GENERATION SERVER FILE: the generation of the SDK, the server's
program, and a tool file to write.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

generation, server, file = sys.argv[1:]
parameters = StdioServerParameters(command=server, cwd=os.getcwd())


def field(result, snake, camel):
    return getattr(result, snake, None) if hasattr(result, snake) else getattr(result, camel, None)


async def call(client, name, arguments):
    try:
        result = await client.call_tool(name, arguments)
    except Exception as error:
        return {"code": error.error.code}
    return {
        "text": result.content[0].text,
        "isError": bool(field(result, "is_error", "isError")),
        "structured": field(result, "structured_content", "structuredContent"),
    }


async def talk(client, changed):
    said = {}
    said["tools"] = [tool.name for tool in (await client.list_tools()).tools]
    said["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
    said["good"] = await call(client, "greet", {"person": "Ada"})
    said["bad"] = await call(client, "greet", {"persom": "Ada"})
    said["unknown"] = await call(client, "great", {})
    said["json"] = await call(client, "sum", {"a": 1, "b": 2})
    prompt = await client.get_prompt("greet", {"person": "Ada"})
    said["prompt"] = prompt.messages[0].content.text
    shutil.copy(file, os.path.join("tools", "later.yaml"))
    await changed()
    said["changed"] = [tool.name for tool in (await client.list_tools()).tools]
    print(json.dumps(said))


async def first():
    heard = asyncio.Event()

    async def handler(message):
        if "ToolListChanged" in repr(message):
            heard.set()

    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write, message_handler=handler) as session:
            await session.initialize()
            await talk(session, heard.wait)


async def second():
    from mcp import Client

    async with Client(parameters, mode="auto") as client:
        async with client.listen(tools_list_changed=True) as changes:

            async def changed():
                async for _ in changes:
                    return

            await talk(client, changed)


async def main():
    await asyncio.wait_for(first() if generation == "1" else second(), 60)


asyncio.run(main())
