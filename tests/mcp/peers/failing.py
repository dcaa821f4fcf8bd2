"""A stateful server over HTTP on nothing but the standard library, some of whose requests fail. It
rejects what it does not know as real ones do. Prints its address.
"""

import json
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOLS = ["count", "forget", "flood", "meta", "refuse", "slow"]
sessions = {}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status, body, session=None):
        text = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(text)))
        if session:
            self.send_header("Mcp-Session-Id", session)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.reply(405, "")

    do_DELETE = do_GET

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, session = request.get("method"), self.headers.get("Mcp-Session-Id")

        def result(value, session=None):
            self.reply(200, {"jsonrpc": "2.0", "id": request.get("id"), "result": value}, session)

        if method == "server/discover":
            # As the SDK of Java until its version 2.0.
            return self.reply(500, {"jsonRpcError": {"code": -32603, "message": "no handler"}})
        if method == "initialize":
            session = str(uuid.uuid4())
            sessions[session] = 0
            info = {"name": "failing", "version": "1"}
            able = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
            return result(able, session)
        if session not in sessions:
            # As the example of the SDK of TypeScript.
            error = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
            return self.reply(400, {"jsonrpc": "2.0", "id": None, "error": error})
        if method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            return result({"tools": tools})
        if method != "tools/call":
            return self.reply(202, "")
        sessions[session] += 1
        name, text = request["params"]["name"], ""
        if name == "refuse":
            return self.reply(422, {"detail": "not on Sundays"})
        if name == "flood":
            return self.reply(429, "<p>slow down</p>")
        if name == "slow":
            time.sleep(1)
        if name == "count":
            text = str(sessions[session])
        if name == "meta":
            meta = request["params"].get("_meta", {})
            text = " ".join(f"{key}={meta[key]}" for key in sorted(meta) if key != "progressToken")
        if name == "forget":
            sessions.clear()
        return result({"content": [{"type": "text", "text": text}]})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)
server.serve_forever()
