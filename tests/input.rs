//! Unexpected input: a clear error or the right answer, never a panic or a hang.

use std::time::{Duration, Instant};

use cogtools_test_support::{Expected, Outcome, Stdin, str};

use crate::{project_with, run};

const ECHO: &str = "name: echo\ndescription: d\nparameters:\n  text: {type: string, optional: true}\n\
                    implementation: \"<{{ text }}>\"\n";

fn call(args: &[&str], stdin: impl Into<Stdin>) -> Outcome {
    let project = project_with("echo", ECHO);
    run("cogtools-call", &project).args(args).stdin(stdin).run()
}

/// The error of `cogtools-call echo` for arguments that are not a JSON object.
#[track_caller]
fn refused(stdin: impl Into<Stdin>, stderr: impl Into<Expected>) {
    call(&["echo"], stdin).fails(65, stderr);
}

#[test]
fn names_that_no_tool_can_have() {
    let long = "n".repeat(1_000);
    for (name, stderr) in [
        (
            "../echo",
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: ../echo: invalid tool name: a name must begin with a letter from a to z or an underscore, not with '.'
hint: cogtools-discover lists all tools

"#]],
        ),
        (
            "/etc/passwd",
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: /etc/passwd: invalid tool name: a name must begin with a letter from a to z or an underscore, not with '/'
hint: cogtools-discover lists all tools

"#]],
        ),
        (
            "echo/../echo",
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: echo/../echo: invalid tool name: a name may only contain letters from a to z, digits, `_` and `-`, not '/'
hint: cogtools-discover lists all tools

"#]],
        ),
        (
            "echo.yaml",
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: echo.yaml: invalid tool name: a name may only contain letters from a to z, digits, `_` and `-`, not '.'
hint: a tool is called by its name: echo

"#]],
        ),
        (
            "ec\nho",
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: ec\nho: invalid tool name: a name may only contain letters from a to z, digits, `_` and `-`, not '\n'
hint: cogtools-discover lists all tools

"#]],
        ),
        (
            "écho",
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: écho: invalid tool name: a name must begin with a letter from a to z or an underscore, not with 'é'
hint: cogtools-discover lists all tools

"#]],
        ),
        (
            "",
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: invalid tool name: a name cannot be empty
hint: cogtools-discover lists all tools

"#]],
        ),
        (
            &long,
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…: invalid tool name: a name has at most 47 characters, not 1000
hint: cogtools-discover lists all tools

"#]],
        ),
    ] {
        call(&[name], "{}").fails(127, stderr);
    }
}

#[test]
fn names_that_no_tool_has() {
    call(&["nothing"], "{}").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: nothing: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
    call(&["discovered_tool_echo"], "{}").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: discovered_tool_echo: no such tool
hint: did you mean `echo`?
hint: cogtools-discover lists all tools

"#]],
    );
}

#[test]
fn every_failure_drains_its_input() {
    let much = vec![b' '; 2_000_000];
    call(&["nothing"], much.clone()).reads_all_input();
    call(&["../x"], much.clone()).reads_all_input();
    call(&["--nonsense"], much.clone()).reads_all_input();
    call(&[], much).reads_all_input();
}

#[test]
fn no_arguments_at_all() {
    for stdin in [
        Stdin::Null,
        Stdin::Closed,
        Stdin::Bytes(Vec::new()),
        Stdin::Bytes(b" \r\n\t ".to_vec()),
        Stdin::Bytes(b"{}".to_vec()),
        Stdin::Bytes(b"\xef\xbb\xbf{}".to_vec()),
    ] {
        call(&["echo"], stdin).outputs(str!["<>"]);
    }
    for stdin in ["", "# nothing\n", "---\n", "~"] {
        call(&["--yaml", "echo"], stdin).outputs(str!["<>"]);
    }
}

#[test]
fn terminal_gets_a_hint() {
    call(&["echo"], Stdin::Terminal).fails(
        2,
        str![[r#"
cogtools-call: error[USAGE]: echo: the arguments are read from standard input, which is a terminal here
hint: echo '{}' | cogtools-call echo
hint: cogtools-call echo < arguments.json

"#]],
    );
}

#[test]
fn open_input_is_not_awaited_forever() {
    let start = Instant::now();
    call(&["nothing"], Stdin::Open).fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: nothing: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "it waited for the end"
    );
}

#[test]
fn every_caller_reports_the_same_oversized_result() {
    let project = project_with("echo", ECHO);
    let client = run("cogtools-mcp-client", &project);
    let client = client.args(["call", "t", "--server", "{\"command\": [\"x\"]}"]);
    client.stdin(vec![b' '; 17 << 20]).run().fails(
        65,
        str![[r#"
cogtools-mcp-client: error[INVALID_ARGUMENTS_SYNTAX]: t: the arguments are larger than 16 MiB
hint: pass the name of a file instead of its content

"#]],
    );
}

#[test]
fn too_much_input_is_read_and_rejected() {
    let mut much = b"{\"text\": \"".to_vec();
    much.resize(50_000_000, b'x');
    much.extend_from_slice(b"\"}");
    call(&["echo"], much)
        .fails(
            65,
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments are larger than 16 MiB
hint: pass the name of a file instead of its content

"#]],
        )
        .reads_all_input();
    let text = "x".repeat(1_000_000);
    call(&["echo"], format!("{{\"text\": \"{text}\"}}")).outputs(format!("<{text}>"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "most of them are expected text")]
fn what_is_not_json() {
    for (text, stderr) in [
        (
            "{",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:2: not valid JSON: EOF while parsing an object
   |
 1 | {
   |  ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{\"text\": NaN}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:10: not valid JSON: expected value
   |
 1 | {"text": NaN}
   |          ^
hint: cogtools json repairs it; cogtools-call --yaml echo reads it as YAML
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{\"text\": Infinity}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:10: not valid JSON: expected value
   |
 1 | {"text": Infinity}
   |          ^
hint: cogtools json repairs it; cogtools-call --yaml echo reads it as YAML
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{\"text\": 1e999}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:14: not valid JSON: number out of range
   |
 1 | {"text": 1e999}
   |              ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{\"text\": \"a\",}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:14: not valid JSON: trailing comma
   |
 1 | {"text": "a",}
   |              ^
hint: cogtools json repairs it; cogtools-call --yaml echo reads it as YAML
hint: remove the comma before the closing bracket

"#]],
        ),
        (
            "{\"text\": \"a\"} x",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:15: not valid JSON: trailing characters
   |
 1 | {"text": "a"} x
   |               ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{'text': 1}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:2: not valid JSON: key must be a string
   |
 1 | {'text': 1}
   |  ^
hint: cogtools json repairs it; cogtools-call --yaml echo reads it as YAML
hint: write keys and text in double quotes

"#]],
        ),
        (
            "{\"täxt\": \"ä\" \"b\"}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:14: not valid JSON: expected `,` or `}`
   |
 1 | {"täxt": "ä" "b"}
   |              ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{\"text\": \"a\", \"text\": \"b\"}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:20: not valid JSON: duplicate key `text`
   |
 1 | {"text": "a", "text": "b"}
   |                    ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{\"text\": {\"a\": 1, \"\\u0061\": 2}}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:26: not valid JSON: duplicate key `a`
   |
 1 | {"text": {"a": 1, "\u0061": 2}}
   |                          ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "{\"text\": \"\\ud800\"}",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:17: not valid JSON: unexpected end of hex escape
   |
 1 | {"text": "\ud800"}
   |                 ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
        (
            "text: a",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:2: not valid JSON: expected ident
   |
 1 | text: a
   |  ^
hint: this is YAML, which cogtools-call --yaml echo reads
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
        ),
    ] {
        refused(text, stderr);
    }
    refused(
        "{\n\t\"text\": \n}",
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:3:1: not valid JSON: expected value
   |
 3 | }
   | ^
hint: cogtools json repairs it; cogtools-call --yaml echo reads it as YAML
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
    );
}

#[test]
fn json_that_is_not_an_object() {
    for (text, stderr) in [
        (
            "[{\"text\": \"a\"}]",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments must be one object, not an array
hint: send one object with a key per parameter, such as {"name": "value"}

"#]],
        ),
        (
            "\"text\"",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments must be one object, not a string
hint: send one object with a key per parameter, such as {"name": "value"}

"#]],
        ),
        (
            "12",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments must be one object, not a number
hint: send one object with a key per parameter, such as {"name": "value"}

"#]],
        ),
        (
            "true",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments must be one object, not a boolean
hint: send one object with a key per parameter, such as {"name": "value"}

"#]],
        ),
        (
            "null",
            str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments must be one object, not null
hint: send one object with a key per parameter, such as {"name": "value"}

"#]],
        ),
    ] {
        refused(text, stderr);
    }
}

#[test]
fn what_is_no_text() {
    refused(
        b"{\"text\": \"\xff\"}",
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments are not UTF-8: byte 10 does not begin a character
hint: send the arguments as UTF-8

"#]],
    );
    refused(
        b"{\"text\": \"\xc3",
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments are not UTF-8: byte 10 does not begin a character
hint: send the arguments as UTF-8

"#]],
    );
    refused(
        b"\xff\xfe{\0}\0",
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: echo: the arguments are not UTF-8: byte 0 does not begin a character
hint: send the arguments as UTF-8

"#]],
    );
}

#[test]
fn endless_nesting() {
    refused(
        "[".repeat(100_000),
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:128: more than 127 levels of nesting
   |
 1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
   |                                                             ^
hint: send less data, or nest it less deeply

"#]],
    );
    refused(
        "{\"a\":".repeat(100_000),
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:636: more than 127 levels of nesting
   |
 1 | {"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{
   |                                                             ^
hint: send less data, or nest it less deeply

"#]],
    );
    call(&["--yaml", "echo"], "[".repeat(100_000)).fails(65, str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:256: not valid YAML: more than 64 levels of nesting
   |
 1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
   |                                                             ^
hint: simplify the document
hint: send one YAML mapping on standard input, such as `name: value`

"#]]);
}

#[test]
fn values_without_end() {
    refused(
        format!("{{\"text\": [{}1]}}", "1,".repeat(1_500_000)),
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:2000006: more than 1000000 values
   |
 1 | ,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,
   |                                                             ^
hint: send less data, or nest it less deeply

"#]],
    );
}

#[test]
fn many_wrong_values_are_cheap() {
    let project = project_with(
        "sum",
        "name: sum\ndescription: d\nparameters: {all: 'string[]'}\nimplementation: x\n",
    );
    let items = vec!["1"; 500_000].join(",");
    let outcome = run("cogtools-call", &project)
        .arg("sum")
        .stdin(format!("{{\"all\": [{items}]}}"))
        .limit(Duration::from_mins(1))
        .run();
    let expected: Vec<String> = (0..50)
        .map(|at| {
            format!(
                "cogtools-call: error[SCHEMA_VIOLATION]: sum: /all/{at}: expected string, got number 1\n\
                 hint: send item {at} of all (string)\n"
            )
        })
        .collect();
    outcome.fails(
        65,
        expected.concat() + "hint: there are more: only the first 50 are shown\n",
    );
}

#[test]
fn a_comma_ends_a_text_without_quotes() {
    let tool = "name: t\ndescription: d\nparameters:\n  p:\n    properties: {a: string}\nimplementation: x\n";
    let project = project_with("t", tool);
    run("cogtools-call", &project)
        .args(["--yaml", "t"])
        .stdin("p: {a: one, two}\n")
        .run()
        .fails(
            65,
            str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: t: /p/two: not a parameter of this tool
hint: the parameters are `a`
hint: if it is the rest of a text with a comma, put that in quotes

"#]],
        );
}
