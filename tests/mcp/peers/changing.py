"""A server on the official SDK of Python, of its first generation, over HTTP: its tool `more`
declares one more tool, and announces that.
"""

import socket

import uvicorn
from mcp.server.fastmcp import Context, FastMCP

server = FastMCP("changing", log_level="ERROR")


@server.tool()
async def more(context: Context) -> str:
    """Declares one more"""
    server.add_tool(lambda: "new", name="new", description="d")
    await context.session.send_tool_list_changed()
    return "more"


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
application = server.streamable_http_app()
uvicorn.Server(uvicorn.Config(application, log_level="error")).run(sockets=[listener])
