//! Types, `required` and `optional`: one form each, and a fix for all others.

use cogtools_test_support::{Snapshot, str};

use crate::support::{check_parameters, check_schema};

const UNKNOWN_TYPES_HAVE_A_FIX: [(&str, Snapshot); 19] = [
    (
        "a: int",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: `int` is not a type
   |
 5 |   a: int
   |      ^^^
hint: write `integer`

"#]],
    ),
    (
        "a: str",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: `str` is not a type
   |
 5 |   a: str
   |      ^^^
hint: write `string`

"#]],
    ),
    (
        "a: {type: bool}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `bool` is not a type
   |
 5 |   a: {type: bool}
   |             ^^^^
hint: write `boolean`

"#]],
    ),
    (
        "a: {type: float}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `float` is not a type
   |
 5 |   a: {type: float}
   |             ^^^^^
hint: write `number`

"#]],
    ),
    (
        r#"a: {type: "string?"}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `string?` is not a type
   |
 5 |   a: {type: "string?"}
   |             ^^^^^^^^^
hint: write `type: string` and `optional: true`

"#]],
    ),
    (
        "a: int?",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: `int?` is not a type
   |
 5 |   a: int?
   |      ^^^^
hint: write `type: integer` and `optional: true`

"#]],
    ),
    (
        "a: {type: String}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `String` is not a type
   |
 5 |   a: {type: String}
   |             ^^^^^^
hint: write `string`

"#]],
    ),
    (
        r#"a: {type: [string, "null"]}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `type` takes one type's name, not a list
   |
 5 |   a: {type: [string, "null"]}
   |             ^^^^^^^^^^^^^^^^
hint: write one type, and `nullable: true` if null is valid, too

"#]],
    ),
    (
        r#"a: {type: "null"}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: `null` is not a type
   |
 5 |   a: {type: "null"}
   |             ^^^^^^
hint: write the type of the other values and `nullable: true`

"#]],
    ),
    (
        "a: widget",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: `widget` is not a type
   |
 5 |   a: widget
   |      ^^^^^^
hint: the types are string, integer, number, boolean, array and object

"#]],
    ),
    (
        "a: {type: 'string[]', items: {type: integer}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:25: `items` has another `type` than `type: string[]` beside it
   |
 5 |   a: {type: 'string[]', items: {type: integer}}
   |                         ^^^^^
hint: write `type: array` and all of `items`, or leave it out of `items`

"#]],
    ),
    ("a: {type: 'string[]', items: {type: string}}", str!["ok"]),
    (
        "a: int[]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: `int[]` is not a type
   |
 5 |   a: int[]
   |      ^^^^^
hint: write `integer[]`

"#]],
    ),
    (
        "a: array[]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: `array[]` is not a type
   |
 5 |   a: array[]
   |      ^^^^^^^
hint: write `items`, or name the type of the items: `string[]`

"#]],
    ),
    (
        "a: array",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: an array needs `items`
   |
 5 |   a: array
   |      ^^^^^
hint: name the type of its items, as in `type: string[]`

"#]],
    ),
    (
        "a: {type: array}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:13: an array needs `items`
   |
 5 |   a: {type: array}
   |             ^^^^^
hint: name the type of its items, as in `type: string[]`

"#]],
    ),
    (
        "a: string[][][][][][][][][]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: `string[][][][][][][][][]` is not a type
   |
 5 |   a: string[][][][][][][][][]
   |      ^^^^^^^^^^^^^^^^^^^^^^^^
hint: nest at most 8 arrays; give the items a name in `properties`

"#]],
    ),
    (
        "a: 5",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:6: a schema is a map, not a number
   |
 5 |   a: 5
   |      ^
hint: write a map such as `{type: string}`

"#]],
    ),
    (
        "a:",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:4: a schema is a map, not nothing
   |
 5 |   a:
   |    ^
hint: write a map such as `{type: string}`

"#]],
    ),
];

#[test]
fn unknown_types_have_a_fix() {
    for (input, expected) in UNKNOWN_TYPES_HAVE_A_FIX {
        check_parameters(input, expected);
    }
}

const REDUNDANT_OR_MISPLACED_REQUIRED_AND_OPTIONAL: [(&str, Snapshot); 6] = [
    (
        "a: {type: string, required: true}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:21: `required` is not used here: every parameter is required unless it is `optional`
   |
 5 |   a: {type: string, required: true}
   |                     ^^^^^^^^
hint: remove it, and mark the others with `optional: true`

"#]],
    ),
    (
        "a: {type: object, properties: {b: string}, required: [b]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:46: `required` is not used here: every parameter is required unless it is `optional`
   |
 5 |   a: {type: object, properties: {b: string}, required: [b]}
   |                                              ^^^^^^^^
hint: remove it, and mark the others with `optional: true`

"#]],
    ),
    (
        "required: [a]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:3: `required` is not used here: every parameter is required unless it is `optional`
   |
 5 |   required: [a]
   |   ^^^^^^^^
hint: remove it, and mark the others with `optional: true`

"#]],
    ),
    (
        "a: {type: string, default: x, optional: false}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:33: a parameter with a default is always optional
   |
 5 |   a: {type: string, default: x, optional: false}
   |                                 ^^^^^^^^
hint: remove either `optional: false` or `default`

"#]],
    ),
    (
        r#"a: {type: string, optional: "yes"}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:31: `optional` takes true or false, not a string
   |
 5 |   a: {type: string, optional: "yes"}
   |                               ^^^^^
hint: write `true` or `false`, without quotes

"#]],
    ),
    (
        "a: {type: array, items: {type: string, optional: true}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:5:42: `optional` applies only to a parameter or a property
   |
 5 |   a: {type: array, items: {type: string, optional: true}}
   |                                          ^^^^^^^^
hint: remove it

"#]],
    ),
];

#[test]
fn redundant_or_misplaced_required_and_optional() {
    for (input, expected) in REDUNDANT_OR_MISPLACED_REQUIRED_AND_OPTIONAL {
        check_parameters(input, expected);
    }
}

#[test]
fn a_whole_schema_says_how_a_list_is_written() {
    let check = |name: &str, hint: &str| {
        let place = "^".repeat(name.chars().count());
        let line = format!(" 5 |   properties: {{a: {{type: {name}}}}}");
        let expected = format!(
            "error[INVALID_TOOL]: x.yaml:5:26: {} is not a type\n   |\n{line}\n   |{}{place}\nhint: {hint}\n",
            name.replace('"', "`"),
            " ".repeat(26),
        );
        check_schema(
            &format!("properties: {{a: {{type: {name}}}}}\ntype: object"),
            expected,
        );
    };
    check(
        "\"string[]\"",
        "write `type: array` and `items: {type: string}`",
    );
    check(
        "\"[str]\"",
        "write `type: array` and `items: {type: string}`",
    );
    check(
        "\"int[][]\"",
        "write `type: array` and `items: {type: array, items: {type: integer}}`",
    );
    check(
        "\"string|integer\"",
        "write `anyOf: [{type: string}, {type: integer}]`",
    );
}
