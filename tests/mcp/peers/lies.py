"""A server on nothing but the standard library, which says more than it may before each answer.

lies.py HOW: it declares the tool `t`, and those of the lie. What clients answer to its requests goes
into the file `answers` in HOME.
"""

import json
import os
import sys

HOW = sys.argv[1]
ANSWERS = os.path.join(os.environ["HOME"], "answers")
TOOL = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}


def send(message):
    print(message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0"} | message), flush=True)


def ask(method, params):
    """A request that the client has not said it could answer."""
    send({"id": "mine", "method": method, "params": params})
    answer = json.loads(sys.stdin.readline())
    with open(ANSWERS, "a") as file:
        print(method, answer["id"], answer.get("result", answer.get("error", {}).get("code")), file=file)


def lie(request):
    if HOW == "progress":
        for token in ["unknown", 7, None, {}]:
            send({"method": "notifications/progress", "params": {"progressToken": token, "progress": "x"}})
    if HOW == "samples":
        ask("sampling/createMessage", {"messages": [], "maxTokens": 1})
    if HOW == "roots":
        ask("roots/list", {})
    if HOW == "unknown":
        ask("tools/steal", {})
        send({"method": "notifications/steal", "params": {}})
    if HOW == "storm":
        for _ in range(1000):
            send({"method": "notifications/tools/list_changed"})
    if HOW == "strangers":
        # Answers without a question.
        for strange in [999, "x", None, -1, 1.5, [], {}]:
            send({"id": strange, "result": {"tools": []}})
            send({"id": strange, "error": {"code": -1, "message": "no"}})
    if HOW == "forms":
        for strange in ["", "   ", "null", "[]", "7", "{}", '"text"', "[1, 2]", '{"jsonrpc": "1.0"}']:
            send(strange)
    if HOW == "logs":
        for level in ["info", "nonsense", 7, None]:
            send({"method": "notifications/message", "params": {"level": level, "data": "\x1b[31mred"}})


def answer(method):
    if method == "initialize":
        info = {"name": "lies\x1b[31m", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "fine"}]}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or "method" not in request:
        continue
    result = answer(request["method"])
    if request["method"] != "initialize":
        lie(request)
    head = {"id": request["id"]}
    if result is None:
        send(head | {"error": {"code": -32601, "message": "no"}})
        continue
    send(head | {"result": result})
    if HOW == "twice":
        send(head | {"result": result | {"content": [{"type": "text", "text": "twice"}]}})
