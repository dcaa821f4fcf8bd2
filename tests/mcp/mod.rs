//! The server of MCP: its life as a process, and real clients of every kind.

mod announced;
mod asked;
mod clients;
mod code;
mod collector;
mod completions;
mod conformance;
mod conformance_client;
mod conformance_gateway;
mod daemon;
mod entries;
mod failures;
mod gemini;
pub(crate) mod http;
mod introduction;
mod kept;
mod late;
mod lies;
mod living;
mod load;
mod login;
mod lying;
mod observed;
mod offered;
mod official;
pub(crate) mod peer;
mod person;
mod progress;
mod proxy;
mod roots;
mod servers;
mod service;
pub(crate) mod session;
mod shutdown;
mod soak;
mod soak_sources;
mod source;
mod stateless;
mod strange;
mod subscribed;
pub(crate) mod tls;
mod web;

use std::path::{Path, PathBuf};

use cogtools_test_support::Project;

use session::Session;

/// Prints a greeting; with an example, so that it is a prompt too.
const GREET: &str = "name: greet
description: Greets a person
parameters:
  person: {type: string, description: Who is greeted}
examples:
  - {person: Grace}
implementation: \"Good day, {{ person }}!\"
";

/// Answers with an object.
const SUM: &str = "name: sum
description: Adds two numbers
parameters:
  a: {type: integer, description: One}
  b: {type: integer, description: The other}
output:
  type: json
  schema: {type: object, properties: {sum: {type: integer}}, required: [sum]}
annotations: {read_only: true}
implementation: '{\"sum\": {{ a + b }}}'
";

/// A project with both tools.
fn project() -> Project {
    let project = Project::new();
    let config = "hosts: {mcp: {menus: [prompts, resources]}}\n";
    project
        .file(".cogtoolrc.yaml", config)
        .file("tools/greet.yaml", GREET)
        .file("tools/sum.yaml", SUM);
    project
}

fn server() -> PathBuf {
    crate::programs().join("cogtools-mcp")
}

/// Where clients are installed.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts")
}
