"""One tool over streamable HTTP with FastMCP, without sessions. It prints its address."""

import socket

from fastmcp import FastMCP

mcp = FastMCP("greet")


@mcp.tool
def greet(person: str) -> str:
    """Greet a person"""
    return f"Good day, {person}!"


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
print(f"http://127.0.0.1:{port}/mcp", flush=True)
mcp.run(
    transport="http",
    host="127.0.0.1",
    port=port,
    stateless_http=True,
    json_response=True,
    log_level="error",
    show_banner=False,
)
