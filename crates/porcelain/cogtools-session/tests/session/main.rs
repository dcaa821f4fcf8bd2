//! Whole runs of `cogtools session`.

mod compared;
mod export;
mod files;
mod names;
mod prompts;
mod show;

use std::collections::BTreeMap;

use cogtools_program::{CapturedRun, Terminals};
use cogtools_session::PROGRAM;
use cogtools_test_support::{Outcome, Project, outcome};

/// A session of two turns.
const RUN: &str = include_str!("run.jsonl");

/// A project with the session in a file.
fn project() -> Project {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "").file("run.jsonl", RUN);
    project
}

/// Runs the program in `project`, whose folder `state` has the sessions.
fn session(project: &Project, args: &[&str]) -> Outcome {
    outcome!(on(project, Terminals::default(), args))
}

fn on(project: &Project, terminals: Terminals, args: &[&str]) -> CapturedRun {
    let state = project.path("state");
    let vars = [("XDG_STATE_HOME", state), ("HOME", project.home())];
    let vars = vars.map(|(name, value)| (name.into(), value.into()));
    PROGRAM.run_captured_with(BTreeMap::from(vars), &project.root(), terminals, args)
}

/// The session of [`RUN`] with another name in the store of `project`.
fn stored(project: &Project, name: &str) -> std::path::PathBuf {
    let file = store(project).file(&name.parse().expect("a name"));
    std::fs::write(file.path(), RUN.replace("7f3a9c21be", name)).expect("written");
    file.path()
}

fn store(project: &Project) -> cogtools_log::Store {
    let store = cogtools_log::Store::new(&project.path("state/cogtools"), &project.root());
    store.new_file().expect("a folder");
    store
}
