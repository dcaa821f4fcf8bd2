"""A server on nothing but the standard library, which asks its client during a call.

Its tools: `ask` asks the user once, `ask_all` asks for a form, a text of the model and the folders at
once. Each returns the answers as JSON. The prompt `ask` and the resource `ask:` ask once. The file `log` in HOME has a line for each cancellation, and
the line `abilities` with those that it was told of.
"""

import json
import os
import sys
import threading

calls, waiting, cond = {}, {}, threading.Condition()


def log(line):
    with open(os.path.join(os.environ["HOME"], "log"), "a") as file:
        file.write(line + "\n")


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    sys.stdout.flush()


FORM = {"mode": "form", "message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}}
TEXT = {"type": "text", "text": "Say it"}
QUESTIONS = {
    "elicitation/create": FORM,
    "sampling/createMessage": {
        "messages": [{"role": "user", "content": TEXT}],
        "maxTokens": 9,
    },
    "roots/list": {},
}


def work(request):
    name = request["params"].get("name")
    methods = list(QUESTIONS) if name == "ask_all" else list(QUESTIONS)[:1]
    ids = []
    for method in methods:
        own = f"{request['id']}-{method}"
        ids.append(own)
        send({"id": own, "method": method, "params": QUESTIONS[method]})
    with cond:
        cond.wait_for(lambda: all(own in waiting for own in ids) or request["id"] in calls, 60)
        answers = [waiting.get(own) for own in ids]
        if request["id"] in calls:
            return log("cancelled")
    text = {"type": "text", "text": json.dumps(answers, sort_keys=True)}
    results = {
        "tools/call": {"content": [text]},
        "prompts/get": {"messages": [{"role": "user", "content": text}]},
        "resources/read": {"contents": [{"uri": "ask:", "text": text["text"]}]},
    }
    send({"id": request["id"], "result": results[request["method"]]})


def main():
    for line in sys.stdin:
        message = json.loads(line)
        method, result = message.get("method"), {}
        if method is None:
            with cond:
                error = message.get("error", {})
                waiting[message["id"]] = message.get("result", error.get("code"))
                cond.notify_all()
            continue
        if method == "notifications/cancelled":
            with cond:
                calls[message["params"]["requestId"]] = True
                cond.notify_all()
        if "id" not in message:
            continue
        if method == "initialize":
            log("abilities " + " ".join(sorted(message["params"]["capabilities"])))
            result = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
                "serverInfo": {"name": "parking", "version": "1"},
            }
        if method == "tools/list":
            schema = {"type": "object"}
            result = {"tools": [{"name": it, "inputSchema": schema} for it in ("ask", "ask_all")]}
        if method == "prompts/list":
            result = {"prompts": [{"name": "ask"}]}
        if method == "resources/list":
            result = {"resources": [{"uri": "ask:", "name": "ask"}]}
        if method == "resources/templates/list":
            result = {"resourceTemplates": []}
        if method in ("tools/call", "prompts/get", "resources/read"):
            threading.Thread(target=work, args=[message]).start()
            continue
        send({"id": message["id"], "result": result})


main()
