//! Tools that are commands: their arguments and environment, and their output.

use std::time::Duration;

use cogtools_test_support::{Outcome, Project, Run, assert_text, str};
use serde_json::{Value, json};

use crate::{project_with, run};

/// A call to the tool `t`, whose file ends with this text.
fn prepare(rest: &str) -> (Project, Run) {
    let project = project_with("t", &format!("name: t\ndescription: d\n{rest}"));
    let run = run("cogtools-call", &project).arg("t");
    (project, run)
}

fn call(rest: &str, arguments: &Value) -> Outcome {
    let (_project, run) = prepare(rest);
    run.stdin(arguments).run()
}

/// A tool that runs this shell script.
fn shell(script: &str) -> String {
    let script = script.replace('\n', "\n    ");
    format!("implementation:\n  script: |\n    #!/bin/sh\n    {script}\n")
}

#[test]
fn an_element_stays_an_element() {
    let tool = "\
parameters: {text: string}
implementation: {exec: [printf, '<%s>', '{{ text }}', 'a {{ text }} b', '--x={{ text }}', '']}
";
    for text in [
        "plain",
        "$(id) `id` ${PATH} ; id | id & id > /etc/x",
        "'single' \"double\" \\ back",
        "a\nb\n\nc\n",
        "-rf",
        "--output=/etc/passwd",
        "*",
        "{{ 7 * 7 }}",
        "\u{e9}\u{1f600}",
        "",
    ] {
        call(tool, &json!({"text": text})).outputs(format!("<{text}><a {text} b><--x={text}><>"));
    }
}

#[test]
fn impossible_program_arguments() {
    let tool = "parameters: {text: string}\nimplementation: {exec: [echo, '{{ text }}']}\n";
    call(tool, &json!({"text": "a\0b"})).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: element 2 of the command contains a NUL character, which no program accepts
hint: send text without the character U+0000

"#]],
    );
    let large = "x".repeat(3 << 20);
    let outcome = call(tool, &json!({"text": large}));
    outcome.fails(78, str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the program `/usr/bin/echo` cannot be started: Argument list too long (os error 7)
hint: send less; a tool can read arguments of any size from standard input

"#]]);
}

#[test]
fn arguments_come_as_json_on_standard_input() {
    let tool = "\
parameters: {city: string, days: {type: integer, default: 3}}
implementation: {exec: [cat]}
";
    call(tool, &json!({"city": "\u{d6}slo\n"})).outputs(str![[r#"
{"city":"Öslo\n","days":3}

"#]]);
    let city = "x".repeat(1 << 20);
    call(tool, &json!({"city": city})).text();
    call(&shell("read -r line && echo \"$line\""), &json!({})).outputs(str![[r#"
{}

"#]]);
}

#[test]
fn a_tool_need_not_read_its_arguments() {
    let text = "x".repeat(1 << 20);
    for script in [
        "echo done",
        "exec < /dev/null; echo done",
        "exec <&-; sleep 0.1; echo done",
        "head -c 10 > /dev/null; echo done",
        "sleep 0.2; echo done",
    ] {
        let tool = format!("parameters: {{text: string}}\n{}", shell(script));
        call(&tool, &json!({"text": text})).outputs(str![[r#"
done

"#]]);
    }
}

#[test]
fn the_environment_is_what_is_declared() {
    let (project, run) = prepare("env: [CITY, REGION]\nimplementation: {exec: [/usr/bin/env]}\n");
    project.file(".env", "REGION='north'\nOTHER=no\nPATH=/evil\n");
    run.env("CITY", "Oslo")
        .env("REGION", "south")
        .env("SECRET", "no")
        .env("LD_LIBRARY_PATH", "/nowhere")
        .run()
        .outputs(str![[r#"
CITY=Oslo
PATH=/usr/bin:/bin
REGION=north

"#]]);
    call("implementation: {exec: [/usr/bin/env]}\n", &json!({})).outputs(str![[r#"
PATH=/usr/bin:/bin

"#]]);
}

#[test]
fn a_variable_that_is_missing() {
    let (_project, run) = prepare("env: [CITY, TOKEN]\nimplementation: {exec: [/usr/bin/env]}\n");
    run.env("CITY", "Oslo").run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_CONFIG]: t: the environment variable `TOKEN` is not set
hint: set TOKEN in the environment, or add a line `TOKEN=…` to the project's .env
hint: cogtools config env --explain shows where each value comes from

"#]],
    );
}

#[test]
fn the_working_directory_is_the_root() {
    let (project, run) = prepare("implementation: {exec: [/bin/pwd]}\n");
    project.file(".cogtoolrc.yaml", "").dir("src/deep");
    run.cwd(project.path("src/deep")).run().outputs(str![[r#"
[ROOT]

"#]]);
}

#[test]
fn a_program_next_to_the_tool() {
    for (name, file) in [("./say", "tools/say"), ("../bin/say", "bin/say")] {
        let (project, run) = prepare(&format!("implementation: {{exec: [{name}, hello]}}\n"));
        project.program(file, "#!/bin/sh\necho \"$1 from $(/bin/pwd)\"\n");
        run.run().outputs(str![[r#"
hello from [ROOT]

"#]]);
    }
}

#[test]
fn a_script_runs_by_its_first_line() {
    for (line, body) in [
        ("#!/bin/sh", "echo hello"),
        (
            "#! /bin/bash -e",
            "words=(hello world); false || echo \"${words[0]}\"",
        ),
        ("#!/usr/bin/env python3", "print('hello')"),
        (
            "#!/usr/bin/env -S python3 -I -u",
            "import sys; assert sys.flags.isolated; print('hello')",
        ),
        ("#!/usr/bin/env -S WORD=hello sh", "echo $WORD"),
        ("#!/bin/cat", ""),
    ] {
        let tool = format!("implementation:\n  script: |\n    {line}\n    {body}\n");
        let expected = if line == "#!/bin/cat" {
            format!("{line}\n\n")
        } else {
            "hello\n".to_owned()
        };
        call(&tool, &json!({})).outputs(expected.replace("\n\n", "\n"));
    }
}

#[test]
fn a_script_leaves_nothing_behind() {
    for (script, status) in [("true", 0), ("exit 3", 1), ("sleep 60", 124)] {
        let (project, run) = prepare(&format!("timeout: 0.3\n{}", shell(script)));
        project.dir("temporary");
        let outcome = run.env("TMPDIR", project.path("temporary")).run();
        outcome.status(status).stdout_is("");
        let left = std::fs::read_dir(project.path("temporary"))
            .expect("the folder is there")
            .count();
        assert_eq!(left, 0, "{script}");
    }
}

#[test]
fn twenty_megabytes_on_both_streams() {
    let script = "\
head -c 20000000 /dev/zero | tr '\\0' e >&2 &
head -c 20000000 /dev/zero | tr '\\0' o
wait";
    let text = call(&shell(script), &json!({})).text();
    let (head, notice) = text.split_at(1 << 20);
    assert!(head.bytes().all(|byte| byte == b'o'));
    assert_text(
        notice,
        str![[r#"

[truncated: 18951424 bytes are left out; a result has at most 1048576]

"#]],
    );
}

#[test]
fn a_result_is_truncated_between_characters() {
    let script = "printf x; head -c 1200000 /dev/zero | sed 's/\\x00/\u{20ac}/g'";
    let text = call(&shell(script), &json!({})).text();
    let (head, notice) = text.split_once('\n').expect("two lines");
    assert_eq!(head.len(), 1 + (((1 << 20) - 1) / 3) * 3);
    assert!(notice.starts_with("[truncated: 25514"), "{notice}");
}

#[test]
fn later_output_of_a_background_program_is_not_awaited() {
    let (_project, run) = prepare(&shell("sleep 30 &\necho done"));
    run.limit(Duration::from_secs(4)).run().outputs(str![[r#"
done

"#]]);
}
