//! The keys of a tool file, each with invalid values.

use cogtools_test_support::{Snapshot, str};

use crate::support::check_lines;

const EVERY_KEY_WITH_A_VALID_VALUE: [(&str, Snapshot); 10] = [
    ("title: T", str!["ok"]),
    (
        "$schema: schema:agladysh-research.org,2025/cogtools:tool",
        str!["ok"],
    ),
    (
        "annotations: {read_only: true, destructive: false, idempotent: true, open_world: false}",
        str!["ok"],
    ),
    ("capabilities: [search.web, a-b.c_d.e]", str!["ok"]),
    ("env: [API_KEY, _x1]", str!["ok"]),
    ("timeout: 1.5", str!["ok"]),
    ("examples: []", str!["ok"]),
    ("parameters:", str!["ok"]),
    ("parameters: {}", str!["ok"]),
    ("parameters_schema: {type: object}", str!["ok"]),
];

#[test]
fn every_key_with_a_valid_value() {
    for (input, expected) in EVERY_KEY_WITH_A_VALID_VALUE {
        check_lines(input, expected);
    }
}

const UNKNOWN_KEYS: [(&str, Snapshot); 5] = [
    (
        "desciption: x",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `desciption`
   |
 1 | desciption: x
   | ^^^^^^^^^^
hint: did you mean `description`?

"#]],
    ),
    (
        "Name: x",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `Name`
   |
 1 | Name: x
   | ^^^^
hint: did you mean `name`?

"#]],
    ),
    (
        "parameter: {}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `parameter`
   |
 1 | parameter: {}
   | ^^^^^^^^^
hint: did you mean `parameters` or `parameters_schema`?

"#]],
    ),
    (
        "x: 1
params: {}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `x`
   |
 1 | x: 1
   | ^
error[INVALID_TOOL]: x.yaml:2:1: unknown key `params`
   |
 2 | params: {}
   | ^^^^^^
hint: write `parameters`

"#]],
    ),
    (
        "input_schema: {}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `input_schema`
   |
 1 | input_schema: {}
   | ^^^^^^^^^^^^
hint: write `parameters_schema` for a whole schema, or `parameters` for a map from names

"#]],
    ),
];

#[test]
fn unknown_keys() {
    for (input, expected) in UNKNOWN_KEYS {
        check_lines(input, expected);
    }
}

const VALUES_OF_THE_WRONG_KIND: [(&str, Snapshot); 16] = [
    (
        "title: [a]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: `title` takes a string, not a list
   |
 1 | title: [a]
   |        ^^^
hint: write text, in quotes or under `|`

"#]],
    ),
    (
        "title: 5",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: `title` takes a string, not 5
   |
 1 | title: 5
   |        ^
hint: put it in quotes to make it a string

"#]],
    ),
    (
        r#"title: """#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: `title` is empty
   |
 1 | title: ""
   | ^^^^^
hint: write something under `title`

"#]],
    ),
    (
        "$schema: http://json-schema.org/draft-07/schema#",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:10: `http://json-schema.org/draft-07/schema#` is not the schema of tool files
   |
 1 | $schema: http://json-schema.org/draft-07/schema#
   |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: write `$schema: schema:agladysh-research.org,2025/cogtools:tool`

"#]],
    ),
    (
        "annotations: yes",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:14: `annotations` takes a map of hints, not a string
   |
 1 | annotations: yes
   |              ^^^
hint: write a map such as `{read_only: true}`

"#]],
    ),
    (
        r#"annotations: {read_only: "yes", readonly: true, safe: true}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:26: `read_only` takes true or false, not a string
   |
 1 | annotations: {read_only: "yes", readonly: true, safe: true}
   |                          ^^^^^
hint: write `true` or `false`, without quotes
error[INVALID_TOOL]: x.yaml:1:33: unknown key `readonly`
   |
 1 | annotations: {read_only: "yes", readonly: true, safe: true}
   |                                 ^^^^^^^^
hint: did you mean `read_only`?
error[INVALID_TOOL]: x.yaml:1:49: unknown key `safe`
   |
 1 | annotations: {read_only: "yes", readonly: true, safe: true}
   |                                                 ^^^^

"#]],
    ),
    (
        r#"capabilities: [search, ".x", 5]"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:16: `search` is not a capability
   |
 1 | capabilities: [search, ".x", 5]
   |                ^^^^^^
hint: write it as `provider.operation`, such as `search.web`
error[INVALID_TOOL]: x.yaml:1:24: `.x` is not a capability
   |
 1 | capabilities: [search, ".x", 5]
   |                        ^^^^
hint: write it as `provider.operation`, such as `search.web`
error[INVALID_TOOL]: x.yaml:1:30: `capabilities` takes a list of names, not 5
   |
 1 | capabilities: [search, ".x", 5]
   |                              ^
hint: write a list of strings, as in `[one, two]`

"#]],
    ),
    (
        "env: API_KEY",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:6: `env` takes a list of names, not a string
   |
 1 | env: API_KEY
   |      ^^^^^^^
hint: write a list of strings, as in `[one, two]`

"#]],
    ),
    (
        r#"env: ["1A", A-B, 5]"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `1A` is not a valid environment variable name
   |
 1 | env: ["1A", A-B, 5]
   |       ^^^^
hint: use letters, digits and underscores, as in `API_KEY`
error[INVALID_TOOL]: x.yaml:1:13: `A-B` is not a valid environment variable name
   |
 1 | env: ["1A", A-B, 5]
   |             ^^^
hint: use letters, digits and underscores, as in `API_KEY`
error[INVALID_TOOL]: x.yaml:1:18: `env` takes a list of names, not 5
   |
 1 | env: ["1A", A-B, 5]
   |                  ^
hint: write a list of strings, as in `[one, two]`

"#]],
    ),
    (
        "timeout: 0",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:10: `timeout` takes a number of seconds greater than 0, not 0
   |
 1 | timeout: 0
   |          ^
hint: write seconds as a number, such as `timeout: 60`

"#]],
    ),
    (
        "timeout: 60s",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:10: `timeout` takes a number of seconds greater than 0, not a string
   |
 1 | timeout: 60s
   |          ^^^
hint: write seconds as a number, such as `timeout: 60`

"#]],
    ),
    (
        "timeout: 1e300",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:10: `timeout` takes a number of seconds greater than 0, not 1e+300
   |
 1 | timeout: 1e300
   |          ^^^^^
hint: write seconds as a number, such as `timeout: 60`

"#]],
    ),
    (
        "examples: {a: 1}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:11: `examples` takes a list of argument maps, not a map
   |
 1 | examples: {a: 1}
   |           ^^^^^^
hint: write a list of maps, each with the arguments of a call

"#]],
    ),
    (
        "examples: [1, {}]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:12: `examples` takes a list of argument maps, not 1
   |
 1 | examples: [1, {}]
   |            ^
hint: write a list of maps, each with the arguments of a call

"#]],
    ),
    (
        "parameters: [a]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:13: `parameters` is a map from names to entries, not a list
   |
 1 | parameters: [a]
   |             ^^^
hint: write one entry per parameter, such as `city: {type: string, description: …}`

"#]],
    ),
    (
        "parameters: {}
parameters_schema: {type: object}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: `parameters_schema` cannot be combined with `parameters`
   |
 2 | parameters_schema: {type: object}
   | ^^^^^^^^^^^^^^^^^
hint: remove one of the two

"#]],
    ),
];

#[test]
fn values_of_the_wrong_kind() {
    for (input, expected) in VALUES_OF_THE_WRONG_KIND {
        check_lines(input, expected);
    }
}
