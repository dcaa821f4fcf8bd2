//! Tool files as documents: what of YAML is taken, and what is refused where.

use super::fault::told;

const BASE: &str = "name: x\ndescription: d\nimplementation: ok\n";

/// A file of these lines and the three keys that every tool has.
#[track_caller]
fn extra(lines: &str, expected: &str) {
    whole(format!("{lines}\n{BASE}"), expected);
}

#[track_caller]
fn whole(file: impl Into<Vec<u8>>, expected: &str) {
    let file = file.into();
    let shown = String::from_utf8_lossy(&file).into_owned();
    assert_eq!(told(file), expected, "{shown}");
}

const BYTES_BEFORE_THE_FIRST: [(&str, &str); 5] = [
    (
        "\u{feff}name: x\ndescription: d\nimplementation: ok\n",
        "ok",
    ),
    (
        "#! /usr/bin/env cogtools-yaml
name: x
description: d
implementation: ok
",
        "ok",
    ),
    (
        "%YAML 1.2
---
name: x
description: d
implementation: ok
...
",
        "ok",
    ),
    (
        "name: x\r\ndescription: d\r\nimplementation: |\r\n  ok\r\n",
        "ok",
    ),
    (
        "\u{feff}nam: x\r\ndescription: d\r\nimplementation: ok\r\n",
        "error[INVALID_TOOL]: x.yaml:1:1: unknown key `nam`
   |
 1 | nam: x
   | ^^^
hint: did you mean `name`?
error[INVALID_TOOL]: x.yaml:1:1: `name` is missing
   |
 1 | nam: x
   | ^
hint: add `name: …`
",
    ),
];

#[test]
fn bytes_before_the_first() {
    for (given, expected) in BYTES_BEFORE_THE_FIRST {
        whole(given, expected);
    }
}

const MORE_THAN_ONE_DOCUMENT: [(&str, &str); 2] = [
    (
        "name: x
description: d
implementation: ok
---
name: y
",
        "error[INVALID_TOOL]: x.yaml:4:1: a second document begins here
   |
 4 | ---
   | ^^^
hint: keep one document a file
",
    ),
    (
        "name: x
description: d
implementation: ok
---
",
        "error[INVALID_TOOL]: x.yaml:4:1: a second document begins here
   |
 4 | ---
   | ^^^
hint: keep one document a file
",
    ),
];

#[test]
fn more_than_one_document() {
    for (given, expected) in MORE_THAN_ONE_DOCUMENT {
        whole(given, expected);
    }
}

const ALIASES: [(&str, &str); 4] = [
    (
        "title: &t T
annotations: {read_only: &b true, idempotent: *b}",
        "ok",
    ),
    (
        "title: *t",
        "error[INVALID_TOOL]: x.yaml:1:8: while parsing node, found unknown anchor
   |
 1 | title: *t
   |        ^
hint: put text that begins with `*` in quotes; an alias needs its `&` before it
",
    ),
    (
        "title: &t [*t]",
        "error[INVALID_TOOL]: x.yaml:1:12: this alias contains itself
   |
 1 | title: &t [*t]
   |            ^^
hint: write the value out
",
    ),
    (
        "parameters: &p {a: *p}",
        "error[INVALID_TOOL]: x.yaml:1:20: this alias contains itself
   |
 1 | parameters: &p {a: *p}
   |                    ^^
hint: write the value out
",
    ),
];

#[test]
fn aliases() {
    for (given, expected) in ALIASES {
        extra(given, expected);
    }
}
