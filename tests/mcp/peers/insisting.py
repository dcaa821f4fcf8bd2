"""A server on nothing but the standard library, whose tools ask the user in the ways that SDKs do not.

It counts the news of other folders of its client.
"""

import json
import sys
import threading
import time

TOOLS = ["ask", "hang", "withdraw", "finish", "pay", "touch", "folders"]
FORM = {
    "message": "Which one?",
    "requestedSchema": {
        "type": "object",
        # As the SDK of Python declares `str | None`.
        "properties": {"name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}},
    },
}
PAGE = {"mode": "url", "message": "Pay", "elicitationId": "e"}
pending, news = {}, []


def send(message):
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


def ask(number):
    pending[number] = [threading.Event(), None]
    send({"id": number, "method": "elicitation/create", "params": FORM})
    return pending[number]


def call(name, number):
    """Returns the text of a result, or an error; nothing if there is no answer."""
    if name == "ask":
        arrived, _ = ask(number)
        arrived.wait()
        return pending[number][1]["action"]
    if name == "hang":
        ask(number)
        send({"method": "notifications/message", "params": {"level": "info", "data": "asked"}})
        return None
    if name == "withdraw":
        ask(number)
        time.sleep(0.5)
        send({"method": "notifications/cancelled", "params": {"requestId": number}})
    if name == "finish":
        send({"method": "notifications/elicitation/complete", "params": {"elicitationId": "e"}})
    if name == "pay":
        pages = [PAGE | {"url": url} for url in ["https://pay.example/1", "file:///etc/passwd"]]
        return {"code": -32042, "message": "pay first", "data": {"elicitations": pages}}
    if name == "touch":
        for uri in ["mem://folder/file", "mem://folders"]:
            send({"method": "notifications/resources/updated", "params": {"uri": uri}})
    return str(len(news))


def answer(request):
    method, number = request["method"], request["id"]
    if method == "tools/call":
        result = call(request["params"]["name"], number)
        if isinstance(result, dict):
            send({"id": number, "error": result})
        elif result is not None:
            send({"id": number, "result": {"content": [{"type": "text", "text": result}]}})
        return
    result = {}
    if method == "initialize":
        abilities = {"tools": {}, "logging": {}, "resources": {"subscribe": True}}
        info = {"name": "insisting", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": abilities, "serverInfo": info}
    elif method == "tools/list":
        cursor = request["params"].get("cursor")
        names = TOOLS[4:] if cursor else TOOLS[:4]
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
        # The last page has an empty cursor, as some servers write it.
        result = {"tools": tools, "nextCursor": "" if cursor else "more"}
    elif method == "resources/list":
        # The same cursor again and again.
        result = {"resources": [{"uri": "mem://folder", "name": "folder"}], "nextCursor": "same"}
    elif method == "resources/templates/list":
        result = {"resourceTemplates": []}
    send({"id": number, "result": result})


for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "notifications/roots/list_changed":
        news.append(message)
    elif "method" in message and "id" in message:
        threading.Thread(target=answer, args=(message,), daemon=True).start()
    elif message.get("id") in pending:
        waiting = pending[message["id"]]
        waiting[1] = message.get("result", message.get("error"))
        waiting[0].set()
