"""The client that the official conformance suite tests: it runs our program as its user would, and
logs in when the program says so. In the place of a browser it follows the URL itself. What needs a
host is asked through `cogtools mcp`, whose host it is then.

python suite.py PROGRAM URL
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import urllib.request

program, url = sys.argv[1:]
scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
server = json.dumps({"url": url, "name": "s", "timeout": 10})
environment = {"HOME": tempfile.mkdtemp(), "PATH": os.environ["PATH"]}
# The document that the suite knows.
document = "https://conformance-test.local/client-metadata.json"
client = document if scenario == "auth/basic-cimd" else context.get("client_id")
if context.get("client_secret"):
    environment["COGTOOLS_MCP_CLIENT_SECRET"] = context["client_secret"]


def start(args, **more):
    line = [program, *args[:1], "--server", server, *args[1:]]
    return subprocess.Popen(line, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def login(more):
    own = ["--client-id", client] if client else []
    process = start(["login", *own, *more])
    for line in process.stdout:
        if line.startswith("  http"):
            urllib.request.urlopen(line.strip()).read()
    process.wait()
    print("login", process.returncode, process.stderr.read())
    return process.returncode == 0


def run(args, stdin=""):
    for _ in range(3):
        process = start(args, stdin=subprocess.PIPE)
        stdout, stderr = process.communicate(stdin)
        print(args, process.returncode, stdout, stderr)
        hint = re.search("^hint: log in: cogtools mcp-client login s(.*)$", stderr, re.MULTILINE)
        if not hint or not login(shlex.split(hint[1])):
            break
    return stdout, process.returncode


def example(tool):
    values = {"integer": 1, "number": 1, "string": "x", "boolean": True}
    schema = tool.get("parametersJsonSchema", {})
    properties = schema.get("properties", {}).items()
    if tool["name"] == "json_schema_echo":
        return {"schema": focal}
    return {name: values.get(value.get("type")) for name, value in properties}


def host():
    """Calls every tool, and accepts what is asked with the defaults."""
    sources = {"tool_sources": [{"mcp": {"url": url, "name": "s", "wait": 10}}]}
    os.mkdir(os.path.join(environment["HOME"], ".gemini"))
    with open(os.path.join(environment["HOME"], ".gemini/cogtoolrc.yaml"), "w") as file:
        json.dump(sources, file)
    line = [os.path.join(os.path.dirname(program), "cogtools-mcp")]
    process = subprocess.Popen(
        line, env=environment, cwd=environment["HOME"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def send(message):
        print(json.dumps({"jsonrpc": "2.0"} | message), file=process.stdin, flush=True)

    def answer(method, params):
        send({"id": method, "method": method, "params": params})
        for line in process.stdout:
            message = json.loads(line)
            if message.get("method") == "elicitation/create":
                properties = message["params"]["requestedSchema"]["properties"].items()
                content = {name: value["default"] for name, value in properties if "default" in value}
                send({"id": message["id"], "result": {"action": "accept", "content": content}})
            elif message.get("id") == method:
                print(message)
                return message["result"]

    info = {"name": "suite", "version": "1"}
    answer(
        "initialize",
        {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": info},
    )
    send({"method": "notifications/initialized"})
    for tool in answer("tools/list", {})["tools"]:
        answer("tools/call", {"name": tool["name"], "arguments": {}})
    process.stdin.close()
    process.wait()


if scenario.startswith("elicitation"):
    host()
    sys.exit()
stdout, status = run(["discover"])
if status:
    sys.exit(status)
tools = json.loads(stdout)
focal = next((tool["parametersJsonSchema"] for tool in tools if tool["name"] == "json_schema_2020_12_tool"), None)
calls = context.get("toolCalls") or [{"name": tool["name"], "arguments": example(tool)} for tool in tools]
for call in calls:
    run(["call", "--json", call["name"]], json.dumps(call["arguments"]))
