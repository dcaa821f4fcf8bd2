"""A server on the official SDK of Python, of its second generation. Over HTTP it
keeps what it is asked for in the file `spoken`.

python served.py HOW: `stdio` is over its standard streams, the others over HTTP: `modern`
refuses `initialize`, as the SDK itself does not, and `older` refuses `server/discover`, as its
first generation does.
"""

import json
import socket
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse

server = MCPServer("served", log_level="ERROR")


@server.tool()
def t(a: int, b: int = 2) -> int:
    """Adds"""
    if a < 0:
        raise ValueError("a is negative")
    return a + b


if sys.argv[1] == "stdio":
    server.run()
    sys.exit()
application = server.streamable_http_app()


async def listening(scope, receive, send):
    if scope["type"] != "http":
        return await application(scope, receive, send)
    body = await Request(scope, receive).body()
    request = json.loads(body or "{}")
    with open("spoken", "a") as spoken:
        version = dict(scope["headers"]).get(b"mcp-protocol-version", b"-").decode()
        name = dict(scope["headers"]).get(b"mcp-method", b"-").decode()
        spoken.write(f"{scope['method']} {request.get('method', '-')} {version} {name}\n")
    if sys.argv[1] == "modern" and request.get("method") == "initialize":
        error = {"code": -32022, "message": "only 2026-07-28 is spoken here"}
        answer = {"jsonrpc": "2.0", "id": request["id"], "error": error}
        return await JSONResponse(answer, status_code=400)(scope, receive, send)
    if sys.argv[1] == "older" and request.get("method") == "server/discover":
        error = {"code": -32600, "message": "Bad Request: Missing session ID"}
        answer = {"jsonrpc": "2.0", "id": "server-error", "error": error}
        return await JSONResponse(answer, status_code=400)(scope, receive, send)
    given = False

    async def again():
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    await application(scope, again, send)


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
uvicorn.Server(uvicorn.Config(listening, log_level="error")).run(sockets=[listener])
