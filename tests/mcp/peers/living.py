"""A server on nothing but the standard library, which remembers what happened in its session.

Its tools: `count` says how often it was called, `dies` exits, `wait` reports its progress and ends
when it is cancelled, `more` declares one more tool. The file `log` in HOME has a line for each
start, end and cancellation. The first argument is the time that `count` takes; with a second one,
the server exits at its first request while the file `broken` is in HOME.
"""

import json
import os
import sys
import threading
import time

HOME = os.environ["HOME"]
TOOLS = ["count", "dies", "more", "wait"]
calls = 0
cancelled = threading.Event()


def log(line):
    with open(os.path.join(HOME, "log"), "a") as file:
        file.write(line + "\n")


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    sys.stdout.flush()


def wait(request):
    token = request["params"]["_meta"]["progressToken"]
    for step in range(1, 4):
        params = {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"}
        send({"method": "notifications/progress", "params": params})
    if request["params"]["arguments"].get("forever"):
        cancelled.wait(60)
        log("cancelled")
        return
    send({"id": request["id"], "result": {"content": [{"type": "text", "text": "waited"}]}})


def call(request):
    global calls
    name = request["params"]["name"]
    if name == "wait":
        return threading.Thread(target=wait, args=[request]).start()
    if name == "dies":
        log("dies")
        os._exit(3)
    if name == "more":
        TOOLS.append("new")
        send({"method": "notifications/tools/list_changed"})
    calls += 1
    time.sleep(float(sys.argv[1]))
    text = f"{name} {calls} in {os.getpid()}"
    send({"id": request["id"], "result": {"content": [{"type": "text", "text": text}]}})


def answer(method):
    if method == "initialize":
        info = {"name": "living", "version": "1"}
        capabilities = {"tools": {"listChanged": True}}
        return {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
    schema = {"type": "object", "properties": {"forever": {"type": "boolean"}}}
    return {"tools": [{"name": name, "description": "d", "inputSchema": schema} for name in TOOLS]}


log("starts")
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "notifications/cancelled":
        cancelled.set()
    if "id" not in request:
        continue
    if os.path.exists(os.path.join(HOME, "broken")):
        sys.exit("broken")
    if request["method"] == "tools/call":
        call(request)
    else:
        send({"id": request["id"], "result": answer(request["method"])})
log("ends")
