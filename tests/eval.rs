//! `cogtools eval` as a process: stopped, and continued.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use cogtools_test_support::Project;
use serde_json::{Value, json};

use crate::{programs, run};

const TOOL: &str = "name: say\ndescription: d\nimplementation: x\n";
const CASES: &str = "\
trials: 100
cases:
  - {name: one, task: one, expect: {answer: {contains: yes}}}
  - {name: two, task: two, expect: {never: ['*']}}
";
/// A model that takes its time, and counts its requests.
const MODEL: &str =
    "#!/bin/sh\ncat > /dev/null\necho request >> requests\nsleep 0.02\nprintf yes\n";

#[test]
fn two_hundred_trials_survive_a_kill() {
    let ended = stopped_and_continued("KILL");
    assert_eq!(ended.status.signal(), Some(9));
}

#[test]
fn an_interrupted_run_has_no_errors() {
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let ended = stopped_and_continued(signal);
        assert_eq!(ended.status.code(), Some(status));
        let report: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
        assert_eq!(report["status"], status, "{report}");
        assert_eq!(report["summary"]["errors"], 0, "{report}");
        assert_eq!(report["summary"]["failed"], 0, "{report}");
    }
}

/// A run that `signal` has stopped; another one has done the rest.
fn stopped_and_continued(signal: &str) -> Output {
    let project = Project::new();
    project
        .file("tools/say.yaml", TOOL)
        .file("tools/say.evals.yaml", CASES)
        .program("model.sh", MODEL);
    let args = ["--model-command", "./model.sh", "--format", "json"];
    let stopped = Command::new(programs().join("cogtools-eval"))
        .args(args)
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.home())
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let requests = || {
        let log = project.path("requests");
        let text = std::fs::read_to_string(log).unwrap_or_default();
        text.lines().count()
    };
    let begin = Instant::now();
    while requests() < 40 && begin.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(10));
    }
    crate::groups::signal(signal, stopped.id());
    let ended = stopped.wait_with_output().expect("it ends");
    assert!((40..200).contains(&requests()), "{}", requests());
    let report = run("cogtools-eval", &project)
        .args(args)
        .limit(Duration::from_mins(2))
        .run()
        .json();
    assert_eq!(report["summary"]["passed"], 200);
    // Only the trials that ran when it was stopped run again.
    assert!((200..=204).contains(&requests()), "{}", requests());
    ended
}

pub(crate) const CONVERT: &str = "\
name: convert
description: Converts lengths
parameters:
  amount: {type: number, description: How much}
  unit: {type: string, description: The unit to convert to}
implementation: '{{ amount }} is 3.1 {{ unit }}'
";
const GREET: &str = "\
name: greet
description: Greets a person
parameters:
  person: {type: string, description: Who}
implementation: Hello {{ person }}
";
/// A model that writes programs. `both` calls two tools in one; `repair` leaves out `unit` first.
const PROGRAMMER: &str = r#"#!/bin/sh
input=$(cat)
echo request >> requests
run() {
  printf '{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"run_code","args":{"code":"%s"}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":400,"candidatesTokenCount":12,"totalTokenCount":412}}' "$1"
}
case "$input" in
  *'"name":"convert"'*) printf 'declared without --code' ;;
  *'"output"'*) printf '{"candidates":[{"content":{"role":"model","parts":[{"text":"It is 3.1 miles."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":410,"candidatesTokenCount":10,"totalTokenCount":420}}' ;;
  *'required but missing'*) run 'return tools.convert({amount: 5, unit: `miles`})' ;;
  *repair*) run 'return tools.convert({amount: 5})' ;;
  *late*) run 'const half = {amount: 5}; try { await tools.convert(half) } catch (e) {} return tools.convert({...half, unit: `miles`})' ;;
  *both*) run 'return [tools.convert({amount: 5, unit: `miles`}), tools.greet({person: `Bob`})]' ;;
esac
"#;

fn programs_of(cases: &str) -> Project {
    let project = Project::new();
    project
        .file("tools/convert.yaml", CONVERT)
        .file("tools/greet.yaml", GREET)
        .file("evals/programs.yaml", cases)
        .program("model.sh", PROGRAMMER);
    project
}

const PROGRAMS: &str = "\
trials: 1
cases:
  - name: both
    task: both
    with: {greet: [{args: {person: Bob}, result: Hello from a fixture}]}
    expect:
      calls: [{tool: convert, args: {unit: miles}}, {tool: greet}]
      order: exact
      first_try: true
      never: [run_*]
      answer: {contains: '3.1'}
      at_most: {turns: 2, calls: 2, tokens: 832}
  - {name: one, task: both, expect: {calls: [{tool: convert}], at_most: {calls: 1}}}
  - {name: repairs, task: repair, expect: {calls: [{tool: convert}], first_try: true}}
  - {name: late, task: late, expect: {calls: [{tool: convert}], first_try: true}}
  - {name: unknown, task: both, tools: [convert], expect: {never: [greet]}}
";

#[test]
fn calls_of_programs_are_calls() {
    let project = programs_of(PROGRAMS);
    let eval = |args: &[&str], status: u8| {
        let run = run("cogtools-eval", &project)
            .args(["--code", "--json"])
            .args(args)
            .run();
        let report: Value = serde_json::from_slice(&run.status(status).stdout).expect("JSON");
        let cases = report["cases"].as_array().expect("a list").iter();
        let figures = cases.map(|case| {
            let case = |pointer: &str| case.pointer(pointer).cloned().unwrap_or_default();
            json!([
                case("/case"),
                case("/results/0/failures/0/expect"),
                case("/mean/turns"),
                case("/mean/calls"),
                case("/first_try/passed"),
                case("/rejected/violations"),
            ])
        });
        figures.collect::<Value>()
    };
    let left_out =
        |code: &str| json!([{"tool": "convert", "pointer": "/unit", "code": code, "count": 1}]);
    let expected = json!([
        ["both", null, 2.0, 2.0, 1, []],
        ["one", "/at_most/calls", 1.0, 1.0, 1, []],
        ["repairs", "/first_try", 3.0, 1.0, 0, left_out("CODE_TYPES")],
        ["late", "/first_try", 2.0, 1.0, 0, left_out("SCHEMA_VIOLATION")],
        ["unknown", "", 10.0, 0.0, 0, [
            {"tool": "greet", "pointer": "", "code": "CODE_TYPES", "count": 10},
        ]],
    ]);
    let live = ["--model-command", "./model.sh", "--record"];
    assert_eq!(eval(&live, 1), expected);
    let requests = project.read("requests");
    // What is recorded is judged without a model, and does not run again.
    assert_eq!(eval(&["--replay"], 1), expected);
    assert_eq!(eval(&live, 1), expected);
    assert_eq!(project.read("requests"), requests);
    // The model has seen types, not declarations.
    let native = run("cogtools-eval", &project).arg("--replay").run();
    native
        .status(1)
        .stderr_contains("another description of convert");
    project.file("tools/greet.yaml", GREET.replace("Hello", "Good day,"));
    let run = run("cogtools-eval", &project)
        .args(["--code", "--replay"])
        .run();
    run.status(1)
        .stderr_contains("recorded with another file of greet");
}

#[test]
fn a_question_may_begin_with_a_byte_order_mark() {
    let project = Project::new();
    let answer = |question: &str| {
        let run = run("cogtools-eval", &project).arg("--statistics");
        run.stdin(question).run().succeeds().stdout.clone()
    };
    let question = r#"{"b": 1, "c": 2}"#;
    assert_eq!(answer(&format!("\u{feff}{question}\n")), answer(question));
}
