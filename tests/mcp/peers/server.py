"""A server on nothing but the standard library, which does what its first argument says."""

import json
import os
import subprocess
import sys

HOW = sys.argv[1]
TOOL = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}


def send(message):
    print(json.dumps(message), flush=True)


# Values that are rare, nested, or of the author's own.
UNUSUAL = {
    "tool": {
        "title": "Tool \u2028 of «all»",
        "annotations": {"openWorldHint": False, "x/y": {"k": [None, {"z": 1, "a": 2}]}},
        "icons": [{"src": "data:image/png;base64,AAAA", "theme": "dark", "x": [1.5e300]}],
        "_meta": {"a/b": {"b": 1, "a": [None, True, 1.0, -0.0, 2**64 - 1]}, "z": None, "": {}},
        "outputSchema": {
            "type": "object", "required": ["n"], "unevaluatedProperties": {"not": {}},
            "properties": {"n": {"type": "integer", "x-unit": "ms"}, "": {"const": None},
                           "u": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/d"}]}},
            "$defs": {"d": {"enum": [None, 1, "1", [], {}]}}, "x-own": {"list": [[[]]]},
        },
    },
    "result": {
        "content": [
            {"type": "text", "text": "t", "annotations": {"priority": 0.5}, "_meta": {"c": [None]}},
            {"type": "novel", "payload": 1},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "u:x", "text": "r", "_meta": {"q": 1}}},
        ],
        "structuredContent": {"n": 5, "big": 2**64 - 1, "deep": {"z": 1, "a": [{}]}, "": None},
        "isError": False,
        "_meta": {"r/m": {"z": 1, "a": None}, "io.modelcontextprotocol/serverInfo": {"name": "s"}},
    },
}


def tools(params):
    if HOW == "large":
        return {"tools": [TOOL | {"description": "x" * (20 << 20)}]}
    if HOW == "endless":
        return {"tools": [], "nextCursor": (params or {}).get("cursor", "") + "x"}
    if HOW == "pages" and "cursor" not in (params or {}):
        return {"tools": [TOOL | {"name": "first"}], "nextCursor": "2"}
    if HOW == "nothing":
        return {"tuls": []}
    if HOW == "changing" and os.path.exists("changed"):
        return {"tools": []}
    if HOW == "whole":
        return {"tools": [TOOL | {
            "title": "T", "annotations": {"readOnlyHint": True, "title": "A"}, "_meta": {"a/b": 1},
            "icons": [{"src": "https://a/b.png"}], "execution": {"taskSupport": "optional"},
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
        }]}
    if HOW == "unusual":
        return {"tools": [TOOL | UNUSUAL["tool"]]}
    hints = {"readOnlyHint": True, "title": "T"}
    return {"tools": [TOOL | {"annotations": hints}], "resultType": "complete"}


def call(params):
    if HOW == "dies":
        print("no more", file=sys.stderr, flush=True)
        os._exit(3)
    if HOW == "silent-call":
        subprocess.Popen(["sleep", "54321"])
        sys.stdin.read()
        subprocess.run(["sleep", "54321"])
    if HOW == "whole":
        return {"content": [], "structuredContent": {"n": 1}}
    if HOW == "unusual":
        token = params.get("_meta", {}).get("progressToken")
        update = {"progressToken": token, "progress": 1, "message": "\u001b[31mred\u202e"}
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": update}
        print(json.dumps(note), flush=True)
        return UNUSUAL["result"]
    if HOW == "fails":
        return {"content": [{"type": "text", "text": "try again"}], "isError": True}
    if HOW == "bare":
        return {"content": "just text"}
    text = json.dumps([params.get("arguments"), sorted(name for name in os.environ if name != "LC_CTYPE")])
    return {"content": [{"type": "text", "text": text}], "resultType": "complete"}


def answer(method, params):
    if method == "initialize" and HOW != "modern":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    if method == "server/discover" and HOW == "modern":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    if method == "tools/list":
        return tools(params)
    if method == "tools/call" and HOW != "changing":
        return call(params)
    return None


# A server of the user does not start in the project, where the test looks.
project = os.path.join(os.environ.get("HOME", "/"), "..", "project")
if os.path.isdir(project):
    os.chdir(project)
with open("starts", "a") as starts:
    starts.write("x")
if HOW == "noise":
    print("Welcome!", flush=True)
if HOW == "garbage":
    while True:
        print("garbage")
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or HOW == "silent":
        continue
    result = answer(request["method"], request.get("params"))
    head = {"jsonrpc": "2.0", "id": request["id"]}
    if result is None:
        send(head | {"error": {"code": -32601, "message": "no " + request["method"]}})
    else:
        send(head | {"result": result})
