"""A model with the Chat Completions API, on nothing but the standard library: it calls the
tool `greet` and repeats what the tool says. Prints its address; keeps each request in the
file `asked`.

python openai.py
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODELS = {"object": "list", "data": [{"id": "small", "max_model_len": 4096}, {"id": "large"}]}


def deltas(request):
    """The deltas of the response: as llama.cpp, vLLM and others send them."""
    last = request["messages"][-1]
    if last["role"] == "tool":
        for piece in ("It said: ", last["content"]):
            yield {"content": piece}, None
        yield {}, "stop"
        return
    yield {"role": "assistant", "content": None, "reasoning_content": "A greeting."}, None
    name = {"index": 0, "id": "call_a", "type": "function", "function": {"name": "greet", "arguments": ""}}
    yield {"tool_calls": [name]}, None
    for piece in ('{"per', 'son": "Ada"}'):
        yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}, None
    yield {}, "tool_calls"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send("application/json", json.dumps(MODELS))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        key = self.headers.get("Authorization", "no key")
        with open("asked", "a") as asked:
            asked.write(f"{self.path} {key} {body}\n")
        events = [{"choices": [{"delta": delta, "finish_reason": end}]} for delta, end in deltas(json.loads(body))]
        events.append({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}})
        lines = [json.dumps(event) for event in events] + ["[DONE]"]
        self.send("text/event-stream", "".join(f"data: {line}\n\n" for line in lines))

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
