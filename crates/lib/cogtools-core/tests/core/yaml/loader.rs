//! Tool files as documents: the parts of YAML that are accepted or rejected.

use cogtools_test_support::{Snapshot, str};

use crate::support::{check_file, check_lines};

const BYTE_ORDER_MARKS_AND_PROLOGUES: [(&str, Snapshot); 5] = [
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
fn byte_order_marks_and_prologues() {
    for (input, expected) in BYTE_ORDER_MARKS_AND_PROLOGUES {
        check_file(input, expected);
    }
}

const A_SECOND_DOCUMENT_IS_AN_ERROR: [(&str, Snapshot); 2] = [
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
fn a_second_document_is_an_error() {
    for (input, expected) in A_SECOND_DOCUMENT_IS_AN_ERROR {
        check_file(input, expected);
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
    for (input, expected) in ALIASES {
        check_lines(input, expected);
    }
}
