"""A server with a SQLite file, and a place where hosts wait for each other.

database.py FILE: `execute` runs a statement on the connection of this session, and `meet` waits until
three sessions of the same file have called it.
"""

import json
import os
import sqlite3
import sys
import time

FILE = sys.argv[1]
connection = sqlite3.connect(FILE, isolation_level=None)


def execute(sql):
    return json.dumps(connection.execute(sql).fetchall())


def meet(name):
    folder = FILE + ".met"
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, name), "w").close()
    end = time.time() + 100
    while len(os.listdir(folder)) < 3 and time.time() < end:
        time.sleep(0.05)
    return json.dumps(sorted(os.listdir(folder)))


def tool(function, parameter):
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"name": function.__name__, "description": f"To {function.__name__}", "inputSchema": schema}


TOOLS = [tool(execute, "sql"), tool(meet, "name")]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {}
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        result |= {"serverInfo": {"name": "database", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": TOOLS}
    elif message["method"] == "tools/call":
        params = message["params"]
        text = globals()[params["name"]](*params["arguments"].values())
        result = {"content": [{"type": "text", "text": text}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
