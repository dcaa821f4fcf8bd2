//! Environment variables of the programs, and of tools.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use cogtools_test_support::{Project, assert_text, str};

use crate::layers::{layered, project};
use crate::{programs, run};

#[test]
fn a_call_reads_the_configuration_once() {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "env_priority: process\n")
        .file(".env", "GREETING=hello\n")
        .file(
            "tools/t.yaml",
            "name: t\ndescription: d\nenv: [GREETING]\nimplementation: {exec: [/usr/bin/printenv, GREETING]}\n",
        );
    let mut child = Command::new(programs().join("cogtools-call"))
        .args(["--verbose", "t"])
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    // The tool is found, and its arguments are still to come.
    let mut said = String::new();
    stderr.read_line(&mut said).expect("it says so");
    assert_text(
        &said,
        str![[r#"
cogtools-call: t: tools/t.yaml

"#]],
    );
    project.file(".cogtoolrc.yaml", "not ours any more\n");
    drop(child.stdin.take());
    said.clear();
    stderr.read_to_string(&mut said).expect("it is text");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), said.as_str()), (Some(0), ""));
    assert_eq!(ended.stdout, b"hello\n");
}

#[test]
fn an_invalid_variable_is_fatal_and_named() {
    let project = project();
    for (name, value, words) in [
        (
            "COGTOOLS_ENV_PRIORITY",
            "both",
            "$COGTOOLS_ENV_PRIORITY:1:1: `env_priority` takes `project` or `process`, not `both`\n   \
             |\n 1 | both\n   | ^^^^\nhint: write `env_priority: project` or `env_priority: process`\n",
        ),
        (
            "COGTOOLS_TOOL_SOURCES",
            "[{lokal: x}]",
            "$COGTOOLS_TOOL_SOURCES:1:3: `lokal` is not a kind of source\n   \
             |\n 1 | [{lokal: x}]\n   |   ^^^^^\nhint: did you mean `local`?\n",
        ),
        (
            "COGTOOLS_TOOLS",
            "[a, [b]]",
            "$COGTOOLS_TOOLS:1:5: `tools` takes a list of strings, not a list\n   \
             |\n 1 | [a, [b]]\n   |     ^^^\nhint: write `tools: [facepalm, git_*]`\n",
        ),
    ] {
        let words = format!("cogtools-list: error[INVALID_CONFIG]: {words}");
        layered("cogtools-list", &project)
            .env(name, value)
            .run()
            .fails(78, words);
    }
}

#[test]
fn an_unknown_variable_is_named() {
    let project = project();
    let outcome = layered("cogtools-config", &project)
        .env("COGTOOLS_TOOL", "a")
        .arg("list")
        .run();
    outcome.status(0);
    outcome.stderr_is(str![[r#"
cogtools-config: warning[INVALID_CONFIG]: the environment variable `COGTOOLS_TOOL` sets nothing
hint: did you mean `COGTOOLS_TOOLS`, `COGTOOLS_MODEL` or `COGTOOLS_TOOLSETS`?

"#]]);
}

#[test]
fn a_tool_sees_what_it_declares_and_whose_value_counts() {
    let project = project();
    let script = "#!/bin/sh\\necho \\\"$KEY ${OTHER-none}\\\"\\n";
    project
        .file(
            "tools/it.yaml",
            format!(
                "name: it\ndescription: d\nenv: [KEY]\nimplementation:\n  script: \"{script}\"\n"
            ),
        )
        .file(".env", "KEY=file\nOTHER=file\n");
    let call = |args: &[&str]| {
        layered("cogtools-call", &project)
            .env("KEY", "outer")
            .env("OTHER", "process")
            .args(args)
            .arg("it")
    };
    call(&[]).run().outputs(str![[r#"
file none

"#]]);
    call(&["--system-env"]).run().outputs(str![[r#"
outer none

"#]]);
    call(&[])
        .env("COGTOOLS_ENV_PRIORITY", "process")
        .run()
        .outputs(str![[r#"
outer none

"#]]);
    run("cogtools-yaml", &project)
        .env("KEY", "outer")
        .args(["--system-env", "tools/it.yaml"])
        .run()
        .outputs(str![[r#"
outer none

"#]]);
    let explain = |args: &[&str]| {
        layered("cogtools-config", &project)
            .env("KEY", "process")
            .args(["env", "--explain"])
            .args(args)
            .run()
    };
    explain(&[]).outputs(str![[r#"
KEY	.env:1; overrides the value of the process; declared by it
OTHER	.env:2; unused because no tool declares it

"#]]);
    explain(&["--system-env"]).outputs(str![[r#"
KEY	process; declared by it

"#]]);
    project.file(".cogtoolrc.yaml", "env_priority: process\n");
    explain(&[]).outputs(str![[r#"
KEY	process; overrides the value in .env; declared by it
OTHER	.env:2; unused because no tool declares it

"#]]);
    project.remove(".env");
    run("cogtools-call", &project).arg("it").run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_CONFIG]: it: the environment variable `KEY` is not set
hint: set KEY in the environment, or add a line `KEY=…` to the project's .env
hint: cogtools config env --explain shows where each value comes from

"#]],
    );
}

#[test]
fn names_in_a_variable_need_no_yaml() {
    let project = project();
    for (value, expected) in [
        (
            "a",
            str![[r#"
$COGTOOLS_EXCLUDE	[a]

"#]],
        ),
        (
            "a, *_b ,",
            str![[r#"
$COGTOOLS_EXCLUDE	[a, "*_b"]

"#]],
        ),
        (
            "*",
            str![[r#"
$COGTOOLS_EXCLUDE	["*"]

"#]],
        ),
        (
            "12,true",
            str![[r#"
$COGTOOLS_EXCLUDE	["12", "true"]

"#]],
        ),
        (
            " [a, '*_b']",
            str![[r#"
$COGTOOLS_EXCLUDE	[a, "*_b"]

"#]],
        ),
        (
            "[]",
            str![[r#"
$COGTOOLS_EXCLUDE	[]

"#]],
        ),
    ] {
        layered("cogtools-config", &project)
            .env("COGTOOLS_EXCLUDE", value)
            .args(["get", "--show-origin", "filter.exclude"])
            .run()
            .outputs(expected);
    }
}

#[test]
fn a_variable_without_a_value_is_not_set() {
    let project = project();
    for name in [
        "COGTOOLS_TOOLS",
        "COGTOOLS_TOOL_SOURCES",
        "COGTOOLS_ENV_PRIORITY",
    ] {
        layered("cogtools-config", &project)
            .env(name, "")
            .arg("list")
            .run()
            .outputs(str![[r#"
tool_sources=[{local: ./tools}]
env_priority=project
sandbox=best-effort

"#]]);
    }
}
