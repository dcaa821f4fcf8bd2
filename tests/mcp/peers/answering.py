"""A host on the official SDK of Python, of its first generation: it starts a server, calls the tools
that ask the user and log, and prints what it was asked, and what it was answered.

python answering.py SERVER ABILITIES: `form`, `url`, both with a comma between them, or nothing.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

server, abilities = sys.argv[1], sys.argv[2].split(",")
parameters = StdioServerParameters(command=server, env=dict(os.environ))
seen = {"asked": [], "logged": []}


async def ask(_, params):
    # What a request has besides is the SDK's.
    seen["asked"].append(params.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta"}))
    content = {"seats": 3, "window": False} if params.mode == "form" else None
    return types.ElicitResult(action="accept", content=content)


async def log(params):
    seen["logged"].append(params.model_dump(mode="json", exclude_none=True))


class Session(ClientSession):
    # The SDK would declare both.
    async def send_request(self, request, *args, **more):
        root = request.root
        if isinstance(root, types.InitializeRequest):
            form = types.FormElicitationCapability() if "form" in abilities else None
            url = types.UrlElicitationCapability() if "url" in abilities else None
            capability = types.ElicitationCapability(form=form, url=url)
            root.params.capabilities.elicitation = capability if form or url else None
        return await super().send_request(request, *args, **more)


async def main():
    async with stdio_client(parameters) as (read, write):
        async with Session(read, write, elicitation_callback=ask, logging_callback=log) as session:
            started = await session.initialize()
            seen["logs"] = started.capabilities.logging is not None
            await session.set_logging_level("info")
            for tool in ["book", "pay", "say"]:
                result = await session.call_tool(tool, {})
                seen[tool] = result.content[0].text
            await asyncio.sleep(0.3)
    print(json.dumps(seen))


asyncio.run(main())
