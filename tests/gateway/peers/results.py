"""A server whose tools answer with every kind of result that the protocol has, and some it has not;
its resources likewise.
"""

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


def contents(uri, *all):
    """The contents of a resource, with its URI unless they have others."""
    return {"contents": [{"uri": uri} | one for one in all]}


def content(value, kind="text/plain", **more):
    return {"text": value, "mimeType": kind} | more


CONTENTS = {
    "test://plain": [content("Some text.")],
    "test://json": [content('{"b": 1, "a": 2}', "application/json")],
    "test://list": [content("[1, 2]", "application/json")],
    "test://without-type": [{"text": "Some text."}],
    "test://empty": [content("")],
    "test://nothing": [],
    "test://picture": [{"blob": PIXEL, "mimeType": "image/png"}],
    "test://bytes": [{"blob": "AAEC", "mimeType": "application/octet-stream"}],
    "test://bytes-without-type": [{"blob": "AAEC"}],
    "test://page": [content("<p>Good day</p>", "text/html")],
    "test://two": [content("one", uri="test://two/1"), content("two", uri="test://two/2")],
    "test://other": [content("Some text.", uri="test://another")],
    "test://same": [content("one"), content("two")],
    "test://meta": [content("Some text.", _meta={"a/b": 1}, annotations={"priority": 1})],
    "test://signs": [content("\u2028 \U0001f600 \x1b[31mred\x1b[0m e\u0301 & < >")],
    "test://long": [content("word " * 2000)],
    "test://a%20b?c=1&d=%2F#e": [content("Some text.")],
    "test://a b": [content("Some text.")],
    "test://é": [content("Some text.")],
    "TEST://Upper/../b": [content("Some text.")],
    "urn:test:1": [content("Some text.")],
    "file:///nowhere/a.txt": [content("Some text.")],
    "https://127.0.0.1:1/a": [content("Some text.")],
    "ui://app": [content("<p>Good day</p>", "text/html;profile=mcp-app")],
    "words": [content("Some text.")],
}


def resource(uri):
    more = {"title": "A title", "description": "More", "size": 3, "mimeType": "text/plain", "annotations": {"priority": 0.5}}
    return {"uri": uri, "name": f"the {uri}"} | (more | {"_meta": {"a/b": 1}} if uri == "test://meta" else {})


TEMPLATES = [
    {"uriTemplate": "test://item/{number}", "name": "item", "description": "An item", "mimeType": "text/plain"},
    {"uriTemplate": "test://all/{+path}{?query*}", "name": "all", "title": "All"},
]


def read(uri):
    if uri in CONTENTS:
        return contents(uri, *CONTENTS[uri])
    if uri.startswith(("test://item/", "test://all/")) or uri.endswith("unlisted"):
        return contents(uri, content(f"This is {uri}"))
    if uri == "test://broken":
        raise Failure(-32603, "it broke", {"a": 1})
    raise Failure(-32002, f"no resource {uri}", {"uri": uri})


class Failure(Exception):
    pass


def tool(name):
    output = {"outputSchema": COUNT} if name in WITH_SCHEMA else {}
    return {"name": name, "description": f"Returns {name}", "inputSchema": ANY} | output


def answer(request):
    method = request["method"]
    if method == "initialize":
        info = {"serverInfo": {"name": "results", "version": "1"}, "capabilities": {"tools": {}, "resources": {}}}
        return {"protocolVersion": request["params"]["protocolVersion"]} | info
    if method == "tools/list":
        return {"tools": [tool(name) for name in RESULTS]}
    if method == "tools/call":
        return RESULTS[request["params"]["name"]]
    if method == "resources/list":
        return {"resources": [resource(uri) for uri in CONTENTS]}
    if method == "resources/templates/list":
        return {"resourceTemplates": TEMPLATES}
    if method == "resources/read":
        return read(request["params"]["uri"])
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        try:
            answered = {"result": answer(request)}
        except Failure as failure:
            answered = {"error": dict(zip(["code", "message", "data"], failure.args))}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"]} | answered), flush=True)
