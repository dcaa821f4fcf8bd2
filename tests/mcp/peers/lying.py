"""An MCP server that requires a login, and its authorization server, which lie as the first word
of the path says. Prints its address; keeps a line for each request in the file `asked`.

python lying.py
"""

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

METADATA = "/.well-known/oauth-protected-resource/"
AUTHORITY = "/.well-known/oauth-authorization-server/"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        how, _, what = self.path[1:].partition("/")
        self.log(f"{self.path} {self.headers.get('Authorization', '-')}")
        if what == "register":
            return self.json({"client_id": "c"}, 201)
        if what == "token":
            if how == "moves":
                return self.send(307, "", Location="http://127.0.0.1:1/token")
            kind = "mac" if how == "kind" else "Bearer"
            token = "two\nlines" if how == "breaks" else "t0k3n-of-the-login"
            return self.json({"access_token": token, "token_type": kind})
        if how == "repeats" and self.headers.get("Authorization"):
            error = {"code": -32000, "message": "I do not know " + self.headers["Authorization"]}
            return self.json({"jsonrpc": "2.0", "id": 1, "error": error}, 400)
        scheme = "Bearer"
        if how == "elsewhere":
            scheme += f' resource_metadata="{ELSEWHERE}{METADATA}{how}"'
        if how == "file":
            scheme += ' resource_metadata="file:///etc/passwd"'
        self.send(401, "", **{"WWW-Authenticate": scheme})

    def do_GET(self):
        self.log(self.path)
        path = urlsplit(self.path)
        if path.path.startswith(METADATA):
            return self.metadata(path.path[len(METADATA) :])
        if path.path.startswith(AUTHORITY):
            return self.authority(path.path[len(AUTHORITY) :])
        how, _, what = path.path[1:].partition("/")
        if what != "authorize":
            return self.send(404, "")
        query = {name: values[0] for name, values in parse_qs(path.query).items()}
        state = "guessed" if how == "state" else query["state"]
        issuer = "http://evil.example" if how == "answers" else f"{HERE}/{how}"
        answer = f"state={quote(state)}&code=c&iss={quote(issuer)}"
        if how == "refuses":
            answer = f"state={quote(state)}&error=access_denied&error_description=no%1b%5b31m&iss={quote(issuer)}"
        if how == "silent":
            answer = f"state={quote(state)}&code=c"
        self.send(302, "", Location=f"{query['redirect_uri']}?{answer}")

    def metadata(self, how):
        if how == "large":
            return self.send(200, '{"resource": "' + "x" * (1 << 20))
        if how == "slow":
            time.sleep(60)
        if how == "loops":
            return self.send(302, "", Location=self.path)
        if how == "leads":
            return self.send(302, "", Location=ELSEWHERE)
        resource = f"{HERE}/other" if how == "resource" else f"{HERE}/{how}"
        issuer = {"issuer-file": "file:///etc", "issuer-plain": "http://auth.example"}.get(how, f"{HERE}/{how}")
        self.json({"resource": resource, "authorization_servers": [] if how == "alone" else [issuer]})

    def authority(self, how):
        document = {
            "issuer": f"{HERE}/another" if how == "issuer" else f"{HERE}/{how}",
            "authorization_endpoint": f"{HERE}/{how}/authorize",
            "token_endpoint": f"{HERE}/{how}/token",
            "registration_endpoint": f"{HERE}/{how}/register",
            "code_challenge_methods_supported": ["plain"] if how == "plain" else ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        if how == "nothing":
            del document["code_challenge_methods_supported"]
        if how == "closed":
            del document["registration_endpoint"]
        if how == "script":
            document["authorization_endpoint"] = "javascript:alert(1)"
        self.json(document)

    def json(self, document, status=200):
        self.send(status, json.dumps(document), **{"Content-Type": "application/json"})

    def send(self, status, text, **headers):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", len(data))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log(self, line):
        with open("asked", "a") as asked:
            asked.write(line.split("?")[0] + "\n")

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        # This tests a client that does not read to the end.
        pass


server = Server(("127.0.0.1", 0), Handler)
HERE = f"http://127.0.0.1:{server.server_port}"
# The same machine, but another origin.
ELSEWHERE = f"http://localhost:{server.server_port}"
print(HERE, flush=True)
server.serve_forever()
