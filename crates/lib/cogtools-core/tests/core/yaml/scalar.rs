//! Values that YAML has and JSON has not, and values on which its readers disagree.

use cogtools_test_support::{Snapshot, str};

use crate::support::check_lines;

const DUPLICATE_KEYS: [(&str, Snapshot); 4] = [
    (
        "title: a
title: b",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: duplicate key `title`, first used on line 1
   |
 2 | title: b
   | ^^^^^
hint: remove or rename one of the two

"#]],
    ),
    (
        "parameters:
  a: {type: string, description: d, type: string}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:37: duplicate key `type`, first used on line 2
   |
 2 |   a: {type: string, description: d, type: string}
   |                                     ^^^^
hint: remove or rename one of the two

"#]],
    ),
    (
        r#"parameters: {ä: string, "\u00e4": string}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:25: duplicate key `ä`, first used on line 1
   |
 1 | parameters: {ä: string, "\u00e4": string}
   |                         ^^^^^^^^
hint: remove or rename one of the two

"#]],
    ),
    (
        "annotations:
  k0: 1
  k1: 1
  k2: 1
  k3: 1
  k4: 1
  k5: 1
  k6: 1
  k7: 1
  k8: 1
  k9: 1
  k10: 1
  k11: 1
  k12: 1
  k13: 1
  k14: 1
  k15: 1
  k16: 1
  k17: 1
  k17: 2",
        str![[r#"
error[INVALID_TOOL]: x.yaml:20:3: duplicate key `k17`, first used on line 19
    |
 20 |   k17: 2
    |   ^^^
hint: remove or rename one of the two

"#]],
    ),
];

#[test]
fn duplicate_keys() {
    for (input, expected) in DUPLICATE_KEYS {
        check_lines(input, expected);
    }
}

const YAML_WITHOUT_A_JSON_FORM: [(&str, Snapshot); 10] = [
    (
        "title: !!set {}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: tags such as `!!set` are not supported
   |
 1 | title: !!set {}
   |        ^^^^^
hint: leave the tag out; put the value in quotes to make it a string

"#]],
    ),
    (
        "title: !own x",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: tags such as `!own` are not supported
   |
 1 | title: !own x
   |        ^^^^
hint: leave the tag out; put the value in quotes to make it a string

"#]],
    ),
    (
        "parameters: {<<: {a: string}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:14: `<<` merges are not supported
   |
 1 | parameters: {<<: {a: string}}
   |              ^^
hint: write the keys out, or use an alias for a whole value

"#]],
    ),
    (
        "parameters: {1: string}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:14: a key must be a string
   |
 1 | parameters: {1: string}
   |              ^
hint: put it in quotes

"#]],
    ),
    (
        "parameters: {[a]: string}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:14: a key must be a string
   |
 1 | parameters: {[a]: string}
   |              ^
hint: put it in quotes

"#]],
    ),
    (
        "parameters: {? {a: b} : string}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:16: a key must be a string
   |
 1 | parameters: {? {a: b} : string}
   |                ^
hint: put it in quotes

"#]],
    ),
    (
        "parameters: {true: string}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:14: a key must be a string
   |
 1 | parameters: {true: string}
   |              ^^^^
hint: put it in quotes

"#]],
    ),
    (
        "title: .inf",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: `.inf` cannot be represented in JSON
   |
 1 | title: .inf
   |        ^^^^
hint: put it in quotes to make it a string

"#]],
    ),
    (
        "timeout: 017",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:10: `017` is octal for some YAML parsers and decimal for others
   |
 1 | timeout: 017
   |          ^^^
hint: write 17, 0o17 or "017"

"#]],
    ),
    (
        "timeout: 99999999999999999999",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:10: `99999999999999999999` does not fit in 64 bits
   |
 1 | timeout: 99999999999999999999
   |          ^^^^^^^^^^^^^^^^^^^^
hint: put it in quotes to make it a string

"#]],
    ),
];

#[test]
fn yaml_without_a_json_form() {
    for (input, expected) in YAML_WITHOUT_A_JSON_FORM {
        check_lines(input, expected);
    }
}

const YAML_1_1_SPELLINGS: [(&str, Snapshot); 3] = [
    (
        "timeout: 1_000",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:10: `timeout` takes a number of seconds greater than 0, not a string
   |
 1 | timeout: 1_000
   |          ^^^^^
hint: write seconds as a number, such as `timeout: 60`

"#]],
    ),
    (
        "annotations: {read_only: yes}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:26: `read_only` takes true or false, not a string
   |
 1 | annotations: {read_only: yes}
   |                          ^^^
hint: write `true` or `false`, without quotes

"#]],
    ),
    ("annotations: {read_only: True}", str!["ok"]),
];

#[test]
fn yaml_1_1_spellings() {
    for (input, expected) in YAML_1_1_SPELLINGS {
        check_lines(input, expected);
    }
}
