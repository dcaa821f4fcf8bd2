//! References, defaults, and schemas taken word for word.

use super::fault::told;

/// These entries under `parameters`.
#[track_caller]
fn sugar(entries: &str, expected: &str) {
    check("parameters", entries, expected);
}

/// These keywords under `parameters_schema`.
#[track_caller]
fn verb(keywords: &str, expected: &str) {
    check("parameters_schema", keywords, expected);
}

#[track_caller]
fn check(key: &str, entries: &str, expected: &str) {
    let lines = entries.replace('\n', "\n  ");
    let file = format!("name: x\ndescription: d\nimplementation: ok\n{key}:\n  {lines}\n");
    assert_eq!(told(file), expected, "{entries}");
}

const REFERENCES: [(&str, &str); 8] = [
    (
        "a: {$ref: '#/properties/b'}",
        "error[INVALID_TOOL]: x.yaml:5:13: `#/properties/b` leads nowhere in this schema
   |
 5 |   a: {$ref: '#/properties/b'}
   |             ^^^^^^^^^^^^^^^^
hint: point at a schema of this tool, as in `#/properties/city`, or write it out
",
    ),
    (
        "a: {$ref: 'other.yaml#/a'}",
        "error[INVALID_TOOL]: x.yaml:5:13: `other.yaml#/a` leads nowhere in this schema
   |
 5 |   a: {$ref: 'other.yaml#/a'}
   |             ^^^^^^^^^^^^^^^
hint: point at a schema of this tool, as in `#/properties/city`, or write it out
",
    ),
    (
        "a: {$ref: '#/properties/a'}",
        "error[INVALID_TOOL]: x.yaml:5:13: `#/properties/a` leads back to itself
   |
 5 |   a: {$ref: '#/properties/a'}
   |             ^^^^^^^^^^^^^^^^
hint: write the schema out
",
    ),
    (
        "a: {allOf: [{$ref: '#/properties/b'}]}
b: {not: {$ref: '#/properties/a'}}",
        "error[INVALID_TOOL]: x.yaml:5:22: `#/properties/b` leads back to itself
   |
 5 |   a: {allOf: [{$ref: '#/properties/b'}]}
   |                      ^^^^^^^^^^^^^^^^
hint: write the schema out
error[INVALID_TOOL]: x.yaml:6:19: `#/properties/a` leads back to itself
   |
 6 |   b: {not: {$ref: '#/properties/a'}}
   |                   ^^^^^^^^^^^^^^^^
hint: write the schema out
",
    ),
    (
        "a: {type: string, x-b: {}}
b: {$ref: '#/properties/a/x-b'}",
        "error[INVALID_TOOL]: x.yaml:6:13: `#/properties/a/x-b` leads nowhere in this schema
   |
 6 |   b: {$ref: '#/properties/a/x-b'}
   |             ^^^^^^^^^^^^^^^^^^^^
hint: point at a schema of this tool, as in `#/properties/city`, or write it out
",
    ),
    (
        "a: {enum: [{}]}
b: {$ref: '#/properties/a/enum/0'}",
        "error[INVALID_TOOL]: x.yaml:6:13: `#/properties/a/enum/0` leads nowhere in this schema
   |
 6 |   b: {$ref: '#/properties/a/enum/0'}
   |             ^^^^^^^^^^^^^^^^^^^^^^^
hint: point at a schema of this tool, as in `#/properties/city`, or write it out
",
    ),
    (
        "a: {$ref: '#b'}",
        "error[INVALID_TOOL]: x.yaml:5:13: `#b` leads nowhere in this schema
   |
 5 |   a: {$ref: '#b'}
   |             ^^^^
hint: point at a schema of this tool, as in `#/properties/city`, or write it out
",
    ),
    (
        "a: {$ref: '#/properties/b'}
b: {type: object, properties: {c: {$ref: '#'}}}",
        "ok",
    ),
];

#[test]
fn references() {
    for (given, expected) in REFERENCES {
        sugar(given, expected);
    }
}

const DEFAULTS_MUST_FIT: [(&str, &str); 6] = [
    (
        "a: {type: integer, default: x}",
        r#"error[INVALID_TOOL]: x.yaml:5:31: the default does not fit its own schema: expected integer, got string "x"
   |
 5 |   a: {type: integer, default: x}
   |                               ^
hint: a default is a value that a caller could send
"#,
    ),
    (
        "a: {type: string, minLength: 3, default: ab}",
        "error[INVALID_TOOL]: x.yaml:5:44: the default does not fit its own schema: needs at least 3 characters, has 2
   |
 5 |   a: {type: string, minLength: 3, default: ab}
   |                                            ^^
hint: a default is a value that a caller could send
",
    ),
    (
        "a: {type: object, properties: {b: {type: integer, default: 1.5}}}",
        "error[INVALID_TOOL]: x.yaml:5:62: the default does not fit its own schema: expected integer, got number 1.5
   |
 5 |  a: {type: object, properties: {b: {type: integer, default: 1.5}}}
   |                                                             ^^^
hint: a default is a value that a caller could send
",
    ),
    (
        "a: {type: array, items: {enum: [x], default: y}}",
        "ok",
    ),
    (
        "a: {type: string}
b: {allOf: [{$ref: '#/properties/a'}], default: 5}",
        "error[INVALID_TOOL]: x.yaml:6:51: the default does not fit its own schema: expected string, got number 5
   |
 6 |   b: {allOf: [{$ref: '#/properties/a'}], default: 5}
   |                                                   ^
hint: a default is a value that a caller could send
",
    ),
    (
        "a: {enum: [x, y], default: z}",
        r#"error[INVALID_TOOL]: x.yaml:5:30: the default does not fit its own schema: expected one of "x", "y", got "z"
   |
 5 |   a: {enum: [x, y], default: z}
   |                              ^
hint: a default is a value that a caller could send
"#,
    ),
];

#[test]
fn defaults_must_fit() {
    for (given, expected) in DEFAULTS_MUST_FIT {
        sugar(given, expected);
    }
}

const A_SCHEMA_WORD_FOR_WORD: [(&str, &str); 8] = [
    (
        "type: string",
        "error[INVALID_TOOL]: x.yaml:5:9: the root of `parameters_schema` needs `type: object`
   |
 5 |   type: string
   |         ^^^^^^
hint: add `type: object`
",
    ),
    (
        "properties: {a: {type: string}}",
        "error[INVALID_TOOL]: x.yaml:5:3: the root of `parameters_schema` needs `type: object`
   |
 5 |   properties: {a: {type: string}}
   |   ^
hint: add `type: object`
",
    ),
    (
        "type: object
properties: {a: string}",
        "error[INVALID_TOOL]: x.yaml:6:19: a schema is a map, not a string
   |
 6 |   properties: {a: string}
   |                   ^^^^^^
hint: write a map such as `{type: string}`
",
    ),
    (
        "type: object
properties: {a: {type: string, optional: true}}",
        "error[INVALID_TOOL]: x.yaml:6:34: `optional` is not a keyword of an OpenAPI 3.0 schema
   |
 6 |   properties: {a: {type: string, optional: true}}
   |                                  ^^^^^^^^
hint: list the others under `required`
",
    ),
    (
        "type: object
properties: {a: {type: int}}",
        "error[INVALID_TOOL]: x.yaml:6:26: `int` is not a type
   |
 6 |   properties: {a: {type: int}}
   |                          ^^^
hint: write `integer`
",
    ),
    (
        "type: object
required: []",
        "error[INVALID_TOOL]: x.yaml:6:3: `required` must not be empty
   |
 6 |   required: []
   |   ^^^^^^^^
hint: leave `required` out, or fill it
",
    ),
    (
        "type: object
required: [a, b, a, 5]",
        "error[INVALID_TOOL]: x.yaml:6:20: `required` names `a` twice
   |
 6 |   required: [a, b, a, 5]
   |                    ^
hint: remove one of the two
error[INVALID_TOOL]: x.yaml:6:23: `required` takes a list of names, not a number
   |
 6 |   required: [a, b, a, 5]
   |                       ^
hint: write a list of strings, as in `[one, two]`
",
    ),
    (
        "type: object
properties: {a: {type: integer, default: x}}",
        "ok",
    ),
];

#[test]
fn a_schema_word_for_word() {
    for (given, expected) in A_SCHEMA_WORD_FOR_WORD {
        verb(given, expected);
    }
}
