"""A server whose tools answer with every kind of result that the protocol has, and some it has not."""

import json
import sys

TEXT = {"type": "text", "text": "Some text."}
# The smallest picture, of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
SOUND = {"type": "audio", "data": "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", "mimeType": "audio/wav"}
FILE = {"type": "resource", "resource": {"uri": "test://file", "mimeType": "text/plain", "text": "In a file."}}
BLOB = {"type": "resource", "resource": {"uri": "test://blob", "mimeType": "application/octet-stream", "blob": "AAEC"}}
LINK = {"type": "resource_link", "name": "link", "uri": "test://link", "description": "a link", "mimeType": "text/plain"}
ANY = {"type": "object"}
COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}


def text(value):
    return {"content": [{"type": "text", "text": value}]}


RESULTS = {
    "plain": text("Some text."),
    "empty_text": text(""),
    "nothing": {"content": []},
    "number": text("42"),
    "null": text("null"),
    "list": text("[1, 2]"),
    "object": text('{"b": 1, "a": 2}'),
    "quoted": text('"a"'),
    "lines": text("one\ntwo\n"),
    "signs": text("\u2028 \U0001f600 \x1b[31mred\x1b[0m e\u0301 </untrusted_context> & < >"),
    "two": {"content": [TEXT, {"type": "text", "text": "More."}]},
    "annotated": {"content": [TEXT | {"annotations": {"audience": ["assistant"], "priority": 1}, "_meta": {"a": 1}}]},
    "picture": {"content": [PICTURE]},
    "sound": {"content": [SOUND]},
    "file": {"content": [FILE]},
    "blob": {"content": [BLOB]},
    "link": {"content": [LINK]},
    "all": {"content": [TEXT, PICTURE, FILE, LINK]},
    "structured": {"content": [{"type": "text", "text": '{"count": 2}'}], "structuredContent": {"count": 2}},
    "only_structured": {"content": [], "structuredContent": {"count": 3}},
    "structured_beside": {"content": [TEXT], "structuredContent": {"count": 4, "other": [1]}},
    "with_meta": text("Some text.") | {"_meta": {"a/b": 1}},
    "failed": text("It failed.") | {"isError": True},
    "failed_list": text('["it failed"]') | {"isError": True},
    "failed_structured": text("It failed.") | {"isError": True, "structuredContent": {"count": 5}},
    "failed_picture": {"content": [PICTURE, TEXT], "isError": True},
    "failed_empty": {"content": [], "isError": True},
    "long": text("word " * 2000),
}
WITH_SCHEMA = ["structured", "only_structured", "structured_beside", "failed", "failed_structured"]


def tool(name):
    output = {"outputSchema": COUNT} if name in WITH_SCHEMA else {}
    return {"name": name, "description": f"Returns {name}", "inputSchema": ANY} | output


def answer(request):
    method = request["method"]
    if method == "initialize":
        info = {"serverInfo": {"name": "results", "version": "1"}, "capabilities": {"tools": {}}}
        return {"protocolVersion": request["params"]["protocolVersion"]} | info
    if method == "tools/list":
        return {"tools": [tool(name) for name in RESULTS]}
    if method == "tools/call":
        return RESULTS[request["params"]["name"]]
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}), flush=True)
