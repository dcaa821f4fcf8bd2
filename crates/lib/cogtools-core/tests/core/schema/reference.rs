//! References, defaults and plain schemas.

use cogtools_test_support::{Snapshot, str};

use crate::support::{check_parameters, check_schema};

const INVALID_REFERENCES: [(&str, Snapshot); 8] = [
    (
        "a: {$ref: '#/properties/b'}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `#/properties/b` does not exist in this schema
   |
 5 |   a: {$ref: '#/properties/b'}
   |             ^^^^^^^^^^^^^^^^
hint: refer to a schema of this tool, as in `#/properties/city`, or write it out

"#]],
    ),
    (
        "a: {$ref: 'other.yaml#/a'}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `other.yaml#/a` does not exist in this schema
   |
 5 |   a: {$ref: 'other.yaml#/a'}
   |             ^^^^^^^^^^^^^^^
hint: refer to a schema of this tool, as in `#/properties/city`, or write it out

"#]],
    ),
    (
        "a: {$ref: '#/properties/a'}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `#/properties/a` refers back to itself
   |
 5 |   a: {$ref: '#/properties/a'}
   |             ^^^^^^^^^^^^^^^^
hint: write the schema out

"#]],
    ),
    (
        "a: {allOf: [{$ref: '#/properties/b'}]}
b: {not: {$ref: '#/properties/a'}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:22: `#/properties/b` refers back to itself
   |
 5 |   a: {allOf: [{$ref: '#/properties/b'}]}
   |                      ^^^^^^^^^^^^^^^^
hint: write the schema out
error[INVALID_TOOL]: x.yaml:6:19: `#/properties/a` refers back to itself
   |
 6 |   b: {not: {$ref: '#/properties/a'}}
   |                   ^^^^^^^^^^^^^^^^
hint: write the schema out

"#]],
    ),
    (
        "a: {type: string, x-b: {}}
b: {$ref: '#/properties/a/x-b'}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:13: `#/properties/a/x-b` does not exist in this schema
   |
 6 |   b: {$ref: '#/properties/a/x-b'}
   |             ^^^^^^^^^^^^^^^^^^^^
hint: refer to a schema of this tool, as in `#/properties/city`, or write it out

"#]],
    ),
    (
        "a: {enum: [{}]}
b: {$ref: '#/properties/a/enum/0'}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:13: `#/properties/a/enum/0` does not exist in this schema
   |
 6 |   b: {$ref: '#/properties/a/enum/0'}
   |             ^^^^^^^^^^^^^^^^^^^^^^^
hint: refer to a schema of this tool, as in `#/properties/city`, or write it out

"#]],
    ),
    (
        "a: {$ref: '#b'}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `#b` does not exist in this schema
   |
 5 |   a: {$ref: '#b'}
   |             ^^^^
hint: refer to a schema of this tool, as in `#/properties/city`, or write it out

"#]],
    ),
    (
        "a: {$ref: '#/properties/b'}
b: {type: object, properties: {c: {$ref: '#'}}}",
        str!["ok"],
    ),
];

#[test]
fn invalid_references() {
    for (input, expected) in INVALID_REFERENCES {
        check_parameters(input, expected);
    }
}

const DEFAULTS_MUST_MATCH_THEIR_SCHEMA: [(&str, Snapshot); 8] = [
    (
        "a: {type: integer, default: x}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:31: the default does not match its own schema: expected integer, got string "x"
   |
 5 |   a: {type: integer, default: x}
   |                               ^
hint: a default must be a value that a caller could send

"#]],
    ),
    (
        "a: {type: string, minLength: 3, default: ab}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:44: the default does not match its own schema: needs at least 3 characters, has 2
   |
 5 |   a: {type: string, minLength: 3, default: ab}
   |                                            ^^
hint: a default must be a value that a caller could send

"#]],
    ),
    (
        "a: {type: object, properties: {b: {type: integer, default: 1.5}}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:62: the default does not match its own schema: expected integer, got number 1.5
   |
 5 |  a: {type: object, properties: {b: {type: integer, default: 1.5}}}
   |                                                             ^^^
hint: a default must be a value that a caller could send

"#]],
    ),
    (
        "a: {type: array, items: {enum: [x], default: y}}",
        str!["ok"],
    ),
    (
        "a: {type: string}
b: {allOf: [{$ref: '#/properties/a'}], default: 5}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:51: the default does not match its own schema: expected string, got number 5
   |
 6 |   b: {allOf: [{$ref: '#/properties/a'}], default: 5}
   |                                                   ^
hint: a default must be a value that a caller could send

"#]],
    ),
    (
        "a: {allOf: [{properties: {b: {type: integer, default: x}}}]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:57: the default does not match its own schema: expected integer, got string "x"
   |
 5 |   a: {allOf: [{properties: {b: {type: integer, default: x}}}]}
   |                                                         ^
hint: a default must be a value that a caller could send

"#]],
    ),
    (
        "a: {additionalProperties: {properties: {b: {type: integer, default: x}}}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:71: the default does not match its own schema: expected integer, got string "x"
   |
 5 | tionalProperties: {properties: {b: {type: integer, default: x}}}}
   |                                                             ^
hint: a default must be a value that a caller could send

"#]],
    ),
    (
        "a: {enum: [x, y], default: z}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:30: the default does not match its own schema: expected one of "x", "y", got "z"
   |
 5 |   a: {enum: [x, y], default: z}
   |                              ^
hint: a default must be a value that a caller could send

"#]],
    ),
];

#[test]
fn defaults_must_match_their_schema() {
    for (input, expected) in DEFAULTS_MUST_MATCH_THEIR_SCHEMA {
        check_parameters(input, expected);
    }
}

const PLAIN_SCHEMAS: [(&str, Snapshot); 8] = [
    (
        "type: string",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:9: the root of `parameters_schema` needs `type: object`
   |
 5 |   type: string
   |         ^^^^^^
hint: add `type: object`

"#]],
    ),
    (
        "properties: {a: {type: string}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:3: the root of `parameters_schema` needs `type: object`
   |
 5 |   properties: {a: {type: string}}
   |   ^
hint: add `type: object`

"#]],
    ),
    (
        "type: object
properties: {a: string}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:19: a schema is a map, not a string
   |
 6 |   properties: {a: string}
   |                   ^^^^^^
hint: write a map such as `{type: string}`

"#]],
    ),
    (
        "type: object
properties: {a: {type: string, optional: true}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:34: `optional` is not a keyword of an OpenAPI 3.0 schema
   |
 6 |   properties: {a: {type: string, optional: true}}
   |                                  ^^^^^^^^
hint: list the others under `required`

"#]],
    ),
    (
        "type: object
properties: {a: {type: int}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:26: `int` is not a type
   |
 6 |   properties: {a: {type: int}}
   |                          ^^^
hint: write `integer`

"#]],
    ),
    (
        "type: object
required: []",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:3: `required` must not be empty
   |
 6 |   required: []
   |   ^^^^^^^^
hint: leave `required` out, or fill it

"#]],
    ),
    (
        "type: object
required: [a, b, a, 5]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:6:20: `required` names `a` twice
   |
 6 |   required: [a, b, a, 5]
   |                    ^
hint: remove one of the two
error[INVALID_TOOL]: x.yaml:6:23: `required` takes a list of names, not a number
   |
 6 |   required: [a, b, a, 5]
   |                       ^
hint: write a list of strings, as in `[one, two]`

"#]],
    ),
    (
        "type: object
properties: {a: {type: integer, default: x}}",
        str!["ok"],
    ),
];

#[test]
fn plain_schemas() {
    for (input, expected) in PLAIN_SCHEMAS {
        check_schema(input, expected);
    }
}
