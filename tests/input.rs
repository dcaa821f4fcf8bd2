//! Input that is not what a program hopes for: each ends with a clear error or
//! the right answer, never with a panic, never with a program that hangs.

use std::time::{Duration, Instant};

use cogtools_test_support::{Outcome, Stdin, str};

use crate::{project_with, run};

const ECHO: &str = "name: echo\ndescription: d\nparameters:\n  text: {type: string, optional: true}\n\
                    implementation: \"<{{ text }}>\"\n";
const LIST: &str = "hint: cogtools-discover prints the tools there are\n";
const LESS: &str = "hint: send less at once, and nest it less deeply\n";
const SEND: &str = "hint: send one JSON object on standard input, such as {\"name\": \"value\"}\n";

fn call(args: &[&str], stdin: impl Into<Stdin>) -> Outcome {
    let project = project_with("echo", ECHO);
    run("cogtools-call", &project).args(args).stdin(stdin).run()
}

/// What `cogtools-call echo` says of arguments that are no JSON object.
#[track_caller]
fn refused(stdin: impl Into<Stdin>, message: &str) {
    call(&["echo"], stdin).fails(
        65,
        format!("cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: {message}"),
    );
}

#[test]
fn names_that_no_tool_can_have() {
    let start =
        |c: &str| format!("a name begins with a letter from a to z or an underscore, not with {c}");
    let inside =
        |c: &str| format!("a name holds letters from a to z, digits, `_` and `-`, not {c}");
    let long = "n".repeat(1_000);
    for (name, shown, cause) in [
        ("../echo", "../echo: ", start("'.'")),
        ("/etc/passwd", "/etc/passwd: ", start("'/'")),
        ("echo/../echo", "echo/../echo: ", inside("'/'")),
        ("echo.yaml", "echo.yaml: ", inside("'.'")),
        ("ec\nho", "ec\\nho: ", inside("'\\n'")),
        ("écho", "écho: ", start("'é'")),
        ("", "", "a name cannot be empty".to_owned()),
        (
            &long,
            &format!("{}…: ", &long[..64]),
            "a name has at most 47 characters, this one has 1000".to_owned(),
        ),
    ] {
        call(&[name], "{}").fails(
            127,
            format!(
                "cogtools-call: error[TOOL_NOT_FOUND]: {shown}not the name of a tool: {cause}\n{LIST}"
            ),
        );
    }
}

#[test]
fn names_that_no_tool_has() {
    let absent = "no tool of that name is here\n";
    call(&["nothing"], "{}").fails(
        127,
        format!("cogtools-call: error[TOOL_NOT_FOUND]: nothing: {absent}{LIST}"),
    );
    call(&["discovered_tool_echo"], "{}").fails(
        127,
        format!(
            "cogtools-call: error[TOOL_NOT_FOUND]: discovered_tool_echo: {absent}\
             hint: did you mean `echo`?\n{LIST}"
        ),
    );
}

#[test]
fn every_failure_drains_its_input() {
    let much = vec![b' '; 2_000_000];
    call(&["nothing"], much.clone()).takes_input();
    call(&["../x"], much.clone()).takes_input();
    call(&["--nonsense"], much.clone()).takes_input();
    call(&[], much).takes_input();
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
cogtools-call: error[USAGE]: echo: the arguments come on standard input, which is a terminal here
hint: echo '{}' | cogtools-call echo
hint: cogtools-call echo < arguments.json

"#]],
    );
}

#[test]
fn open_input_is_not_waited_for_in_vain() {
    let start = Instant::now();
    call(&["nothing"], Stdin::Open).fails(
        127,
        format!(
            "cogtools-call: error[TOOL_NOT_FOUND]: nothing: no tool of that name is here\n{LIST}"
        ),
    );
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "it waited for the end"
    );
}

#[test]
fn whoever_asks_a_server_says_the_same_of_too_much() {
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
fn too_much_input_is_read_and_refused() {
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
        .takes_input();
    let text = "x".repeat(1_000_000);
    call(&["echo"], format!("{{\"text\": \"{text}\"}}")).outputs(format!("<{text}>"));
}

#[test]
fn what_is_not_json() {
    let excerpt =
        |line: &str, caret: usize| format!("   |\n 1 | {line}\n   | {}^\n", " ".repeat(caret - 1));
    for (text, column, cause) in [
        ("{", 1, "EOF while parsing an object"),
        ("{\"text\": NaN}", 10, "expected value"),
        ("{\"text\": Infinity}", 10, "expected value"),
        ("{\"text\": 1e999}", 14, "number out of range"),
        ("{\"text\": \"a\",}", 14, "trailing comma"),
        ("{\"text\": \"a\"} x", 15, "trailing characters"),
        ("{'text': 1}", 2, "key must be a string"),
        ("{\"täxt\": \"ä\" \"b\"}", 14, "expected `,` or `}`"),
        (
            "{\"text\": \"a\", \"text\": \"b\"}",
            20,
            "duplicate key `text`",
        ),
        (
            "{\"text\": {\"a\": 1, \"\\u0061\": 2}}",
            26,
            "duplicate key `a`",
        ),
        (
            "{\"text\": \"\\ud800\"}",
            17,
            "unexpected end of hex escape",
        ),
        ("text: a", 2, "expected ident"),
    ] {
        refused(
            text,
            &format!(
                "<stdin>:1:{column}: not valid JSON: {cause}\n{}{SEND}",
                excerpt(text, column)
            ),
        );
    }
    refused(
        "{\n\t\"text\": \n}",
        &format!("<stdin>:3:1: not valid JSON: expected value\n   |\n 3 | }}\n   | ^\n{SEND}"),
    );
}

#[test]
fn what_is_json_but_no_object() {
    for (text, kind) in [
        ("[{\"text\": \"a\"}]", "an array"),
        ("\"text\"", "a string"),
        ("12", "a number"),
        ("true", "a boolean"),
        ("null", "null"),
    ] {
        refused(
            text,
            &format!(
                "echo: the arguments must be one object, not {kind}\n\
                 hint: send one object with a key a parameter, such as {{\"name\": \"value\"}}\n"
            ),
        );
    }
}

#[test]
fn what_is_no_text() {
    let said = |at: usize| {
        format!(
            "echo: the arguments are not UTF-8: byte {at} does not begin a character\n\
             hint: send the arguments as UTF-8\n"
        )
    };
    refused(b"{\"text\": \"\xff\"}", &said(10));
    refused(b"{\"text\": \"\xc3", &said(10));
    refused(b"\xff\xfe{\0}\0", &said(0));
}

#[test]
fn what_nests_without_end() {
    for (open, column) in [("[", 128), ("{\"a\":", 636)] {
        let text = open.repeat(100_000);
        let shown: String = text.chars().skip(column - 61).take(121).collect();
        refused(
            text,
            &format!(
                "<stdin>:1:{column}: more than 127 levels of nesting\n   |\n 1 | {shown}\n   | {}^\n{LESS}",
                " ".repeat(60)
            ),
        );
    }
    let shown: String = "[".repeat(121);
    call(&["--yaml", "echo"], "[".repeat(100_000)).fails(
        65,
        format!(
            "cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:256: not valid YAML: more than 64 levels of nesting\n   |\n 1 | {shown}\n   | {}^\n\
             hint: simplify the document\nhint: send one YAML mapping on standard input, such as `name: value`\n",
            " ".repeat(60)
        ),
    );
}

#[test]
fn values_without_end() {
    let shown = ",1".repeat(60) + ",";
    refused(
        format!("{{\"text\": [{}1]}}", "1,".repeat(1_500_000)),
        &format!(
            "<stdin>:1:2000006: more than 1000000 values\n   |\n 1 | {shown}\n   | {}^\n{LESS}",
            " ".repeat(60)
        ),
    );
}

#[test]
fn many_wrong_values_are_no_burden() {
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
        expected.concat() + "hint: there is more: only the first 50 are shown\n",
    );
}
