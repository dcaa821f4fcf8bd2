//! Tools that are flows, as `cogtools flow` and hosts run them.

mod agents;
mod asking;
mod code;
mod diagrams;
mod engine;
mod examples;
mod format;
mod lint;
mod presets;
mod private;
mod recorded;
mod resuming;
mod retries;
mod rules;
mod running;

use cogtools_test_support::{ApiError, FakeGemini, Outcome, Project, Run, Turn, assert_text, str};
use serde_json::{Value, json};

use crate::{programs, run};

/// The tools that flows call.
const TOOLS: [(&str, &str); 3] = [
    (
        "tools/calendar.yaml",
        "\
name: calendar
description: Lists events
capabilities: [calendar.list_events]
parameters: {query: string}
implementation: 'events for {{ query }}'
",
    ),
    (
        "tools/search.yaml",
        "\
name: search
description: Searches
capabilities: [web_search.search]
parameters: {query: string}
implementation: 'results for {{ query }}'
",
    ),
    (
        "tools/broken.yaml",
        "\
name: broken
description: Fails until a file is there
parameters: {}
implementation: {exec: [sh, -c, 'cat there || { echo gone >&2; exit 3; }']}
",
    ),
];

const ALIASES: &str = "\
capability_aliases:
  calendar.find_free_time: calendar.list_events
  web.search: web_search.search
";

/// A project with tools and aliases.
fn project() -> Project {
    let project = Project::new();
    for (path, tool) in TOOLS {
        project.file(path, tool);
    }
    project.file(".cogtoolrc.yaml", ALIASES);
    project
}

/// A project with the flow `f`, which has the parameter `question`.
fn project_with(nodes: &str) -> Project {
    let project = project();
    project.file("tools/f.yaml", flow(nodes));
    project
}

/// A flow with these keys, indented by four blanks but for the first one.
fn flow(keys: &str) -> String {
    let keys = keys.trim_start();
    format!(
        "\
name: f
description: A flow
parameters: {{question: {{type: string, default: what}}}}
implementation:
  flow:
    {keys}"
    )
}

/// A run of `cogtools flow` with these words.
fn flow_run(project: &Project, words: &[&str]) -> Run {
    run("cogtools-flow", project).args(words)
}

/// The output of `cogtools flow run f`.
fn output_of(nodes: &str) -> Outcome {
    flow_run(&project_with(nodes), &["run", "f"]).run()
}

/// The output of `cogtools flow trace`, without times and names of sessions.
fn traced(project: &Project, words: &[&str]) -> String {
    let text = flow_run(project, &["trace"]).args(words).run().text();
    let lines = text.lines().map(|line| match line.rsplit_once(", ") {
        Some((line, time)) if time.ends_with(" ms") => line,
        Some((line, name)) if name.starts_with("session ") => line,
        _ => line,
    });
    lines.collect::<Vec<&str>>().join("\n") + "\n"
}

/// A line about a node, without the time that it took.
fn without_ms(mut line: Value) -> Value {
    if let Some(line) = line.as_object_mut() {
        line.remove("ms");
    }
    line
}
