//! Declarations for other hosts, checked against the official SDKs of both languages:
//! what these types and validators reject, an API rejects too.

mod curated;
mod features;
mod mock;
mod python;
mod specifications;
mod typescript;

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_test_support::{Project, gemini_complaints};

use crate::{repository, run};

/// Where SDKs are installed.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("hosts")
}

/// The projects whose tools are checked in the format `format`, each with the names of its tools.
fn projects(format: &str) -> Vec<(Project, Vec<String>)> {
    let own = Project::new();
    for entry in fs::read_dir(repository().join("tools")).expect("our own tools") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            let name = path.file_name().unwrap_or_default();
            own.copy(Path::new("tools").join(name), &path);
        }
    }
    [own, features::project(format), features::foreign()]
        .into_iter()
        .map(|project| {
            let names = names(&project);
            assert!(names.len() > 5, "{names:?}");
            (project, names)
        })
        .collect()
}

fn names(project: &Project) -> Vec<String> {
    let declared = run("cogtools-discover", project)
        .arg("--strict")
        .run()
        .json();
    let declared = declared.as_array().expect("a list").iter();
    let names = declared.map(|tool| tool["name"].as_str().expect("a name").to_owned());
    names.collect()
}

/// The declarations in the format `format`, with the two tools of a budget.
fn declared(project: &Project, format: &str) -> String {
    let discover = |args: &[&str]| run("cogtools-discover", project).args(args).run().text();
    let all = discover(&["--format", format]);
    let two = discover(&["--format", format, "--budget", "220"]);
    // Each declaration is one line.
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.len() > 1);
        lines
            .map(|line| line.trim_end_matches(',').to_owned())
            .collect()
    };
    let mut tools = lines(&all);
    let two = lines(&two).split_off(lines(&two).len() - 2);
    tools.extend(two);
    format!("[{}]", tools.join(","))
}

/// A request with `parameters` is not refused because of a keyword.
#[test]
fn parameters_are_what_gemini_takes() {
    for (project, _) in projects("gemini") {
        let declared = serde_json::from_str(&declared(&project, "gemini")).expect("JSON");
        assert_eq!(gemini_complaints(&declared), Vec::<String>::new());
    }
}

/// The names that a check prints, one per line.
fn expected(names: &[String]) -> String {
    let two = ["find_tool".to_owned(), "call_tool".to_owned()];
    let lines = names.iter().chain(&two).map(|name| format!("{name}\n"));
    lines.collect()
}
