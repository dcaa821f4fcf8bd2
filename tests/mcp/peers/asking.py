"""A server on the official SDK of Python, of its first generation, which asks the user and logs.
The file `level` in HOME has the levels that it was asked for.
"""

import os

from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel, Field

server = FastMCP("asking", log_level="ERROR")


class Booking(BaseModel):
    seats: int = Field(description="How many \x1b[31mseats")
    window: bool = Field(default=True, description="At the window")


@server.tool()
async def book(context: Context) -> str:
    """Books seats"""
    answer = await context.elicit("How many\x1b[31m seats?", Booking)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@server.tool()
async def pay(context: Context) -> str:
    """Sends the user to a page"""
    answer = await context.elicit_url("Pay here", "https://pay.example/1", "1")
    return answer.action


@server.tool()
async def say(context: Context) -> str:
    """Logs"""
    await context.info("hello\x1b[31m there", logger_name="inner")
    return "said"


@server._mcp_server.set_logging_level()
async def set_level(level):
    with open(os.path.join(os.environ["HOME"], "level"), "a") as file:
        print(level, file=file)


server.run()
