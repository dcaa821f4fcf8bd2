"""A server on nothing but the standard library, whose tools answer with every kind of content."""

import json
import sys

PICTURE = {"type": "image", "data": "AAECAw==", "mimeType": "image/png"}
SOUND = {"type": "audio", "data": "AAEC", "mimeType": "audio/wav"}
FILE = {"type": "resource", "resource": {"uri": "test://file", "mimeType": "text/plain", "text": "In a file."}}
LINK = {"type": "resource_link", "name": "link", "uri": "test://link"}
TEXT = {"type": "text", "text": "Some text."}

RESULTS = {
    "test_image_content": {"content": [PICTURE]},
    "test_audio_content": {"content": [SOUND]},
    "test_embedded_resource": {"content": [FILE]},
    "test_multiple_content_types": {"content": [TEXT, PICTURE, FILE, LINK], "structuredContent": {"parts": 4}},
    "json_schema_2020_12_tool": {"content": [TEXT]},
}
ADDRESS = {"$anchor": "place", "type": "object", "properties": {"city": {"type": "string"}}}
# Keywords of JSON Schema that OpenAPI 3.0 does not have.
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": ADDRESS},
    "properties": {"address": {"$ref": "#/$defs/address"}, "way": {"enum": ["post", "call"]}},
    "if": {"properties": {"way": {"const": "post"}}, "required": ["way"]},
    "then": {"required": ["address"]},
    "else": {},
    "additionalProperties": False,
}


def tool(name):
    schema = SCHEMA if name.startswith("json") else {"type": "object"}
    return {"name": name, "description": "d", "inputSchema": schema}


def answer(request):
    method, params = request["method"], request.get("params")
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "kinds", "version": "1"}}
    if method == "tools/list":
        return {"tools": [tool(name) for name in RESULTS]}
    if method == "tools/call":
        return RESULTS[params["name"]]
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}), flush=True)
