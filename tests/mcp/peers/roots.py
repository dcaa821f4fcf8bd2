"""A client on the official SDK that starts the server of a plugin as Agent Plugins 1.0.0 says.

Arguments: the plugin, its folder for data, the folder of programs, and the folders of the user, each
of which is the root of the client in turn. Prints the first line of `notes.txt` in each.
"""

import asyncio
import json
import os
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ListRootsResult, Root

plugin, data, programs, *folders = sys.argv[1:]
[server] = json.loads(pathlib.Path(plugin, "mcp.json").read_text())["mcpServers"].values()


def expand(text):
    return text.replace("${PLUGIN_ROOT}", plugin).replace("${PLUGIN_DATA}", data)


async def main():
    env = {name: expand(value) for name, value in server["env"].items()}
    env |= {"PATH": f"{programs}:/usr/bin:/bin", "HOME": os.environ["HOME"]}
    start = StdioServerParameters(
        command=server["command"], args=server["args"], env=env, cwd=expand(server["cwd"])
    )

    async def roots(_):
        return ListRootsResult(roots=[Root(uri=pathlib.Path(folders[0]).as_uri())])

    async with stdio_client(start) as streams:
        async with ClientSession(*streams, list_roots_callback=roots) as session:
            await session.initialize()
            while folders:
                result = await session.call_tool("headline", {"file": "notes.txt"})
                print(result.content[0].text, end="")
                del folders[0]
                if folders:
                    await session.send_roots_list_changed()


asyncio.run(main())
