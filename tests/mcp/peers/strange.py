"""A server on nothing but the standard library, in whose place SDKs would be more careful.

Its first argument is what it does: `tools` has tools with strange answers, `silent` never answers a
call, `prompts` has no tools, `greedy` claims every resource, and `tasks` has tools that run only as
tasks: `task`, `stuck`, which never ends, and `seen`, which returns the methods of all requests.
"""

import json
import os
import sys
import time

KIND = sys.argv[1]
SECRET = os.environ.get("TOKEN", "")
ANSWERS = {
    "half": r'"result": {"content": [{"type": "text", "text": "a\ud83d"}]}',
    "null": '"result": {"content": [{"type": "text", "text": "b"}]}, "error": null',
    "deep": '"result": {"content": ' + "[" * 300 + "]" * 300 + "}",
    "close": None,
    "fail": '"error": ' + json.dumps({"code": -32000, "message": f"no {SECRET}", "data": {"k": [SECRET]}}),
}
DOUBLED = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(60)}
METHODS, SEEN = [], {}
BOMB = {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": DOUBLED | {"d60": {}}}


def line(number, rest):
    print(f'{{"jsonrpc": "2.0", "id": {number}, {rest}}}', flush=True)


def result(value):
    return '"result": ' + json.dumps(value)


def task_answer(method, params):
    if method == "tools/list":
        task = {"inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}
        return result({"tools": [task | {"name": name} for name in ("task", "stuck", "seen")]})
    if method == "tools/call" and "task" in params:
        SEEN[params["name"]] = params.get("_meta", {}).get("progressToken")
        return result({"task": {"taskId": params["name"], "status": "working", "ttl": None}})
    if method == "tasks/result":
        name = params["taskId"]
        update = {"progressToken": SEEN[name], "progress": 1, "message": "half"}
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": update}
        print(json.dumps(note), flush=True)
        text = ",".join(METHODS) if name == "seen" else "done"
        return None if name == "stuck" else result({"content": [{"type": "text", "text": text}]})
    return '"error": {"code": -32601, "message": "only as a task"}'


def answer(method, params):
    METHODS.append(method)
    text = {"type": "text", "text": KIND}
    if KIND == "tasks" and method != "initialize":
        return task_answer(method, params)
    if method == "initialize":
        has = {"tools": ["tools"], "silent": ["tools"], "prompts": ["prompts"], "greedy": ["resources"], "tasks": ["tools"]}
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
    if params.get("name") == "close":
        os.close(1)
        time.sleep(60)
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
    if rest is None:
        continue
    if params.get("name") == "batch":
        print(f'[{{"jsonrpc": "2.0", "id": {number}, {rest}}}]', flush=True)
    else:
        line(number, rest)
