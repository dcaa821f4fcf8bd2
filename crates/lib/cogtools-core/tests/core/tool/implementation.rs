//! The kinds of implementation of a tool.

use cogtools_test_support::{Snapshot, str};

use crate::support::check_file;

const KINDS_OF_IMPLEMENTATION: [(&str, Snapshot); 12] = [
    (
        "name: x
description: d
implementation: {njk_file: ../a.njk}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:28: `../a.njk` is outside the tool's folder
   |
 3 | implementation: {njk_file: ../a.njk}
   |                            ^^^^^^^^
hint: use a file in the tool's folder, or below it

"#]],
    ),
    (
        "name: x
description: d
implementation: {njk_file: /etc/passwd}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:28: `/etc/passwd` is outside the tool's folder
   |
 3 | implementation: {njk_file: /etc/passwd}
   |                            ^^^^^^^^^^^
hint: use a file in the tool's folder, or below it

"#]],
    ),
    (
        "name: x
description: d
implementation: {njk_file: 5}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:28: `njk_file` takes a path, not 5
   |
 3 | implementation: {njk_file: 5}
   |                            ^
hint: name a file next to the tool, such as `facts.njk`

"#]],
    ),
    (
        r#"name: x
description: d
implementation: {njk_file: ""}
"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:28: `` is outside the tool's folder
   |
 3 | implementation: {njk_file: ""}
   |                            ^^
hint: use a file in the tool's folder, or below it

"#]],
    ),
    (
        "name: x
description: d
implementation: {exec: []}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:24: `exec` takes a list of a program and its arguments, not an empty list
   |
 3 | implementation: {exec: []}
   |                        ^^
hint: write a list such as `[echo, "{{ text }}"]`

"#]],
    ),
    (
        "name: x
description: d
implementation: {exec: ['', -l]}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:25: `exec` takes a program's name as its first element, not blank text
   |
 3 | implementation: {exec: ['', -l]}
   |                         ^^
hint: begin the list with the program, as in `[git, log]`

"#]],
    ),
    (
        "name: x
description: d
implementation: {exec: echo}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:24: `exec` takes a list of a program and its arguments, not a string
   |
 3 | implementation: {exec: echo}
   |                        ^^^^
hint: write a list such as `[echo, "{{ text }}"]`

"#]],
    ),
    (
        "name: x
description: d
implementation: {exec: [echo, 5]}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:31: `exec` takes a list of strings, not 5
   |
 3 | implementation: {exec: [echo, 5]}
   |                               ^
hint: put it in quotes to make it a string

"#]],
    ),
    (
        "name: x
description: d
implementation: {script: echo}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:26: `script` takes text that begins with `#!`, not other text
   |
 3 | implementation: {script: echo}
   |                          ^^^^
hint: begin the script with a line such as `#!/bin/sh`

"#]],
    ),
    (
        "name: x
description: d
implementation: {exe: [a]}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:18: unknown key `exe`
   |
 3 | implementation: {exe: [a]}
   |                  ^^^
hint: did you mean `exec`?

"#]],
    ),
    (
        r##"name: x
description: d
implementation: {exec: [a], script: "#!a"}
"##,
        str![[r##"
error[INVALID_TOOL]: x.yaml:3:1: an implementation needs exactly one of `njk_file`, `js`, `exec`, `script`, `http`, `agent` or `flow`
   |
 3 | implementation: {exec: [a], script: "#!a"}
   | ^^^^^^^^^^^^^^
hint: write a template as text, or a map such as `{exec: [echo, "{{ text }}"]}`

"##]],
    ),
    (
        "name: x
description: d
implementation: {}
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:1: an implementation needs exactly one of `njk_file`, `js`, `exec`, `script`, `http`, `agent` or `flow`
   |
 3 | implementation: {}
   | ^^^^^^^^^^^^^^
hint: write a template as text, or a map such as `{exec: [echo, "{{ text }}"]}`

"#]],
    ),
];

#[test]
fn kinds_of_implementation() {
    for (input, expected) in KINDS_OF_IMPLEMENTATION {
        check_file(input, expected);
    }
}

const UNKNOWN_TEMPLATE_LANGUAGES: [(&str, Snapshot); 8] = [
    (
        "name: x
description: d
implementation: |
  ok
",
        str!["ok"],
    ),
    (
        "name: x
description: d
implementation: | # njk
  ok
",
        str!["ok"],
    ),
    (
        "name: x
description: d
implementation: |- # njk
  ok
",
        str!["ok"],
    ),
    (
        "name: x
description: d
implementation: >- # a longer remark
  ok
",
        str!["ok"],
    ),
    (
        "name: x
description: d
implementation: | # jinja
  ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:21: `jinja` is not a supported template language
   |
 3 | implementation: | # jinja
   |                     ^^^^^
hint: write `implementation: | # njk`

"#]],
    ),
    (
        "name: x
description: d
implementation: |+ #liquid
  ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:21: `liquid` is not a supported template language
   |
 3 | implementation: |+ #liquid
   |                     ^^^^^^
hint: write `implementation: | # njk`

"#]],
    ),
    (
        r#"name: x
description: d
"implementation" :   | # mustache
  ok
"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:26: `mustache` is not a supported template language
   |
 3 | "implementation" :   | # mustache
   |                          ^^^^^^^^
hint: write `implementation: | # njk`

"#]],
    ),
    (
        "name: x
description: d
implementation: |# njk
  ok
",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:18: comments must be separated from other tokens by whitespace
   |
 3 | implementation: |# njk
   |                  ^
hint: put a space before `#`, as in `| # njk`

"#]],
    ),
];

#[test]
fn unknown_template_languages() {
    for (input, expected) in UNKNOWN_TEMPLATE_LANGUAGES {
        check_file(input, expected);
    }
}
