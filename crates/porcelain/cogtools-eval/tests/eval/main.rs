//! Whole runs of `cogtools eval` with a scripted model that has known weaknesses.

use std::ffi::OsString;

use cogtools_eval::PROGRAM;
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::Project;
use serde_json::Value;

mod authoring;
mod cases;
mod hosts;
mod recordings;
mod trials;

const CONVERT: &str = "\
name: convert
description: Converts lengths
parameters:
  amount: {type: number, description: How much}
  unit: {type: string, description: The unit to convert to}
  digits: {type: integer, description: Digits after the point, default: 2}
examples:
  - {amount: 1, unit: km}
implementation: '{{ amount }} is 3.1 {{ unit }}'
";

const GREET: &str = "\
name: greet
description: Greets a person
parameters:
  person: {type: string, description: Who}
examples:
  - person: Ada
implementation: Hello {{ person }}
";

/// A model that does what the task says: `right` calls convert, `repair` leaves out `unit` first,
/// `confuse` calls greet, anything else answers. As a judge, it quotes the file `quote`. Each request
/// is a line of a file.
const MODEL: &str = r#"#!/bin/sh
input=$(cat)
echo request >> "$(dirname "$0")/requests"
call() {
  printf '{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"%s","args":%s}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":400,"candidatesTokenCount":12,"totalTokenCount":412}}' "$1" "$2"
}
[ "$COGTOOLS_EVAL_MODEL" != judge ] || input="a question to the judge"
case "$input" in
  *judge) printf '{"candidates":[{"content":{"role":"model","parts":[{"text":"{\\"holds\\": true, \\"quote\\": \\"%s\\"}"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":5000}}' "$(cat "$(dirname "$0")/quote")" ;;
  *'"output"'*) printf '{"candidates":[{"content":{"role":"model","parts":[{"text":"It is 3.1 "},{"text":"miles."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":410,"candidatesTokenCount":10,"totalTokenCount":420}}' ;;
  *'required but missing'*) call convert '{"amount":5,"unit":"miles"}' ;;
  *broken*) echo no >&2; exit 3 ;;
  *repair*) call convert '{"amount":5}' ;;
  *confuse*) call greet '{"person":"Bob"}' ;;
  *right*) call convert '{"amount":5,"unit":"miles"}' ;;
  *) printf 'I do not know.' ;;
esac
"#;

/// A project with two tools, the scripted model, and these cases of `convert`.
fn project(cases: &str) -> Project {
    let project = Project::new();
    project
        .file("tools/convert.yaml", CONVERT)
        .file("tools/greet.yaml", GREET)
        .program("model.sh", MODEL)
        .file("tools/convert.evals.yaml", cases);
    project
}

fn eval(project: &Project, args: &[&str]) -> CapturedRun {
    let home = OsString::from(project.home());
    let mut path = project.home().join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let vars = [("HOME".into(), home), ("PATH".into(), path)]
        .into_iter()
        .collect();
    PROGRAM.run_captured_with(vars, &project.root(), Terminals::default(), args)
}

/// A run with the scripted model.
fn scripted(project: &Project, args: &[&str]) -> CapturedRun {
    let model = format!("'{}'", project.path("model.sh").display());
    eval(project, &[args, &["--model-command", &model]].concat())
}

/// The report of a run that ends with `status`.
#[track_caller]
fn report(run: &CapturedRun, status: u8) -> Value {
    assert_eq!(run.status, status, "{run:?}");
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// The number of requests that the scripted model had.
fn requests(project: &Project) -> usize {
    if project.path("requests").exists() {
        project.read("requests").lines().count()
    } else {
        0
    }
}
