"""A server on the official SDK of Python."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("fast")


@server.tool()
def add(a: int, b: int = 2) -> int:
    """Adds"""
    return a + b


server.run()
