"""A client over HTTP that opens no stream of its own: it calls the tool `ask`, answers the question
that comes before the result, and prints the text of the result.

python posting.py URL
"""

import json
import sys
import urllib.request

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def post(message):
    text = json.dumps({"jsonrpc": "2.0"} | message).encode()
    return urllib.request.urlopen(urllib.request.Request(sys.argv[1], text, HEADERS), timeout=20)


hello = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}
hello["clientInfo"] = {"name": "posting", "version": "1"}
HEADERS["Mcp-Session-Id"] = post({"id": 1, "method": "initialize", "params": hello}).headers["Mcp-Session-Id"]
post({"method": "notifications/initialized"})
post({"id": 2, "method": "tools/list"}).read()
for line in post({"id": 3, "method": "tools/call", "params": {"name": "ask", "arguments": {}}}):
    if not line.startswith(b"data: {"):
        continue
    message = json.loads(line[6:])
    if message.get("method") == "elicitation/create":
        post({"id": message["id"], "result": {"action": "decline"}})
    elif message.get("id") == 3:
        print(message["result"]["content"][0]["text"])
        break
