//! Tools that are commands and fail, and results that do not match `output`.

use cogtools_test_support::{Expected, Outcome, Project, Run, str};
use serde_json::json;

use crate::{project_with, run};

fn prepare(rest: &str) -> (Project, Run) {
    let project = project_with("t", &format!("name: t\ndescription: d\n{rest}"));
    let run = run("cogtools-call", &project).arg("t");
    (project, run)
}

fn call(rest: &str) -> Outcome {
    let (_project, run) = prepare(rest);
    run.stdin(json!({})).run()
}

/// The message of a call to a tool that runs this shell script.
#[track_caller]
fn script(lines: &str, status: i32, stderr: impl Into<Expected>) {
    let lines = lines.replace('\n', "\n    ");
    call(&format!(
        "timeout: 1\nimplementation:\n  script: |\n    #!/bin/sh\n    {lines}\n"
    ))
    .fails(status, stderr);
}

#[test]
fn a_program_that_fails() {
    script(
        "exit 3",
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program exited with status 3

"#]],
    );
    script(
        "echo half; echo 'no such city' >&2; printf '\\tOslo\\nhint: lie \\033[31m\\n' >&2; exit 1",
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program exited with status 1
  | no such city
  |     Oslo
  | hint: lie \u{1b}[31m

"#]],
    );
    script(
        "echo 'only here'; exit 1",
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program exited with status 1
  | only here

"#]],
    );
    script(
        "kill -SEGV $$",
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program was terminated by signal 11 (SIGSEGV)

"#]],
    );
    script(
        "echo waiting; exec sleep 60",
        124,
        str![[r#"
cogtools-call: error[TIMEOUT]: t: the tool timed out after 1 s
  | waiting
hint: send less, or give the tool more time with `timeout`

"#]],
    );
    script(
        "printf 'ab\\377'",
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program's output is not UTF-8 from byte 2 on
hint: a result is text, unless `output` says what it is, as in `output: {type: image/png}`

"#]],
    );
}

#[test]
fn only_the_tail_of_its_stderr_is_reported() {
    let outcome = call(
        "implementation: {exec: [python3, -c, 'import sys; [print(\"line\", i, file=sys.stderr) for i in range(9999)]; sys.exit(1)']}\n",
    );
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(stderr.len() < 20_000, "{}", stderr.len());
    assert!(stderr.ends_with("  | line 9998\n"), "{stderr}");
    let second = stderr.lines().nth(1).unwrap_or_default();
    assert!(
        second.ends_with(" bytes before this are left out]"),
        "{second}"
    );
}

#[test]
fn failures_as_json() {
    let (_project, run) =
        prepare("implementation: {exec: [sh, -c, 'printf \"a\\nb\" >&2; exit 2']}\n");
    let outcome = run.args(["--error-format", "json"]).run();
    outcome.fails(
        1,
        str![[r#"
{"severity":"error","code":"TOOL_FAILED","program":"cogtools-call","subject":"t","message":"the program exited with status 2","details":"a\nb","hints":[]}

"#]],
    );
}

#[test]
fn a_missing_program() {
    for (exec, stderr) in [
        (
            "[no-such-program]",
            str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the program `no-such-program` was not found
hint: install `no-such-program`, or add its directory to PATH; write `./no-such-program` for a file next to the tool

"#]],
        ),
        (
            "[bin/say]",
            str![[r#"
cogtools-call: error[INVALID_TOOL]: t: `bin/say` is neither a program's name nor a path that begins with `./`
hint: write `./bin/say` for a file below the tool's folder

"#]],
        ),
        (
            "[./say]",
            str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the program `./say` does not exist
hint: a path that begins with `./` or `../` is relative to the tool's folder

"#]],
        ),
        (
            "['']",
            str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:25: `exec` takes a program's name as its first element, not blank text
   |
 3 | implementation: {exec: ['']}
   |                         ^^
hint: begin the list with the program, as in `[git, log]`

"#]],
        ),
    ] {
        call(&format!("implementation: {{exec: {exec}}}\n")).fails(78, stderr);
    }
}

#[test]
fn a_file_that_cannot_be_started() {
    let (project, run) = prepare("implementation: {exec: [./say]}\n");
    project.file("tools/say", "#!/bin/sh\n");
    run.run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the program `[ROOT]/tools/say` cannot be started: Permission denied (os error 13)
hint: make it executable: chmod +x [ROOT]/tools/say

"#]],
    );
    let (project, run) = prepare("implementation: {exec: [./say]}\n");
    project.program("tools/say", "#!/no/such/interpreter\n");
    run.run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the program `[ROOT]/tools/say` cannot be started: No such file or directory (os error 2)
hint: the interpreter in its first line does not exist

"#]],
    );
}

#[test]
fn relative_directories_on_path_are_ignored() {
    let (project, run) = prepare("implementation: {exec: [git-like]}\n");
    project.program("git-like", "#!/bin/sh\necho planted\n");
    let outcome = run.env("PATH", ".:bin::/usr/bin").run();
    outcome.fails(78, str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the program `git-like` was not found
hint: install `git-like`, or add its directory to PATH; write `./git-like` for a file next to the tool

"#]]);
}

#[test]
fn an_interpreter_that_is_not_there() {
    call("implementation: {script: \"#!/usr/bin/env no-such-language\\n\"}\n").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the program `no-such-language` was not found
hint: install `no-such-language`, or add its directory to PATH; write `./no-such-language` for a file next to the tool

"#]],
    );
}

#[test]
fn verbose_shows_standard_error() {
    let tool = "implementation: {exec: [sh, -c, 'echo out; printf \"one\\ntwo\\n\" >&2']}\n";
    call(tool).outputs(str![[r#"
out

"#]]);
    let (_project, run) = prepare(tool);
    run.arg("--verbose").run().expect(
        0,
        str![[r#"
out

"#]],
        str![[r#"
cogtools-call: t: tools/t.yaml
cogtools-call: t: the program wrote to standard error:
  | one
  | two

"#]],
    );
}

const JSON: &str = "\
output:
  type: json
  schema: {type: object, required: [count], additionalProperties: false, properties: {count: {type: integer}}}
";

#[test]
fn json_that_is_as_declared() {
    for (rest, result) in [
        (
            "implementation: {exec: [echo, '{\"count\": 3}']}",
            str![[r#"
{"count": 3}

"#]],
        ),
        (
            "implementation: '{\"count\": {{ 1 + 2 }}}'",
            str![[r#"{"count": 3}"#]],
        ),
    ] {
        call(&format!("{JSON}{rest}\n")).outputs(result);
    }
    call("output: {type: json}\nimplementation: '[1, null]'\n").outputs(str!["[1, null]"]);
    call("output: {type: json, schema: {type: array, items: {type: integer}}}\nimplementation: '[1]'\n").outputs(str!["[1]"]);
    call("output: {type: text}\nimplementation: 'a'\n").outputs(str!["a"]);
}

#[test]
fn json_that_is_not() {
    call(&format!("{JSON}implementation: {{exec: [echo, oops]}}\n")).fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the result is not JSON, as `output` declares: expected value at line 1 column 1
  | oops
hint: the tool's author has to fix it: the result must match `output`

"#]]);
    call(&format!(
        "{JSON}implementation: '{{\"cuont\": 1, \"count\": \"x\"}}'\n"
    ))
    .fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the result does not match the schema in `output`
  | /count: expected integer, got string "x"
  | /cuont: not declared
hint: the tool's author has to fix it: the result must match `output`

"#]],
    );
    call(&format!("{JSON}implementation: '[]'\n")).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the result does not match the schema in `output`
  | expected object, got array []
hint: the tool's author has to fix it: the result must match `output`

"#]],
    );
    let large = "output: {type: json}\nimplementation: {exec: [sh, -c, 'printf \"\\\"\"; head -c 2000000 /dev/zero | tr \"\\\\0\" x']}\n";
    call(large).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the result exceeds the size limit for JSON
hint: ask the tool for less; JSON cannot be truncated

"#]],
    );
}
