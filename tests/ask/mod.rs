//! `cogtools ask` against a fake Gemini API that checks every request.

use cogtools_test_support::{FakeGemini, Project, Run, Turn, assert_text, str};
use serde_json::{Value, json};

use crate::run;

mod caching;
mod configuration;
mod dry_run;
mod local;
mod prompts;
mod road;
mod tape;

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
