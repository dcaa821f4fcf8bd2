//! The required keys of a tool file.

use cogtools_test_support::{Snapshot, str};

use crate::support::check_file;

const REQUIRED_KEYS: [(&str, Snapshot); 7] = [
    (
        "{}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: `name` is missing
   |
 1 | {}
   | ^
hint: add `name: …`
error[INVALID_TOOL]: x.yaml:1:1: `description` is missing
   |
 1 | {}
   | ^
hint: add `description: …`
error[INVALID_TOOL]: x.yaml:1:1: `implementation` is missing
   |
 1 | {}
   | ^
hint: add `implementation: …`

"#]],
    ),
    (
        "name: x
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: `description` is missing
   |
 1 | name: x
   | ^
hint: add `description: …`
error[INVALID_TOOL]: x.yaml:1:1: `implementation` is missing
   |
 1 | name: x
   | ^
hint: add `implementation: …`

"#]],
    ),
    (
        "",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: a tool file is a map of keys, not nothing
   |
 1 | 
   | ^
hint: begin with `name: …`

"#]],
    ),
    (
        "# only a comment
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: a tool file is a map of keys, not nothing
   |
 1 | # only a comment
   | ^
hint: begin with `name: …`

"#]],
    ),
    (
        "just text
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: a tool file is a map of keys, not a string
   |
 1 | just text
   | ^^^^^^^^^
hint: begin with `name: …`

"#]],
    ),
    (
        "- a
- b
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: a tool file is a map of keys, not a list
   |
 1 | - a
   | ^^^
hint: begin with `name: …`

"#]],
    ),
    (
        "5
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: a tool file is a map of keys, not a number
   |
 1 | 5
   | ^
hint: begin with `name: …`

"#]],
    ),
];

#[test]
fn required_keys() {
    for (input, expected) in REQUIRED_KEYS {
        check_file(input, expected);
    }
}

const INVALID_NAMES: [(&str, Snapshot); 7] = [
    (
        "name: a.b
description: d
implementation: ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `a.b` is not a tool's name: a name may only contain letters from a to z, digits, `_` and `-`, not '.'
   |
 1 | name: a.b
   |       ^^^
hint: use a name that every host accepts, such as `check_facts`

"#]],
    ),
    (
        "name: 1a
description: d
implementation: ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `1a` is not a tool's name: a name must begin with a letter from a to z or an underscore, not with '1'
   |
 1 | name: 1a
   |       ^^
hint: use a name that every host accepts, such as `check_facts`

"#]],
    ),
    (
        "name: 5
description: d
implementation: ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `name` takes a string, not 5
   |
 1 | name: 5
   |       ^
hint: put it in quotes to make it a string

"#]],
    ),
    (
        r#"name: ""
description: d
implementation: ok
"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `` is not a tool's name: a name cannot be empty
   |
 1 | name: ""
   |       ^^
hint: use a name that every host accepts, such as `check_facts`

"#]],
    ),
    (
        r#"name: "a b"
description: d
implementation: ok
"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `a b` is not a tool's name: a name may only contain letters from a to z, digits, `_` and `-`, not ' '
   |
 1 | name: "a b"
   |       ^^^^^
hint: use a name that every host accepts, such as `check_facts`

"#]],
    ),
    (
        "name: discovered:x
description: d
implementation: ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `discovered:x` is not a tool's name: a name may only contain letters from a to z, digits, `_` and `-`, not ':'
   |
 1 | name: discovered:x
   |       ^^^^^^^^^^^^
hint: use a name that every host accepts, such as `check_facts`

"#]],
    ),
    (
        "name: [a]
description: d
implementation: ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:7: `name` takes a string, not a list
   |
 1 | name: [a]
   |       ^^^
hint: write text, in quotes or under `|`

"#]],
    ),
];

#[test]
fn invalid_names() {
    for (input, expected) in INVALID_NAMES {
        check_file(input, expected);
    }
}

const INVALID_DESCRIPTIONS_AND_IMPLEMENTATIONS: [(&str, Snapshot); 4] = [
    (
        "name: x
description:
implementation:
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: `description` is empty
   |
 2 | description:
   | ^^^^^^^^^^^
hint: write something under `description`
error[INVALID_TOOL]: x.yaml:3:1: `implementation` is empty
   |
 3 | implementation:
   | ^^^^^^^^^^^^^^
hint: write something under `implementation`

"#]],
    ),
    (
        r#"name: x
description: "  "
implementation: "\n"
"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: `description` is empty
   |
 2 | description: "  "
   | ^^^^^^^^^^^
hint: write something under `description`
error[INVALID_TOOL]: x.yaml:3:1: `implementation` is empty
   |
 3 | implementation: "\n"
   | ^^^^^^^^^^^^^^
hint: write something under `implementation`

"#]],
    ),
    (
        "name: x
description: true
implementation: true
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:14: `description` takes a string, not a boolean
   |
 2 | description: true
   |              ^^^^
hint: put it in quotes to make it a string
error[INVALID_TOOL]: x.yaml:3:17: `implementation` takes a template or a map, not a boolean
   |
 3 | implementation: true
   |                 ^^^^
hint: put it in quotes to make it a string

"#]],
    ),
    (
        "name: x
description: {a: b}
implementation: [a]
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:14: `description` takes a string, not a map
   |
 2 | description: {a: b}
   |              ^^^^^^
hint: write text, in quotes or under `|`
error[INVALID_TOOL]: x.yaml:3:17: `implementation` takes a template or a map, not a list
   |
 3 | implementation: [a]
   |                 ^^^
hint: write the template under `implementation: | # njk`

"#]],
    ),
];

#[test]
fn invalid_descriptions_and_implementations() {
    for (input, expected) in INVALID_DESCRIPTIONS_AND_IMPLEMENTATIONS {
        check_file(input, expected);
    }
}
