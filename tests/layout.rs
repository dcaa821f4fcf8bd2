//! The rules of the repository: dependencies of crates, sizes of files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::repository;

/// The maximum number of lines of a Rust file.
const LINES: usize = 600;
/// The maximum number of lines of a module's documentation.
const WORDS: usize = 10;
/// Names that do not describe the content.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "helper", "helpers", "common", "misc", "shared", "stuff",
];

/// The libraries, from the ground up: each may depend on those before it, and on no program.
const LIBRARIES: [&str; 16] = [
    "njk",
    "cogtools-js-syntax",
    "cogtools-lenient-json",
    "cogtools-hosts",
    "cogtools-confine",
    "cogtools-document",
    "cogtools-process",
    "cogtools-core",
    "cogtools-http",
    "cogtools-program",
    "cogtools-edit",
    "cogtools-log",
    "cogtools-executor",
    "cogtools-model",
    "cogtools-agent",
    "cogtools-code",
];

/// Every file of the repository with this extension, unless git ignores it.
pub(crate) fn files(ending: &str) -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(repository())
        .output()
        .expect("git lists the files");
    assert!(listed.status.success(), "{listed:?}");
    let names = String::from_utf8(listed.stdout).expect("names are text");
    let files: Vec<PathBuf> = names
        .split('\0')
        .map(PathBuf::from)
        .filter(|name| name.extension().is_some_and(|found| found == ending))
        .filter(|name| repository().join(name).is_file())
        .collect();
    assert!(!files.is_empty(), "no file ends in .{ending}");
    files
}

pub(crate) fn read(name: &Path) -> String {
    fs::read_to_string(repository().join(name))
        .unwrap_or_else(|error| panic!("{}: {error}", name.display()))
}

/// Asserts that there are no complaints.
#[track_caller]
pub(crate) fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

pub(crate) fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
        .current_dir(repository())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

pub(crate) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

/// The members of the workspace with what they need to be built (not tested).
pub(crate) fn members(metadata: &Value) -> Vec<(&str, Vec<&str>)> {
    let ids: Vec<&Value> = list(metadata, "workspace_members").collect();
    list(metadata, "packages")
        .filter(|package| ids.contains(&&package["id"]))
        .map(|package| {
            let needed = list(package, "dependencies").filter(|other| other["kind"].is_null());
            let needed = needed.filter_map(|other| other["name"].as_str());
            (
                package["name"].as_str().unwrap_or_default(),
                needed.collect(),
            )
        })
        .collect()
}

/// Decides whether the crate `name` may depend on the crate `other`.
fn may_depend(name: &str, other: &str) -> bool {
    let floor = |name: &str| LIBRARIES.iter().position(|library| *library == name);
    match (name, floor(name), floor(other)) {
        ("cogtools" | "xtask" | "xtask-manual", ..) => other != "cogtools-test-support",
        // Confined programs link as little as possible.
        ("cogtools-confine", ..) => other == "cogtools-hosts",
        (_, _, None) => false,
        (_, Some(upper), Some(lower)) => lower < upper,
        (_, None, Some(_)) => true,
    }
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata();
    let members = members(&metadata);
    let ours: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let mut complaints = Vec::new();
    for (name, needed) in &members {
        complaints.extend(
            needed
                .iter()
                .filter(|other| ours.contains(other) && !may_depend(name, other))
                .map(|other| format!("{name} must not depend on {other}")),
        );
        let library = matches!(
            *name,
            "cogtools-core"
                | "cogtools-edit"
                | "cogtools-http"
                | "cogtools-lenient-json"
                | "cogtools-model"
                | "njk"
        );
        if library && needed.contains(&"clap") {
            complaints.push(format!("{name} must not know command lines"));
        }
    }
    none(&complaints);
    let found = ["cogtools-core", "njk"]
        .iter()
        .all(|name| ours.contains(name));
    assert!(found, "{ours:?}");
}

#[test]
fn only_one_crate_links_tls() {
    let lock = read(Path::new("Cargo.lock"));
    let needs = |name: &str| lock.contains(&format!("\nname = \"{name}\"\n"));
    assert!(needs("jsonschema"), "this is not our lock file");
    for unwanted in ["reqwest", "native-tls", "ureq", "hyper-rustls"] {
        assert!(!needs(unwanted), "{unwanted} is among the dependencies");
    }
    let users = lock
        .split("[[package]]\n")
        .filter(|package| package.contains("\n \"tokio-rustls\",\n"));
    let users: Vec<&str> = users.filter_map(|package| package.lines().next()).collect();
    assert_eq!(users, ["name = \"cogtools-http\""]);
}

/// The number of lines written by hand: a command renews the text in `str!`.
fn written(text: &str) -> usize {
    let mut expected = false;
    let by_hand = text.lines().filter(|line| {
        let begins = line.contains("str![[r#") && line.ends_with("#\"");
        let ends = line.starts_with("\"#") && line.contains("]]");
        let by_hand = !expected;
        expected = begins || expected && !ends;
        by_hand
    });
    by_hand.count()
}

#[test]
fn files_are_short_and_have_telling_names() {
    let mut complaints = Vec::new();
    for file in files("rs") {
        let lines = written(&read(&file));
        if lines > LINES {
            complaints.push(format!("{} has {lines} lines", file.display()));
        }
        let stem = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        if EMPTY_NAMES.contains(&stem) {
            complaints.push(format!("{} is not named for what it holds", file.display()));
        }
    }
    none(&complaints);
}

#[test]
fn every_module_says_what_it_is() {
    let mut complaints = Vec::new();
    for file in files("rs") {
        let text = read(&file);
        let words = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .count();
        let own = file.starts_with("crates/lib/njk") || words <= WORDS;
        if words == 0 || !own {
            complaints.push(format!(
                "{} opens with {words} lines of `//!`",
                file.display()
            ));
        }
    }
    none(&complaints);
}

#[test]
fn binaries_are_one_statement() {
    for file in files("rs") {
        let text = read(&file);
        let package = Path::new("crates/porcelain/cogtools/src");
        if ["bin", "stub"]
            .iter()
            .any(|kind| file.starts_with(package.join(kind)))
        {
            let start = text
                .find("fn main()")
                .unwrap_or_else(|| panic!("{}", file.display()));
            assert_eq!(text[start..].lines().count(), 3, "{}", file.display());
        }
    }
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let mut complaints = Vec::new();
    for file in files("toml")
        .iter()
        .filter(|file| file.ends_with("Cargo.toml"))
    {
        let text = read(file);
        // The fuzz targets are a separate workspace with its own flags.
        let workspace = text.contains("\n[workspace]\n") || text.starts_with("[workspace]\n");
        if !workspace && !text.contains("[lints]\nworkspace = true\n") {
            complaints.push(format!("{} does not", file.display()));
        }
    }
    none(&complaints);
    let has_line = |file: &str, line| read(Path::new(file)).lines().any(|other| other == line);
    assert!(has_line("clippy.toml", "too-many-lines-threshold = 100"));
    for lint in [
        "unsafe_code = \"forbid\"",
        "too_many_lines = \"warn\"",
        "unwrap_used = \"warn\"",
    ] {
        assert!(has_line("Cargo.toml", lint), "{lint} is not in the table");
    }
}
