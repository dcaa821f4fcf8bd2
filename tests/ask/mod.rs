//! `cogtools ask` against a fake Gemini API that checks every request.

use cogtools_test_support::{FakeGemini, Outcome, Project, Run, Turn, assert_text, str};
use serde_json::{Value, json};

use crate::{programs, run};
pub(crate) use figures::peak_memory;

mod agent_files;
mod agent_limits;
mod agents;
mod answers;
mod approvals;
mod caching;
mod claude;
mod code;
mod code_agents;
mod configuration;
mod conversation;
mod dry_run;
mod editor;
mod endings;
mod faults;
mod figures;
mod local;
mod network;
mod prompts;
mod road;
mod sessions;
mod skills;
mod stops;
mod tape;
mod terminal;
mod todos;

/// A greeting that a model can ask for.
const GREET: &str = "\
name: greet
description: Greets a person by name
parameters:
  person:
    type: string
    description: Who is greeted
examples:
  - person: Ada
implementation: Hello {{ person }}!
";

/// A project with the tool `greet`.
fn project() -> Project {
    let project = Project::new();
    project.file("tools/greet.yaml", GREET);
    project
}

/// `cogtools ask` in `project`, with the API at `fake`.
fn ask(project: &Project, fake: &FakeGemini) -> Run {
    run("cogtools-ask", project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
}

/// A program that appends its argument to a file.
const NOTE: &str = "\
name: note
description: Notes a text
parameters:
  text: string
examples:
  - text: x
implementation:
  exec: [sh, -c, 'printf \"%s\\n\" \"$1\" >> notes.txt; echo noted', sh, '{{ text }}']
";

/// The call of `note` with a text.
fn note(text: &str) -> Turn {
    Turn::call("note", json!({ "text": text }))
}

/// A project with the tools `greet` and `note`.
fn noting() -> Project {
    let project = project();
    project.file("tools/note.yaml", NOTE);
    project
}

/// The entries of `note`.
fn notes(project: &Project) -> String {
    if project.path("notes.txt").exists() {
        project.read("notes.txt")
    } else {
        String::new()
    }
}

/// Runs `cogtools ask -q` with `args`.
fn quietly(project: &Project, fake: &FakeGemini, args: &[&str]) -> Outcome {
    ask(project, fake).arg("-q").args(args).run()
}

/// `cogtools ask` in a process whose number is in the file `pid`.
fn ask_with_pid(project: &Project, fake: &FakeGemini) -> Run {
    Run::new("/bin/sh")
        .args(["-c", "echo $$ > pid; exec \"$@\"", "sh"])
        .arg(programs().join("cogtools-ask"))
        .project(project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
}
