"""A server on nothing but the standard library, which is slow or silent.

slow.py NAME HOW: it declares the tool NAME. HOW is `start` or `list` if it never answers the
request to start or the list of tools, or the number of seconds that it takes for the list. A file
`HOW` beside the project says so from then on. `other` is one that has no tool any more, and `roots`
one that has another tool for clients with roots, and has told them that its tools have changed.
"""

import json
import os
import sys
import time

NAME, HOW = sys.argv[1:]
CLIENT = {}
HOME = os.environ["HOME"]


def how():
    path = os.path.join(HOME, "how-" + NAME)
    return open(path).read() if os.path.exists(path) else HOW


def tools():
    if how() == "list":
        return None
    if how() == "other":
        return {"tools": []}
    if how() not in ("start", "0", "roots"):
        time.sleep(float(how()))
    names = [NAME, "rooted"] if "roots" in CLIENT else [NAME]
    schema = {"type": "object"}
    return {"tools": [{"name": name, "description": "d", "inputSchema": schema} for name in names]}


def answer(method):
    if method == "initialize":
        info = {"name": NAME, "version": "1"}
        capabilities = {"tools": {"listChanged": True}, "prompts": {}}
        return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}
    if method == "tools/list":
        return tools()
    if method == "prompts/list":
        time.sleep(1)
        return {"prompts": [{"name": "p"}]}
    return {"content": [{"type": "text", "text": NAME}]}


with open(os.path.join(HOME, "started-" + NAME), "a") as started:
    started.write("x")
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or how() == "start":
        continue
    if request["method"] == "initialize":
        CLIENT = request["params"]["capabilities"]
    elif request["method"] == "tools/list" and how() == "roots" and "roots" in CLIENT:
        method = "notifications/tools/list_changed"
        print(json.dumps({"jsonrpc": "2.0", "method": method}), flush=True)
    result = answer(request["method"])
    if result is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
