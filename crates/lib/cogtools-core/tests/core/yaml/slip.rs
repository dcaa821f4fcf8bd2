//! The commonest slips in tool files: each message says what to write, at the place of the mistake.

use cogtools_test_support::{Snapshot, str};

use crate::support::check_lines;

const SLIPS: [(&str, Snapshot); 24] = [
    (
        "parameters:\n  a: {type: string[][], description: x}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:13: between braces, `string[][]` is no text
   |
 2 |   a: {type: string[][], description: x}
   |             ^^^^^^^^^^
hint: write it in quotes: "string[][]"

"#]],
    ),
    (
        r#"title: "open
description: "d""#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: the text is not closed
   |
 1 | title: "open
   |        ^
hint: write `"` where the text ends

"#]],
    ),
    (
        r#"title: 'open
description: d"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: the text is not closed
   |
 1 | title: 'open
   |        ^
hint: write `'` where the text ends

"#]],
    ),
    (
        r#"parameters:
  a:
    type: string
     description: x"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:6: this line is indented too far
   |
 4 |      description: x
   |      ^^^^^^^^^^^^^^
hint: indent it by 4 spaces, as line 3; deeper, it continues the text of that line

"#]],
    ),
    (
        r#"parameters:
  a:
    type: string
   description: x"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:4: the indentation of this line fits none of the lines above
   |
 4 |    description: x
   |    ^^^^^^^^^^^^^^
hint: indent it by 4 spaces, as line 3, or by 2 spaces, as line 2

"#]],
    ),
    (
        r#" title: a"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: the indentation of this line fits none of the lines above
   |
 2 | name: x
   | ^^^^^^^
hint: indent it by 1 space, as line 1

"#]],
    ),
    (
        r#"parameters: {a: {type: string, enum: [x, y}}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:38: the list is not closed
   |
 1 | parameters: {a: {type: string, enum: [x, y}}
   |                                      ^
hint: write `]` where the list ends

"#]],
    ),
    (
        r#"implementation:
  exec: [echo, "a""#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:9: the list is not closed
   |
 2 |   exec: [echo, "a"
   |         ^
hint: write `]` where the list ends

"#]],
    ),
    (
        r#"examples:
  - a: x
  b: y"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:3: a key stands among the items of a list
   |
 3 |   b: y
   |   ^^^^
hint: begin a new item with `- `; to continue the item, indent by 4 spaces

"#]],
    ),
    (
        r#"parameters:
  a: string
  - b"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:3: an item of a list stands among the keys of a map
   |
 3 |   - b
   |   ^^^
hint: write it as `key: value`, or put a key above the list and indent the list

"#]],
    ),
    (
        r#"title: a
text: |
  b
<<<<<<< HEAD
  c
=======
  d
>>>>>>> other"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:1: a conflict of a merge is not resolved
   |
 4 | <<<<<<< HEAD
   | ^^^^^^^^^^^^
hint: keep what is right of both sides, without `<<<<<<<`, `=======` and `>>>>>>>`

"#]],
    ),
    (
        r#"title: |
Hello."#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: this line is outside the text that begins above
   |
 2 | Hello.
   | ^^^^^^
hint: indent the text deeper than line 1

"#]],
    ),
    (
        r#"title:a"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: `title` has no `: ` after it
   |
 1 | title:a
   | ^^^^^^^
hint: write `title: a`

"#]],
    ),
    (
        r#"title = a"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: `title` has no `: ` after it
   |
 1 | title = a
   | ^^^^^^^^^
hint: write `title: a`

"#]],
    ),
    (
        r#"title: {{ a }}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: a template that begins with `{` is a map for YAML
   |
 1 | title: {{ a }}
   |        ^^
hint: put the whole value in quotes, as in "{{ name }}", or write it under `|`

"#]],
    ),
    (
        r#"title: {% if a %}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:8: a template that begins with `{` is a map for YAML
   |
 1 | title: {% if a %}
   |        ^^
hint: put the whole value in quotes, as in "{{ name }}", or write it under `|`

"#]],
    ),
    (
        r#"inputSchema: {type: object}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `inputSchema`
   |
 1 | inputSchema: {type: object}
   | ^^^^^^^^^^^
hint: write `parameters_schema` for a whole schema, or `parameters` for a map from names

"#]],
    ),
    (
        r#"shell: ls -l"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `shell`
   |
 1 | shell: ls -l
   | ^^^^^
hint: write `implementation: {exec: [sh, -c, "…"]}`, or `script` for several lines

"#]],
    ),
    (
        r#"parameters: {a: {type: boolean, default: yes}}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:42: the default does not match its own schema: expected boolean, got string "yes"
   |
 1 | parameters: {a: {type: boolean, default: yes}}
   |                                          ^^^
hint: write `true`, without quotes: `yes` and `on` are text

"#]],
    ),
    (
        r#"parameters: {a: {type: string, contentEncoding: base64}}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:32: `contentEncoding` is not a keyword of an OpenAPI 3.0 schema
   |
 1 | parameters: {a: {type: string, contentEncoding: base64}}
   |                                ^^^^^^^^^^^^^^^
hint: write `format: byte` for text in base64

"#]],
    ),
    (
        r#"parameters: {a: {type: string, description: first, second}}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:52: `second` is not a keyword of an OpenAPI 3.0 schema
   |
 1 | parameters: {a: {type: string, description: first, second}}
   |                                                    ^^^^^^
hint: put text that contains a comma in quotes

"#]],
    ),
    (
        r#"examples: [{contains: "", arguments: {}}]"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:23: `contains` is empty
   |
 1 | examples: [{contains: "", arguments: {}}]
   |                       ^^
hint: write something under `contains`

"#]],
    ),
    (
        r#"exec: [ls]"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:1: unknown key `exec`
   |
 1 | exec: [ls]
   | ^^^^
hint: move it below `implementation:`

"#]],
    ),
    (
        r#"annotations: {readOnlyHint: true}"#,
        str![[r#"
error[INVALID_TOOL]: x.yaml:1:15: unknown key `readOnlyHint`
   |
 1 | annotations: {readOnlyHint: true}
   |               ^^^^^^^^^^^^
hint: write `read_only`

"#]],
    ),
];

#[test]
fn slips_are_named_where_they_are() {
    for (input, expected) in SLIPS {
        check_lines(input, expected);
    }
}
