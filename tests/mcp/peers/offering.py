#!/usr/bin/env python3
"""A server with prompts, resources, templates, completions and instructions, which asks its client.

offering.py LABEL [many|slow|mute|odd]: what it says begins with LABEL; with 300 resources, or slow
to start, or silent when it is asked for its prompts, or without a list of its templates.
It appends the methods that it is asked for to the file LABEL.log in the home directory.
"""
import json
import os
import sys
import time

label, how = sys.argv[1], sys.argv[2:]


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def note(line):
    with open(os.path.join(os.environ["HOME"], f"{label}.log"), "a") as log:
        print(line, file=log)


def receive():
    line = sys.stdin.readline()
    if not line:
        note("end")
        sys.exit()
    return json.loads(line)


def ask(method, params):
    """Asks the client, and returns its result or its error."""
    send({"id": f"{label}-question", "method": method, "params": params})
    while True:
        message = receive()
        if message.get("id") == f"{label}-question":
            return message.get("result") or {"error": message["error"]["code"]}
        answer(message)


def tool(name, **meta):
    return {"name": f"{label}_{name}", "description": name, "inputSchema": {"type": "object"}, **meta}


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def call(name):
    match name.removeprefix(f"{label}_"):
        case "link":
            link = {"type": "resource_link", "uri": "mem://hidden", "name": "hidden"}
            return {"content": [link]}
        case "sample":
            message = {"role": "user", "content": {"type": "text", "text": "Well?\x1b"}}
            return text(json.dumps(ask("sampling/createMessage", {"messages": [message], "maxTokens": 9})))
        case "roots":
            return text(json.dumps(ask("roots/list", {})))
        case "touch":
            send({"method": "notifications/resources/updated", "params": {"uri": "mem://shared"}})
            return text("touched")
        case "know":
            return text(json.dumps(capabilities))
    return text("fine")


def resource(uri):
    return {"uri": uri, "name": f"{uri}\x1b", "description": f"of {label}\u202e"}


def result(method, params):
    global capabilities
    match method:
        case "initialize":
            if "slow" in how:
                time.sleep(3)
            capabilities = params["capabilities"]
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {
                    "tools": {}, "prompts": {}, "resources": {"subscribe": True}, "completions": {}, "logging": {},
                },
                "serverInfo": {"name": label, "version": "1"},
                "instructions": f"{label} knows\u200b best.\n" + "More of it.\n" * (500 if "many" in how else 0),
            }
        case "tools/list":
            app = {"ui": {"resourceUri": "ui://app"}}
            names = ["link", "sample", "roots", "touch", "know"]
            return {"tools": [tool(name) for name in names] + [tool("app", _meta=app)]}
        case "tools/call":
            return call(params["name"])
        case "resources/list":
            if "cursor" not in params:
                return {"resources": [resource("mem://shared"), resource("ui://app")], "nextCursor": "2"}
            more = [resource(f"mem://{label}/{number}") for number in range(300 if "many" in how else 1)]
            return {"resources": more}
        case "resources/templates/list":
            if "odd" in how:
                return {}
            return {"resourceTemplates": [{"uriTemplate": f"mem://{label}/item/{{id}}", "name": "item"}]}
        case "resources/read":
            if not params["uri"].startswith(("mem://shared", "mem://hidden", "mem://b/0", "ui://app", f"mem://{label}/")):
                raise LookupError
            return {"contents": [{"uri": params["uri"], "text": f"{label}: {params['uri']}"}]}
        case "prompts/list":
            named = {"name": "ask", "description": f"of {label}", "arguments": [{"name": "city"}]}
            return {"prompts": [named, {"name": f"{label}.more"}]}
        case "prompts/get":
            words = f"{label}: {params['name']} {params.get('arguments', {})}"
            return {"messages": [{"role": "user", "content": {"type": "text", "text": words}}]}
        case "completion/complete":
            about = params["ref"].get("name") or params["ref"]["uri"]
            return {"completion": {"values": [f"{label}: {about}"]}}
    return {}


def answer(message):
    if "method" not in message:
        return
    note(f"{message['method']} {message.get('params', {}).get('uri', '')}")
    if "id" not in message or "mute" in how and message["method"] == "prompts/list":
        return
    try:
        send({"id": message["id"], "result": result(message["method"], message.get("params", {}))})
    except LookupError:
        error = {"code": -32002, "message": f"{label} has no such resource"}
        send({"id": message["id"], "error": error})


capabilities = {}
while True:
    answer(receive())
