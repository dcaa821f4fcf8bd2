"""A server on nothing but the standard library, for days of calls: its tools never become more.

busy.py NAME: `count` says how often it was called, `dies` exits, `wait` ends when it is cancelled,
`swap` adds or removes the tool `extra`, and announces that.
"""

import json
import os
import sys
import threading

NAME = sys.argv[1]
TOOLS = ["count", "dies", "swap", "wait"]
calls = 0
waiting = {}
lock = threading.Lock()


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        sys.stdout.flush()


def call(request):
    global calls
    name = request["params"]["name"]
    if name == "dies":
        os._exit(3)
    if name == "wait":
        # Progress that was not asked for, and then nothing.
        params = {"progressToken": "unknown", "progress": 1}
        send({"method": "notifications/progress", "params": params})
        waiting[request["id"]] = request
        return
    if name == "swap":
        TOOLS.remove("extra") if "extra" in TOOLS else TOOLS.append("extra")
        for _ in range(3):
            send({"method": "notifications/tools/list_changed"})
    calls += 1
    answer(request, {"content": [{"type": "text", "text": f"{NAME} {name}"}]})


def answer(request, result):
    send({"id": request["id"], "result": result})


for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    if method == "notifications/cancelled":
        # Some servers answer what was cancelled.
        cancelled = waiting.pop(request["params"]["requestId"], None)
        if cancelled:
            answer(cancelled, {"content": [{"type": "text", "text": "too late"}]})
    elif method == "initialize":
        info = {"name": NAME, "version": "1"}
        capabilities = {"tools": {"listChanged": True}}
        answer(request, {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info})
    elif method == "tools/list":
        schema = {"type": "object"}
        answer(request, {"tools": [{"name": name, "description": "d", "inputSchema": schema} for name in TOOLS]})
    elif method == "tools/call":
        call(request)
    elif "id" in request:
        answer(request, {})
