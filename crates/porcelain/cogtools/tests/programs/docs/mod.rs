//! Whole runs of `cogtools docs`.

mod bytes;
mod diagnostic;
mod report;

use std::fs;

use cogtools::docs::PROGRAM;
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::Project;

const BEGIN: &str = "<!-- cogtools:begin (`cogtools docs` writes this table) -->\n";
const END: &str = "<!-- cogtools:end -->\n";

const TABLE: &str = r"| Tool | What it is for | Arguments |
|---|---|---|
| `ask` | Ask &lt;!-- cogtools:end --> \| \`nothing\` else. | `question`, `why` (optional) |
| `ping` | Say ping |  |
";

const ASK: &str = r"name: ask
description: |
  Ask <!-- cogtools:end --> | `nothing`
  else.
  This is not shown.
parameters:
  question: {type: string, description: What}
  why: {type: string, optional: true, description: Why}
implementation: asked
";

fn project() -> Project {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources:\n  - local: ./tools\n")
        .file("tools/ask.yaml", ASK)
        .file(
            "tools/ping.yaml",
            "name: ping\ndescription: Say ping\nimplementation: pong\n",
        );
    project
}

fn run(project: &Project, args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&project.root(), Terminals::default(), args)
}

fn read(project: &Project, name: &str) -> Vec<u8> {
    fs::read(project.path(name)).expect("the file exists")
}

/// The table between markers, as appended to a file.
fn block() -> String {
    format!("{BEGIN}\n{TABLE}\n{END}")
}
