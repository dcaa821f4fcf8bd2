"""Holds declarations on standard input against the types of an official SDK.

Prints one line a tool; ends with an error at the first that does not fit.
"""

import copy
import json
import sys

from jsonschema import Draft202012Validator
from pydantic import ConfigDict, TypeAdapter


def closed(*types):
    """The types, refusing keys that they do not have."""
    for one in types:
        one.__pydantic_config__ = ConfigDict(extra="forbid")
    return TypeAdapter(types[0])


def gemini(tool):
    from google.genai import types

    # Of the two, an API takes one; the other is for Gemini CLI 0.1.
    parameters = tool.pop("parameters", None)
    if parameters:
        types.Schema.model_validate(parameters, extra="forbid")
    read = types.FunctionDeclaration.model_validate(tool, extra="forbid")
    assert len(read.name) < 64, read.name
    return [tool["parametersJsonSchema"]]


def openai(tool):
    from openai.types.chat import ChatCompletionToolParam
    from openai.types.shared import FunctionDefinition as Answered
    from openai.types.shared_params import FunctionDefinition

    closed(ChatCompletionToolParam, FunctionDefinition).validate_python(tool)
    Answered.model_validate(tool["function"], strict=True, extra="forbid")
    return [tool["function"]["parameters"]]


# What the documentation of structured outputs names.
STRICT_KEYWORDS = set(
    "type title description enum anyOf properties required additionalProperties items minItems"
    " maxItems pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum".split()
)
STRICT_FORMATS = "date-time time date duration email hostname ipv4 ipv6 uuid".split()


def strict(schema):
    """Refuses what strict mode rejects, at every depth."""
    assert not set(schema) - STRICT_KEYWORDS, schema
    assert schema.get("format", "date") in STRICT_FORMATS, schema
    for choice in schema.get("anyOf", []):
        strict(choice)
    if "anyOf" in schema:
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert kinds, schema
    if "object" in kinds:
        assert schema["additionalProperties"] is False, schema
        assert schema["required"] == list(schema["properties"]), schema
        for part in schema["properties"].values():
            strict(part)
    if "array" in kinds:
        strict(schema["items"])


def openai_strict(tool):
    from openai.lib._pydantic import _ensure_strict_json_schema as ensure

    [schema] = openai(tool)
    if tool["function"]["strict"]:
        strict(schema)
        assert ensure(copy.deepcopy(schema), path=(), root=schema) == schema, schema
    return [schema]


def anthropic(tool):
    from anthropic.types import ToolParam

    closed(ToolParam).validate_python(tool)
    examples = tool.get("input_examples", [])
    for example in examples:
        Draft202012Validator(tool["input_schema"]).validate(example)
    return [tool["input_schema"]]


def mcp(tool):
    from mcp.types import Tool

    read = Tool.model_validate(tool, strict=True, extra="forbid")
    again = read.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert again == tool, f"{again} is not {tool}"
    return [tool[key] for key in ("inputSchema", "outputSchema") if key in tool]


check = {
    "gemini": gemini,
    "openai": openai,
    "openai-strict": openai_strict,
    "anthropic": anthropic,
    "mcp": mcp,
}[sys.argv[1]]
for tool in json.load(sys.stdin):
    for schema in check(tool):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object", schema
        assert "$schema" not in schema, schema
    print(tool.get("name") or tool["function"]["name"])
