//! The web view: who may see it, what its pages show, and that nothing in them does anything.

mod access;
pub(crate) mod answers;
pub(crate) mod evals;
mod pages;
mod prompts;
mod running;
pub(crate) mod server;
pub(crate) mod sessions;
mod tools;

use cogtools_test_support::Project;

use server::Server;

/// A session in which the model calls two tools, one of which is denied.
const RUN: &str = include_str!("../../crates/porcelain/cogtools-session/tests/session/run.jsonl");

/// A project with the session as `run.jsonl`, and a server that shows it.
fn started() -> (Project, Server) {
    let project = Project::new();
    project.file("run.jsonl", RUN);
    let server = Server::start(&project, &["--session", "run.jsonl"]);
    (project, server)
}
