//! Tool files as documents: what of YAML is taken, and what is refused where.

use cogtools_test_support::{Snapshot, str};

use super::diagnostic::{check_file, check_lines};

const BYTES_BEFORE_THE_FIRST: [(&str, Snapshot); 5] = [
    (
        "\u{feff}name: x\ndescription: d\nimplementation: ok\n",
        str!["ok"],
    ),
    (
        "#! /usr/bin/env cogtools-yaml
name: x
description: d
implementation: ok
",
        str!["ok"],
    ),
    (
        "%YAML 1.2
---
name: x
description: d
implementation: ok
...
",
        str!["ok"],
    ),
    (
        "name: x\r\ndescription: d\r\nimplementation: |\r\n  ok\r\n",
        str!["ok"],
    ),
    (
        "\u{feff}nam: x\r\ndescription: d\r\nimplementation: ok\r\n",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `nam`
   |
 1 | nam: x
   | ^^^
hint: did you mean `name`?
error[INVALID_TOOL]: x.yaml:1:1: `name` is missing
   |
 1 | nam: x
   | ^
hint: add `name: …`

"#]],
    ),
];

#[test]
fn bytes_before_the_first() {
    for (given, expected) in BYTES_BEFORE_THE_FIRST {
        check_file(given, expected);
    }
}

const MORE_THAN_ONE_DOCUMENT: [(&str, Snapshot); 2] = [
    (
        "name: x
description: d
implementation: ok
---
name: y
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:1: a second document begins here
   |
 4 | ---
   | ^^^
hint: write one document per file

"#]],
    ),
    (
        "name: x
description: d
implementation: ok
---
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:1: a second document begins here
   |
 4 | ---
   | ^^^
hint: write one document per file

"#]],
    ),
];

#[test]
fn more_than_one_document() {
    for (given, expected) in MORE_THAN_ONE_DOCUMENT {
        check_file(given, expected);
    }
}

const ALIASES: [(&str, Snapshot); 4] = [
    (
        "title: &t T
annotations: {read_only: &b true, idempotent: *b}",
        str!["ok"],
    ),
    (
        "title: *t",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: while parsing node, found unknown anchor
   |
 1 | title: *t
   |        ^
hint: put text that begins with `*` in quotes; an alias needs its `&` before it

"#]],
    ),
    (
        "title: &t [*t]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:12: this alias contains itself
   |
 1 | title: &t [*t]
   |            ^^
hint: write the value out

"#]],
    ),
    (
        "parameters: &p {a: *p}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:20: this alias contains itself
   |
 1 | parameters: &p {a: *p}
   |                    ^^
hint: write the value out

"#]],
    ),
];

#[test]
fn aliases() {
    for (given, expected) in ALIASES {
        check_lines(given, expected);
    }
}
