"""Calls a tool, written in Python with the usual packages."""
import json
import sys

import jinja2
import jsonschema
import yaml

with open(f"tools/{sys.argv[1]}.yaml", encoding="utf-8") as file:
    tool = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
arguments = json.load(sys.stdin)
entries = tool["parameters"]
schema = {
    "type": "object",
    "properties": {
        name: {key: value for key, value in entry.items() if key != "optional"}
        for name, entry in entries.items()
    },
    "required": [name for name, entry in entries.items() if not entry.get("optional")],
    "additionalProperties": False,
}
errors = list(jsonschema.Draft7Validator(schema).iter_errors(arguments))
if errors:
    sys.exit("\n".join(error.message for error in errors))
sys.stdout.write(jinja2.Template(tool["implementation"]).render(arguments))
