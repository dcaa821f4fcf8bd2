//! Syntax errors: the message of the parser, the location and a hint.

use cogtools_test_support::{Snapshot, str};

use crate::support::check_lines;

const SYNTAX_ERRORS_HAVE_HINTS: [(&str, Snapshot); 15] = [
    (
        r#"title: "open"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: the text is not closed
   |
 1 | title: "open
   |        ^
hint: write `"` where the text ends

"#]],
    ),
    (
        "title: a: b",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:9: `: ` stands in text without quotes
   |
 1 | title: a: b
   |         ^
hint: put text that contains `: ` in quotes, or write it under `|`

"#]],
    ),
    (
        "title: [a",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: the list is not closed
   |
 1 | title: [a
   |        ^
hint: write `]` where the list ends

"#]],
    ),
    (r#"title: a]b, "c" d"#, str!["ok"]),
    (
        "annotations:\n\tread_only: true",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:2: this line is indented with a tab
   |
 2 | ·read_only: true
   |  ^
hint: indent it with spaces

"#]],
    ),
    (
        "title: a\n\tdescription: d",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: this line is indented with a tab
   |
 2 | ·description: d
   | ^
hint: indent it with spaces

"#]],
    ),
    (
        "title: @a",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: unexpected character: `@'
   |
 1 | title: @a
   |        ^
hint: put text that begins with a special character in quotes

"#]],
    ),
    (
        "title: `a`",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: unexpected character: ``'
   |
 1 | title: `a`
   |        ^
hint: put text that begins with a special character in quotes

"#]],
    ),
    (
        "title: %a",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: unexpected character: `%'
   |
 1 | title: %a
   |        ^
hint: put text that begins with a special character in quotes

"#]],
    ),
    (
        "  title: a",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: the indentation of this line fits none of the lines above
   |
 2 | name: x
   | ^^^^^^^
hint: indent it by 2 spaces, as line 1

"#]],
    ),
    (
        "title: |
 a
  b
c",
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:1: this line is outside the text that begins above
   |
 4 | c
   | ^
hint: indent the text deeper than line 1

"#]],
    ),
    (
        r#""a" "b": c"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:5: invalid trailing content after double-quoted scalar
   |
 1 | "a" "b": c
   |     ^
hint: write `\"` for a quote inside double quotes

"#]],
    ),
    (
        "title: 'it's'",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:12: invalid trailing content after single-quoted scalar
   |
 1 | title: 'it's'
   |            ^
hint: write `''` for a quote inside single quotes

"#]],
    ),
    (
        r#"title: "\q""#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: while parsing a quoted scalar, found unknown escape character
   |
 1 | title: "\q"
   |        ^
hint: write `\\` for a backslash, or use single quotes

"#]],
    ),
    (
        "title: ",
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: unexpected character: `\u{1}'
   |
 1 | title: ·
   |        ^
hint: put text that begins with a special character in quotes

"#]],
    ),
];

#[test]
fn syntax_errors_have_hints() {
    for (input, expected) in SYNTAX_ERRORS_HAVE_HINTS {
        check_lines(input, expected);
    }
}

const COLUMNS_AFTER_WIDE_CHARACTERS: [(&str, Snapshot); 3] = [
    (
        r#"title: {日本: "ü😀", typo: 1}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: `title` takes a string, not a map
   |
 1 | title: {日本: "ü😀", typo: 1}
   |        ^^^^^^^^^^^^^^^^^^^
hint: write text, in quotes or under `|`

"#]],
    ),
    (
        r#""тест": [ä, *é]"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:13: while parsing node, found unknown anchor
   |
 1 | "тест": [ä, *é]
   |             ^
hint: put text that begins with `*` in quotes; an alias needs its `&` before it

"#]],
    ),
    (
        r#"parameters: {"ключ": {type: "строка"}}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:29: `строка` is not a type
   |
 1 | parameters: {"ключ": {type: "строка"}}
   |                             ^^^^^^^^
hint: the types are string, integer, number, boolean, array and object

"#]],
    ),
];

#[test]
fn columns_after_wide_characters() {
    for (input, expected) in COLUMNS_AFTER_WIDE_CHARACTERS {
        check_lines(input, expected);
    }
}
