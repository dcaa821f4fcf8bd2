"""A model with the Messages API of Anthropic, on nothing but the standard library: it thinks,
calls the tool `greet`, and repeats what the tool says. Prints its address; keeps each request in
the file `asked`.

python anthropic.py
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODELS = {"data": [
    {"type": "model", "id": "claude-small", "max_input_tokens": 4096},
    {"type": "model", "id": "claude-large"},
], "has_more": False}


def blocks(request):
    """The blocks of the response, each with its deltas; and why it ends."""
    last = request["messages"][-1]["content"][-1]
    if last["type"] == "tool_result":
        pieces = ("It said: ", last["content"])
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
        return [({"type": "text", "text": ""}, deltas)], "end_turn"
    if last["text"] == "Refuse":
        return [({"type": "text", "text": "I wi"}, [])], "refusal"
    thoughts = [
        {"type": "thinking_delta", "thinking": "A greeting."},
        {"type": "signature_delta", "signature": "c2lnbmVk"},
    ]
    call = {"type": "tool_use", "id": "toolu_a", "name": "greet", "input": {}}
    arguments = [{"type": "input_json_delta", "partial_json": piece} for piece in ('{"per', 'son": "Ada"}')]
    return [
        ({"type": "thinking", "thinking": "", "signature": ""}, thoughts),
        ({"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="}, []),
        (call, arguments),
    ], "tool_use"


def events(request):
    usage = {"input_tokens": 10, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 20, "output_tokens": 1}
    message = {"id": "msg_a", "type": "message", "role": "assistant", "model": request["model"], "content": []}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "usage": usage}}
    content, reason = blocks(request)
    for index, (start, deltas) in enumerate(content):
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}
    yield {"type": "message_stop"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send("application/json", json.dumps(MODELS))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        key = self.headers.get("x-api-key", "no key")
        version = self.headers.get("anthropic-version")
        with open("asked", "a") as asked:
            asked.write(f"{self.path} {version} {key} {body}\n")
        lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(json.loads(body))]
        self.send("text/event-stream", "".join(lines))

    def send(self, kind, body):
        data = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", len(data))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
