//! Blocks of data: tools are tools, parameters are parameters, JSON is JSON.

use cogtools_core::owner::Owners;
use cogtools_core::{Config, ConfigPaths, Project as Root};
use cogtools_test_support::{Project, Run, Status};
use serde_json::Value;

use super::block::Block;
use super::documents;

/// The text before `parameters` that makes them a tool.
const AROUND: &str = "name: alone\ndescription: Parameters alone\nimplementation: text\n";

#[test]
fn tools_are_valid() {
    let tools = each(
        // One that shares parts of another file is run by the console block below it.
        |block| block.has_key("implementation") && !block.content.contains("$ref: ./"),
        |at, text| {
            let name = text.lines().find_map(|line| line.strip_prefix("name: "));
            check_strictly(at, name.unwrap_or_else(|| panic!("{at}: no name")), text);
        },
    );
    assert!(tools > 2, "only {tools} tools were found");
}

#[test]
fn parameters_are_valid() {
    let found = each(
        |block| block.has_key("parameters") && !block.has_key("implementation"),
        |at, text| check_strictly(at, "alone", &format!("{AROUND}{text}")),
    );
    assert!(found > 0, "no parameters were found");
}

#[test]
fn configurations_are_valid() {
    let found = each(
        |block| block.has_key("tool_sources"),
        |at, text| {
            let project = Project::new();
            // Some keys are for the user's own configuration.
            let own = text.contains("cwd:");
            project.file(
                if own {
                    "../home/.gemini/cogtoolrc.yaml"
                } else {
                    ".cogtoolrc.yaml"
                },
                text,
            );
            let places = ConfigPaths {
                home: Some(project.home()),
                ..ConfigPaths::default()
            };
            let config = Config::load(
                &Root::find(&project.root(), None, &Owners::default()),
                &places,
            );
            assert!(config.is_ok(), "{at}: {config:?}");
        },
    );
    assert!(found > 0, "no configuration was found");
}

#[test]
fn json_is_json() {
    let found = each(
        |block| block.language == "json",
        |at, text| {
            let value = serde_json::from_str::<Value>(text);
            assert!(value.is_ok(), "{at}: {value:?}");
        },
    );
    assert!(found > 0, "no JSON was found");
}

/// Nothing checks a block in any other language; a program in
/// Python is run by the console block below it, Rust shows how to write a test, and a diff a change.
#[test]
fn languages_are_known() {
    let known = [
        "console", "diff", "json", "markdown", "mermaid", "python", "rust", "text", "toml", "yaml",
    ];
    each(
        |block| !known.contains(&block.language.as_str()),
        |at, _| panic!("{at}: a block in no language, or in one that is not checked"),
    );
}

/// Checks every block that is `wanted`, with its location, and counts them. The rules
/// of the linter show invalid tools on purpose; its own tests run them.
fn each(wanted: impl Fn(&Block) -> bool, check: impl Fn(&str, &str)) -> usize {
    let mut found = 0;
    let rules = "docs/reference/lint-rules.md";
    for document in documents().iter().filter(|document| document.name != rules) {
        for block in document.blocks.iter().filter(|block| wanted(block)) {
            check(&format!("{}:{}", document.name, block.line), &block.content);
            found += 1;
        }
    }
    found
}

/// Checks the tool at a location with `cogtools-discover --strict`.
fn check_strictly(at: &str, name: &str, text: &str) {
    let project = Project::new();
    project.file(format!("tools/{name}.yaml"), text);
    let outcome = Run::new(crate::programs().join("cogtools-discover"))
        .arg("--strict")
        .project(&project)
        .run();
    let fine = outcome.status == Status::Exit(0) && outcome.stderr.is_empty();
    assert!(fine, "{at}: {outcome}");
}
