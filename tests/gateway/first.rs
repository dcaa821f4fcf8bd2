//! The first example of the page about MCP servers, typed in as it stands.

use std::path::Path;

use cogtools_test_support::Project;

use super::LIMIT;
use crate::run;

const PAGE: &str = include_str!("../../docs/how-to/use-mcp-servers.md");

/// In an empty home and an empty folder, its command adds a server whose tools can be called.
#[test]
fn the_first_example_works_in_an_empty_home() {
    let project = Project::new();
    let command = PAGE
        .lines()
        .find_map(|line| line.strip_prefix("$ cogtools "));
    let (add, server) = command
        .and_then(|it| it.split_once(" -- "))
        .expect("an example");
    let npx = Path::new("/usr/bin/npx");
    assert!(npx.exists(), "the example needs npx");
    let words = add
        .split(' ')
        .chain(["--yes", "--"])
        .chain(server.split(' '));
    let added = run("cogtools", &project).args(words).limit(LIMIT).run();
    added.status(0).stdout_contains("read_graph").stderr_is("");
    let graph = run("cogtools-call", &project).arg("read_graph");
    let graph = graph.limit(LIMIT).run().json();
    assert_eq!(graph["entities"], serde_json::json!([]), "{graph}");
}
