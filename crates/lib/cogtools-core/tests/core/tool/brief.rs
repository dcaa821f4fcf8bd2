//! A call that is run briefly gives what a whole run gives, or leaves it to that.

use std::sync::Arc;

use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::text::Text;
use cogtools_core::{Call, Context, Tool};

/// Checks what a brief run of a tool of these lines prints; a whole one prints `whole`.
#[track_caller]
fn check(lines: &str, arguments: &str, brief: Option<&str>, whole: Result<&str, ()>) {
    let file = format!("name: x\ndescription: d\n{lines}\n");
    let text = Text::new("x.yaml", file.into_bytes()).expect("the file is text");
    let tool = Tool::parse(text).expect("the file is a tool");
    let arguments = Arguments::read(arguments.into(), Syntax::Json).expect("they are arguments");
    let tool = Arc::new(tool);
    let call = || Call::new(Arc::clone(&tool), arguments.clone());
    let briefly = || call().run_briefly().map(|output| output.text);
    assert_eq!(briefly(), None, "it is not compiled yet: {lines}");
    let run = call().run(&Context::default());
    let run = run.map(|output| output.text).map_err(drop);
    assert_eq!(run.as_deref(), whole.as_ref().copied(), "{lines}");
    assert_eq!(briefly().as_deref(), brief, "{lines}");
}

/// Checks that a brief run prints what a whole one does.
#[track_caller]
fn check_brief(lines: &str, arguments: &str, text: &str) {
    check(lines, arguments, Some(text), Ok(text));
}

/// Checks that a whole run is needed.
#[track_caller]
fn check_whole(lines: &str, arguments: &str, whole: Result<&str, ()>) {
    check(lines, arguments, None, whole);
}

#[test]
fn a_short_template_is_brief() {
    let greet = "parameters: {who: {type: string, default: you}}\n\
                 implementation: Hello {{ who | upper }}!";
    check_brief(greet, r#"{"who": "Ada"}"#, "Hello ADA!");
    check_brief(greet, "{}", "Hello YOU!");
    check_brief(
        "implementation: '{% for i in range(9) %}{{ i }}{% endfor %}'",
        "{}",
        "012345678",
    );
}

#[test]
fn errors_are_those_of_a_whole_run() {
    let lines = "parameters: {n: {type: integer}}\nimplementation: '{{ n.a.b }}'";
    check_whole(lines, r#"{"n": "1"}"#, Err(()));
    check_whole(lines, r#"{"m": 1}"#, Err(()));
    check_whole("implementation: '{{ 1 | nothing }}'", "{}", Err(()));
}

#[test]
fn a_long_template_is_not_brief() {
    let dots = ".".repeat(2_000);
    let lines = "implementation: '{% for i in range(2000) %}.{% endfor %}'";
    check_whole(lines, "{}", Ok(&dots));
    let long = "a".repeat(17 << 10);
    let lines = format!("implementation: {long}");
    check_whole(&lines, "{}", Ok(&long));
}

#[test]
fn what_reads_files_or_searches_is_not_brief() {
    check_whole(
        "implementation: \"a{% include 'b.njk' ignore missing %}\"",
        "{}",
        Ok("a"),
    );
    check_whole(
        "implementation: '{{ r/a+/.test(\"aa\") }}'",
        "{}",
        Ok("true"),
    );
    let lines = "parameters: {a: {type: string, pattern: '^(a+)+$'}}\nimplementation: '{{ a }}'";
    check_whole(lines, r#"{"a": "aa"}"#, Ok("aa"));
}

#[test]
fn what_declares_its_output_or_runs_a_program_is_not_brief() {
    check_whole(
        "output: {type: json}\nimplementation: '[1]'",
        "{}",
        Ok("[1]"),
    );
    check_whole("implementation: {exec: [/bin/echo, a]}", "{}", Err(()));
}
