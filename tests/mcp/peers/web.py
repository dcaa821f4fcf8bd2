"""A server over HTTP on nothing but the standard library, which does what the first
word of its path says. Of the newer era alone, and strict: what a request says twice
has to agree. Prints its address; keeps a line for each request in the file `asked`.

python web.py [CERTIFICATE KEY]
"""

import base64
import json
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"
LIST = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
REGION = {"type": "string", "x-mcp-header": "Region"}


def tool(name, **properties):
    return {"name": name, "description": "d", "inputSchema": {"type": "object", "properties": properties}}


PAGES = {
    None: ([tool("first")], "two"),
    # The header of the last one is none, so that clients leave it out.
    "two": ([tool("t", region=REGION), tool("wrong", region=REGION | {"x-mcp-header": ""})], None),
}


def wrong(request, headers):
    """What is wrong with a request, for the specification says 400 to it."""
    params = request.get("params") or {}
    meta = params.get("_meta") or {}
    if headers.get("MCP-Protocol-Version") != VERSION:
        return -32022, "only " + VERSION + " is spoken here"
    if meta.get(META + "protocolVersion") != VERSION:
        return -32020, "the version in _meta is another one"
    if not isinstance(meta.get(META + "clientCapabilities"), dict):
        return -32602, "there are no capabilities in _meta"
    if headers.get("Mcp-Method") != request.get("method"):
        return -32020, "Mcp-Method is another one"
    if request["method"] == "tools/call":
        if decoded(headers.get("Mcp-Name")) != params.get("name"):
            return -32020, "Mcp-Name is another one"
        if decoded(headers.get("Mcp-Param-Region")) != params["arguments"].get("region"):
            return -32020, "Mcp-Param-Region is another one"
    if not {"application/json", "text/event-stream"} <= set(headers.get("Accept", "").split(", ")):
        return -32600, "not all types are accepted"
    return None


def decoded(value):
    if value and value.startswith("=?base64?") and value.endswith("?="):
        return base64.b64decode(value[9:-2]).decode()
    return value


def result(request):
    params = request["params"]
    if request["method"] == "server/discover":
        return LIST | {"supportedVersions": [VERSION], "capabilities": {"tools": {}}}
    if request["method"] == "tools/list":
        tools, cursor = PAGES[params.get("cursor")]
        return LIST | {"tools": tools} | ({"nextCursor": cursor} if cursor else {})
    if request["method"] == "tools/call":
        text = json.dumps(params["arguments"])
        return {"content": [{"type": "text", "text": text}], "resultType": "complete"}
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        # As the proxy of mcp.example, it answers for it.
        proxied, host, path = self.path.rpartition("http://mcp.example")
        how = (path if host and not proxied else self.path).split("/")[1]
        token = self.headers.get("Authorization", "nothing")
        proof = self.headers.get("Proxy-Authorization")
        with open("asked", "a") as asked:
            asked.write(f"{how} with {token}" + (f", {proof}" if proof else "") + "\n")
        if how.isdigit():
            self.send(int(how), "text/html", "" if how.startswith("2") else "<html>no</html>")
        elif how == "moved":
            self.send(307, "text/html", "<html>away</html>", Location=self.path[len("/moved/"):])
        elif how == "tells":
            self.refuse(400, json.loads(body), -32000, "I do not know " + token)
        elif how == "foreign":
            self.send(200, "text/html", "<html>hello</html>")
        elif how == "closes":
            self.close_connection = True
        elif how == "hangs":
            time.sleep(60)
        elif how.startswith("large"):
            self.send(200, self.type(how), "data: " + "x" * (17 << 20))
        elif how.startswith("dies") and b"tools/call" in body:
            self.send(200, self.type(how), "id: 1\ndata:\n\n", length=1000)
            self.close_connection = True
        else:
            self.answer(how, json.loads(body))

    def answer(self, how, request):
        fault = wrong(request, self.headers)
        if fault:
            return self.refuse(400, request, *fault)
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result(request)}
        if answer["result"] is None:
            return self.refuse(404, request, -32601, "no " + request["method"])
        if "events" not in how:
            return self.send(200, "application/json", json.dumps(answer))
        # As the format allows it: a comment, other messages first, lines of any end.
        progress = {"progressToken": 1, "progress": 1}
        first = json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})
        lines = "\ndata: ".join(json.dumps(answer, indent=1).split("\n"))
        self.send(200, "text/event-stream; charset=utf-8", f": hello\n\ndata: {first}\r\n\r\nevent: message\ndata: {lines}\n\n")

    def type(self, how):
        return "text/event-stream" if "events" in how else "application/json"

    def refuse(self, status, request, code, message):
        error = {"jsonrpc": "2.0", "id": request.get("id"), "error": {"code": code, "message": message}}
        self.send(status, "application/json", json.dumps(error))

    def send(self, status, kind, body, length=None, **headers):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", length or len(data))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        # This tests a client that does not read to the end.
        pass


server = Server(("127.0.0.1", 0), Handler)
scheme = "http"
if sys.argv[1:]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[1:])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "https"
print(f"{scheme}://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
