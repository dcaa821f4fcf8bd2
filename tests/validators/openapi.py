"""Holds values against schemas as OpenAPI 3.0 says: an array of schemas with their
values on standard input, whether each value is taken on standard output."""

import json
import sys

from openapi_schema_validator import OAS30Validator, oas30_format_checker


def verdicts(case):
    validator = OAS30Validator(case["schema"], format_checker=oas30_format_checker)
    return [validator.is_valid(value) for value in case["instances"]]


json.dump([verdicts(case) for case in json.load(sys.stdin)], sys.stdout)
