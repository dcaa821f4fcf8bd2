"""A model on 127.0.0.1, by the API of Anthropic (messages) or of OpenAI (responses), as streams.

model.py API ASKED CALLS: it prints where it listens. CALLS is a JSON array of `[tool, arguments]`,
which it calls one after another; then it says `All done.`. In them, `{here}` is where it listens.
Each request with tools goes into the file ASKED, as a line of JSON. A browser gets a page.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API, ASKED = sys.argv[1], sys.argv[2]
LAST = "All done."
# The browser asks for no icon.
PAGE = "<title>A page</title><link rel=icon href=data:,><h1>Good day</h1>"
played = 0
lock = threading.Lock()


def messages(number, call):
    """The events of a turn, by the API of Anthropic."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None, "usage": usage}}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": LAST}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = "tool_use" if call else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def responses(number, call):
    """The events of a turn, by the API of OpenAI. A tool of a namespace is named `namespace tool`."""
    response = {"id": f"resp_{number}", "object": "response", "status": "in_progress", "output": []}
    if call:
        space, _, name = call[0].rpartition(" ")
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
        item |= {"arguments": json.dumps(call[1])} | ({"namespace": space} if space else {})
    else:
        content = [{"type": "output_text", "text": LAST, "annotations": []}]
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    yield {"type": "response.created", "response": response}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    done = response | {"status": "completed", "output": [item], "usage": usage | details}
    yield {"type": "response.completed", "response": done}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or "{}")
        if "count_tokens" in self.path:
            return self.answer("application/json", json.dumps({"input_tokens": 1}))
        if not self.path.split("?")[0].endswith(("/messages", "/responses")):
            return self.answer("application/json", "{}")
        events = responses if API == "openai" else messages
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(*self.turn(request)))
        self.answer("text/event-stream", text)

    def turn(self, request):
        """The number of the turn, and its call if it has one. A request without tools has another purpose."""
        global played
        with lock:
            if not request.get("tools"):
                return 0, None
            with open(ASKED, "a") as asked:
                asked.write(json.dumps(request) + "\n")
            played += 1
            return played, CALLS[played - 1] if played <= len(CALLS) else None

    def do_GET(self):
        if self.path.split("?")[0] == "/page":
            return self.answer("text/html", PAGE)
        self.answer("application/json", json.dumps({"data": [], "models": []}))

    def do_HEAD(self):
        self.answer("application/json", "")

    def answer(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
HERE = f"http://127.0.0.1:{server.server_port}"
CALLS = json.loads(sys.argv[3].replace("{here}", HERE))
print(HERE, flush=True)
server.serve_forever()
