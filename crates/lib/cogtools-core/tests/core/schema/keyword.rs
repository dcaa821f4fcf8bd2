//! The keywords of a schema, and the values they take.

use cogtools_test_support::{Snapshot, str};

use crate::support::check_parameters;

const UNKNOWN_KEYWORDS: [(&str, Snapshot); 16] = [
    (
        "a: {type: string, min: 1}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `min` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, min: 1}
   |                     ^^^
hint: write `minimum`, or `minLength` for text and `minItems` for an array

"#]],
    ),
    (
        "a: {type: string, max: 2}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `max` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, max: 2}
   |                     ^^^
hint: write `maximum`, or `maxLength` for text and `maxItems` for an array

"#]],
    ),
    (
        "a: {type: string, choices: [a]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `choices` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, choices: [a]}
   |                     ^^^^^^^
hint: write `enum`

"#]],
    ),
    (
        "a: {type: string, values: [a]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `values` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, values: [a]}
   |                     ^^^^^^
hint: write `enum`

"#]],
    ),
    (
        "a: {type: string, options: [a]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `options` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, options: [a]}
   |                     ^^^^^^^
hint: write `enum`

"#]],
    ),
    (
        "a: {type: string, regex: x}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `regex` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, regex: x}
   |                     ^^^^^
hint: write `pattern`

"#]],
    ),
    (
        "a: {const: 1}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `const` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {const: 1}
   |       ^^^^^
hint: write `enum` with the one value

"#]],
    ),
    (
        "a: {type: string, examples: [x]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `examples` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, examples: [x]}
   |                     ^^^^^^^^
hint: write `example` with one value, or move it to the tool's `examples`

"#]],
    ),
    (
        "a: {$schema: x, $id: y}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `$schema` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {$schema: x, $id: y}
   |       ^^^^^^^
hint: leave it out
error[INVALID_TOOL]: x.yaml:5:19: `$id` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {$schema: x, $id: y}
   |                   ^^^
hint: leave it out

"#]],
    ),
    (
        "a: {type: array, prefixItems: []}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: an array needs `items`
   |
 5 |   a: {type: array, prefixItems: []}
   |             ^^^^^
hint: name the type of its items, as in `type: string[]`
error[INVALID_TOOL]: x.yaml:5:20: `prefixItems` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: array, prefixItems: []}
   |                    ^^^^^^^^^^^
hint: OpenAPI 3.0 has no tuples; give all `items` one schema

"#]],
    ),
    (
        "a: {patternProperties: {}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `patternProperties` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {patternProperties: {}}
   |       ^^^^^^^^^^^^^^^^^
hint: OpenAPI 3.0 cannot express this; describe the keys in `description` and allow them with `additionalProperties`

"#]],
    ),
    (
        "a: {if: {}, then: {}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `if` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {if: {}, then: {}}
   |       ^^
hint: OpenAPI 3.0 has no conditions; use `oneOf`, or explain it in `description`
error[INVALID_TOOL]: x.yaml:5:15: `then` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {if: {}, then: {}}
   |               ^^^^
hint: OpenAPI 3.0 has no conditions; use `oneOf`, or explain it in `description`

"#]],
    ),
    (
        "a: {type: string, minLenght: 1}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `minLenght` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, minLenght: 1}
   |                     ^^^^^^^^^
hint: did you mean `minLength` or `maxLength`?

"#]],
    ),
    (
        "a: {type: string, desc: x}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `desc` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {type: string, desc: x}
   |                     ^^^^
hint: did you mean `description`?

"#]],
    ),
    (
        "a: {$defs: {}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `$defs` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {$defs: {}}
   |       ^^^^^
hint: write the schema where it is used

"#]],
    ),
    (
        "a: {frobnicate: 1}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `frobnicate` is not a keyword of an OpenAPI 3.0 schema
   |
 5 |   a: {frobnicate: 1}
   |       ^^^^^^^^^^
hint: remove it; the names of extensions begin with `x-`

"#]],
    ),
];

#[test]
fn unknown_keywords() {
    for (input, expected) in UNKNOWN_KEYWORDS {
        check_parameters(input, expected);
    }
}

const VALUES_OF_THE_WRONG_KIND: [(&str, Snapshot); 16] = [
    (
        "a: {type: string, minLength: -1}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:32: `minLength` takes a non-negative integer, not -1
   |
 5 |   a: {type: string, minLength: -1}
   |                                ^^
hint: write a number such as `1`, without quotes

"#]],
    ),
    (
        r#"a: {type: string, maxLength: "5"}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:32: `maxLength` takes a non-negative integer, not a string
   |
 5 |   a: {type: string, maxLength: "5"}
   |                                ^^^
hint: write a number such as `1`, without quotes

"#]],
    ),
    (
        "a: {type: number, exclusiveMinimum: 5}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:39: `exclusiveMinimum` takes true or false, not 5
   |
 5 |   a: {type: number, exclusiveMinimum: 5}
   |                                       ^
hint: write `minimum: 5` and `exclusiveMinimum: true`

"#]],
    ),
    (
        "a: {type: number, multipleOf: 0}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:33: `multipleOf` takes a number greater than 0, not 0
   |
 5 |   a: {type: number, multipleOf: 0}
   |                                 ^
hint: write a number such as `1`, without quotes

"#]],
    ),
    (
        "a: {enum: []}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `enum` must not be empty
   |
 5 |   a: {enum: []}
   |       ^^^^
hint: leave `enum` out, or fill it

"#]],
    ),
    (
        "a: {enum: x}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `enum` takes a list of values, not a string
   |
 5 |   a: {enum: x}
   |             ^
hint: write a list, as in `[one, two]`

"#]],
    ),
    (
        "a: {allOf: []}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:7: `allOf` must not be empty
   |
 5 |   a: {allOf: []}
   |       ^^^^^
hint: leave `allOf` out, or fill it

"#]],
    ),
    (
        "a: {anyOf: {}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:14: `anyOf` takes a list of schemas, not a map
   |
 5 |   a: {anyOf: {}}
   |              ^^
hint: write a list of maps, as in `[{type: string}, {type: number}]`

"#]],
    ),
    (
        "a: {oneOf: [string, 5]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:23: a schema is a map, not a number
   |
 5 |   a: {oneOf: [string, 5]}
   |                       ^
hint: write a map such as `{type: string}`

"#]],
    ),
    (
        "a: {type: string, nullable: 1}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:31: `nullable` takes true or false, not 1
   |
 5 |   a: {type: string, nullable: 1}
   |                               ^
hint: write `true` or `false`, without quotes

"#]],
    ),
    (
        "a: {type: string, description: 5}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:34: `description` takes a string, not 5
   |
 5 |   a: {type: string, description: 5}
   |                                  ^
hint: put it in quotes to make it a string

"#]],
    ),
    (
        "a: {properties: [a]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:19: `properties` takes a map from names to schemas, not a list
   |
 5 |   a: {properties: [a]}
   |                   ^^^
hint: write a map such as `{city: {type: string}}`

"#]],
    ),
    (
        "a: {additionalProperties: 5}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:29: a schema is a map, not a number
   |
 5 |   a: {additionalProperties: 5}
   |                             ^
hint: write a map such as `{type: string}`

"#]],
    ),
    (
        r#"a: {type: string, pattern: "(["}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:30: `([` is not a regular expression of ECMA-262
   |
 5 |   a: {type: string, pattern: "(["}
   |                              ^^^^
hint: put it in single quotes, so that YAML leaves the backslashes alone

"#]],
    ),
    (
        "a: {type: string, format: 5}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:29: `format` takes a string, not 5
   |
 5 |   a: {type: string, format: 5}
   |                             ^
hint: put it in quotes to make it a string

"#]],
    ),
    (
        "a: {$ref: 5}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `$ref` takes a string, not 5
   |
 5 |   a: {$ref: 5}
   |             ^
hint: put it in quotes to make it a string

"#]],
    ),
];

#[test]
fn values_of_the_wrong_kind() {
    for (input, expected) in VALUES_OF_THE_WRONG_KIND {
        check_parameters(input, expected);
    }
}
