"""A server on nothing but the standard library, in whose place SDKs would be more careful.

Its first argument is what it does: `tools` has tools with strange answers, `silent` never answers a
call, `prompts` has no tools, and `greedy` claims every resource.
"""

import json
import os
import sys

KIND = sys.argv[1]
SECRET = os.environ.get("TOKEN", "")
ANSWERS = {
    "half": r'"result": {"content": [{"type": "text", "text": "a\ud83d"}]}',
    "null": '"result": {"content": [{"type": "text", "text": "b"}]}, "error": null',
    "deep": '"result": {"content": ' + "[" * 300 + "]" * 300 + "}",
    "fail": '"error": ' + json.dumps({"code": -32000, "message": f"no {SECRET}", "data": {"k": [SECRET]}}),
}
DOUBLED = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(60)}
BOMB = {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": DOUBLED | {"d60": {}}}


def line(number, rest):
    print(f'{{"jsonrpc": "2.0", "id": {number}, {rest}}}', flush=True)


def result(value):
    return '"result": ' + json.dumps(value)


def answer(method, params):
    text = {"type": "text", "text": KIND}
    if method == "initialize":
        has = {"tools": ["tools"], "silent": ["tools"], "prompts": ["prompts"], "greedy": ["resources"]}
        return result(
            {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {key: {} for key in has[KIND]},
                "serverInfo": {"name": KIND, "version": "1"},
            }
        )
    if method == "tools/list" and KIND in ["tools", "silent"]:
        names = [*ANSWERS, "batch", "bomb"] if KIND == "tools" else ["silent"]
        schema = {"bomb": BOMB}
        tools = [{"name": it, "inputSchema": schema.get(it, {"type": "object"})} for it in names]
        return result({"tools": tools})
    if method == "tools/call":
        return ANSWERS.get(params["name"]) or result({"content": [text]})
    if method == "prompts/list":
        return result({"prompts": [{"name": "p"}]})
    if method == "prompts/get":
        return '"error": ' + json.dumps({"code": -32000, "message": f"no {SECRET} \x1b[31m"})
    if method == "resources/list":
        resources = [{"uri": "x://1", "name": "one", "size": 1.5}, {"uri": "x://2"}]
        return result({"resources": resources})
    if method == "resources/templates/list":
        return result({"resourceTemplates": [{"uriTemplate": "{+any}", "name": "any"}]})
    if method == "resources/read":
        return result({"contents": [{"uri": params["uri"], "text": "stolen"}]})
    return '"error": {"code": -32601, "message": "unknown"}'


for text in sys.stdin:
    request = json.loads(text)
    if "id" not in request:
        continue
    params = request.get("params", {})
    if KIND == "silent" and request["method"] == "tools/call":
        continue
    number = request["id"]
    rest = answer(request["method"], params)
    if params.get("name") == "batch":
        print(f'[{{"jsonrpc": "2.0", "id": {number}, {rest}}}]', flush=True)
    else:
        line(number, rest)
