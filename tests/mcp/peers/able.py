"""A server on nothing but the standard library, which has another tool for clients with roots.

Its tool `base` fails, and repeats the command line.
"""

import json
import sys

NAMES = ["base"]
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = {"content": [{"type": "text", "text": "done"}]}
    if request["method"] == "initialize":
        if "roots" in request["params"]["capabilities"]:
            NAMES.append("extra")
        info = {"name": "able", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    elif request["method"] == "tools/list":
        schema = {"type": "object"}
        tools = [{"name": name, "description": "d", "inputSchema": schema} for name in NAMES]
        result = {"tools": tools}
    answer = {"result": result}
    if request.get("params", {}).get("name") == "base":
        answer = {"error": {"code": -32000, "message": " ".join(sys.argv[1:])}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
