"""A server with the Chat Completions API that renders each request with the chat templates of
Mistral and Gemma, as Transformers does, and refuses it if one of them does, or if it does not begin
with the messages of the request before, byte by byte. Prints its address.

python templates.py tools|text FOLDER
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from mistral_common.integrations.chat_templates.chat_templates import generate_chat_template
from mistral_common.tokens.tokenizers.base import TokenizerVersion

# In the folder, where axolotl is installed.
STORED_AT = "lib/python*/site-packages/axolotl/utils/chat_templates/templates"
# Templates that know tools, and others.
STORED = {"tools": ["gemma4", "mistral_v3_tekken"], "text": ["gemma", "gemma3", "mistral_v1"]}
GENERATED = {"tools": ["v3", "v7", "v11", "v13"], "text": ["v1", "v2"]}


def refuse(message):
    raise ValueError(message)


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    env.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    env.globals.update(raise_exception=refuse, strftime_now=lambda _: "today")
    return env


def templates(kind):
    env = environment()
    [folder] = Path(sys.argv[2]).glob(STORED_AT)
    for name in STORED[kind]:
        yield name, env.from_string((folder / f"{name}.jinja").read_text())
    for name in GENERATED[kind]:
        options = [None, False, False, None, None, None]
        text = generate_chat_template(False, TokenizerVersion(name), False, False, False, *options)
        yield f"Mistral {name}", env.from_string(text)


TEMPLATES = list(templates(sys.argv[1]))
BEFORE = [b""]


def check(body):
    """The messages of a request, which each template accepts."""
    request = json.loads(body)
    start = body.index(b'"messages":') + len(b'"messages":')
    _, length = json.JSONDecoder().raw_decode(body[start:].decode())
    length = len(body[start:].decode()[:length].encode())
    messages = body[: start + length - 1]
    if not body.startswith(BEFORE[0]):
        refuse(f"the request does not begin with {BEFORE[0].decode()}")
    BEFORE[0] = messages
    for name, template in TEMPLATES:
        values = {"bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": True}
        try:
            # A template must not see what another has changed.
            own = json.loads(body)
            template.render(messages=own["messages"], tools=own.get("tools"), **values)
        except Exception as error:
            refuse(f"{name}: {error}")
    return request["messages"]


def delta(messages):
    count = len(messages)
    if sys.argv[1] == "tools" and messages[-1]["role"] == "user":
        arguments = json.dumps({"person": f"Ada {count}"})
        function = {"name": "greet", "arguments": arguments}
        call = {"index": 0, "id": f"a{count:08}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}, "tool_calls"
    return {"role": "assistant", "content": f"Answer {count}."}, "stop"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            part, reason = delta(check(body))
        except ValueError as error:
            self.answer(400, "application/json", json.dumps({"error": {"message": str(error)}}))
            return
        event = {"choices": [{"delta": part, "finish_reason": reason}]}
        self.answer(200, "text/event-stream", f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n")

    def answer(self, status, kind, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", len(data))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
