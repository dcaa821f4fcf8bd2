//! Every test that runs the installed programs: one binary, a topic a module.

use std::path::Path;

use cogtools_testing::{Project, Run};

mod budget;
mod call;
mod clients;
mod commands;
mod discover;
mod docs;
mod examples;
mod failures;
mod groups;
mod hosts;
mod input;
mod interpreter;
mod layout;
mod njk;
mod ourselves;
mod output;
mod partials;
mod porcelain;
mod programs;
mod project;
mod schema;
mod sdk;
mod sources;
mod starters;
mod templates;
mod watch;

/// The directory of the programs under test.
fn programs() -> &'static Path {
    let program = Path::new(env!("CARGO_BIN_EXE_cogtools-call"));
    program.parent().unwrap_or(program)
}

/// A run of one of our programs in `project`.
fn run(program: &str, project: &Project) -> Run {
    Run::new(programs().join(program)).project(project)
}

/// A project with one tool file below `tools`.
fn project_with(name: &str, tool: &str) -> Project {
    let project = Project::new();
    project.file(format!("tools/{name}.yaml"), tool);
    project
}

/// The root of the repository.
fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package)
}
