"""Holds requests for messages, one a line of standard input, against the types of Anthropic's SDK,
and the blocks of the model in them against the types of what it sends.

Prints the roles of each request; ends with an error at the first that does not fit.
"""

import json
import sys

from anthropic import types
from anthropic.types import message_create_params
from pydantic import ConfigDict, TypeAdapter
from typing_extensions import is_typeddict

for module in (types, message_create_params):
    for one in vars(module).values():
        if is_typeddict(one):
            one.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

request_type = TypeAdapter(message_create_params.MessageCreateParamsStreaming)
block_type = TypeAdapter(types.ContentBlock)
for line in sys.stdin:
    request = json.loads(line)
    request_type.validate_python(request, strict=True)
    # Lists are read when they are used.
    for message in request["messages"]:
        TypeAdapter(types.MessageParam).validate_python(message)
        for block in message["content"]:
            if message["role"] == "assistant":
                block_type.validate_python(block)
            else:
                kind = {"text": types.TextBlockParam, "tool_result": types.ToolResultBlockParam}
                TypeAdapter(kind[block["type"]]).validate_python(block)
    for tool in request.get("tools", []):
        TypeAdapter(types.ToolParam).validate_python(tool)
    assert "system" not in request or all(block["type"] == "text" for block in request["system"])
    marks = line.count('"cache_control"')
    assert 1 <= marks <= 4, marks
    print(" ".join(message["role"] for message in request["messages"]))
