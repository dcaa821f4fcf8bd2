//! The workflow that makes a release: it runs elsewhere, so its commands are checked
//! against the repository.

use std::collections::BTreeSet;
use std::fs;

use cogtools_test_support::{Project, Run};
use serde_yaml::Value;

use super::{xtask, xtask_program};
use crate::repository;

/// Other programs that the workflow may run.
const OTHERS: [&str; 3] = [EXTENSION, "gh release create ", "sudo apt-get install "];
/// Writes our extension for VS Code, as a user of the program would.
const EXTENSION: &str =
    "cargo run --package cogtools --bin cogtools -- editor install --to dist/cogtools.vsix";

/// Every target that a release is built for.
const TARGETS: [&str; 7] = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
];

fn text() -> String {
    let path = repository().join(".github/workflows/release.yml");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn workflow() -> Value {
    serde_yaml::from_str(&text()).expect("the workflow is YAML")
}

fn jobs(workflow: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let jobs = workflow["jobs"].as_mapping().expect("it has jobs");
    jobs.iter()
        .map(|(name, job)| (name.as_str().unwrap_or_default(), job))
}

/// The values of `key` in all steps.
fn steps(workflow: &Value, key: &str) -> Vec<String> {
    let values: Vec<String> = jobs(workflow)
        .filter_map(|(_, job)| job["steps"].as_sequence())
        .flatten()
        .filter_map(|step| step[key].as_str())
        .map(str::to_owned)
        .collect();
    assert!(!values.is_empty(), "no step has `{key}`");
    values
}

/// The arguments of a command, with placeholders for values known only there.
fn words(command: &str) -> Vec<String> {
    let command = command.replace("${{ matrix.target }}", TARGETS[0]);
    assert!(!command.contains("${{"), "{command}");
    let words = command.split_whitespace();
    words
        .map(|word| word.trim_matches('"').to_owned())
        .collect()
}

#[test]
fn every_command_exists() {
    let mut called = BTreeSet::new();
    for command in steps(&workflow(), "run") {
        for line in command.lines() {
            if OTHERS.iter().any(|other| line.starts_with(other)) {
                continue;
            }
            let rest = line.strip_prefix("cargo xtask ");
            let rest =
                rest.unwrap_or_else(|| panic!("`{line}` is not a command of the repository"));
            let args = words(rest);
            called.insert(args[0].clone());
            // An unknown option makes this fail.
            let help = xtask(args.iter().map(String::as_str).chain(["--help"])).text();
            let usage = format!("Usage: cargo xtask {} ", args[0]);
            let found = help.contains(&usage) || help.contains(usage.trim_end());
            assert!(found, "`{line}`: {help}");
        }
    }
    let expected = ["archive", "ci", "installer", "npm", "publish", "tag"];
    assert_eq!(
        called.iter().collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
}

#[test]
fn the_extension_is_published() {
    let workflow = workflow();
    let steps = steps(&workflow, "run");
    let at = |start: &str| steps.iter().position(|step| step.starts_with(start));
    let written = at(EXTENSION).expect("it is written");
    let published = at("gh release create ").expect("there is a release");
    assert!(written < published && steps[published].ends_with(" dist/*"));
    let project = Project::new();
    let args = EXTENSION.rsplit(" -- ").next().unwrap_or_default();
    let args = args.replace("dist/", "").replace("editor ", "");
    let run = crate::run("cogtools-editor", &project);
    run.args(args.split(' ')).run().status(0);
    assert!(project.path("cogtools.vsix").is_file());
}

#[test]
fn every_target_is_built() {
    let workflow = workflow();
    let matrix = &workflow["jobs"]["archives"]["strategy"]["matrix"]["include"];
    let targets = matrix.as_sequence().expect("it has a matrix").iter();
    let targets: Vec<&str> = targets
        .filter_map(|entry| entry["target"].as_str())
        .collect();
    assert_eq!(targets, TARGETS);
    let unknown = xtask(["archive", "--target", "sparc", "--binaries", "/nowhere"]);
    let known = TARGETS.join(", ");
    unknown.fails(1, format!("xtask: error: `sparc` is not one of {known}\n"));
}

/// The notes of the release are a page here, which names its version and every target.
#[test]
fn the_release_page_names_every_target() {
    let create = "gh release create \"$GITHUB_REF_NAME\" --verify-tag --notes-file ";
    let steps = steps(&workflow(), "run");
    let file = steps.iter().find_map(|step| step.strip_prefix(create));
    let file = file.and_then(|rest| rest.split(' ').next());
    let path = repository().join(file.expect("a file"));
    let page = fs::read_to_string(path).expect("the page");
    let version = env!("CARGO_PKG_VERSION");
    assert!(page.starts_with(&format!("# Release {version}\n")));
    assert!(page.contains(&format!("download/v{version}/install.sh")));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.filter_map(|row| row.split('`').next());
    assert_eq!(rows.collect::<Vec<_>>(), TARGETS);
}

#[test]
fn jobs_follow_each_other_and_ask_for_little() {
    let workflow = workflow();
    let order: Vec<_> = jobs(&workflow)
        .map(|(name, job)| (name, job["needs"].as_str()))
        .collect();
    let expected = [
        ("test", None),
        ("archives", Some("test")),
        ("publish", Some("archives")),
    ];
    assert_eq!(order, expected);
    assert_eq!(workflow["permissions"]["contents"].as_str(), Some("read"));
    for (name, job) in jobs(&workflow) {
        let publishes = name == "publish";
        assert_eq!(job.get("permissions").is_some(), publishes, "{name}");
        assert!(
            job["timeout-minutes"].is_number(),
            "{name} may run for ever"
        );
    }
}

#[test]
fn actions_are_pinned_and_nothing_is_secret() {
    let text = text();
    for action in steps(&workflow(), "uses") {
        let (name, commit) = action.split_once('@').unwrap_or_default();
        let is_hash = commit.len() == 40
            && commit
                .bytes()
                .all(|byte| b"0123456789abcdef".contains(&byte));
        assert!(name.starts_with("actions/") && is_hash, "{action}");
        // The version is for people; the same commit is always the same version.
        let lines = text.lines().filter_map(|line| line.split_once(&*action));
        let comments: BTreeSet<&str> = lines.map(|(_, comment)| comment).collect();
        let version = comments
            .first()
            .and_then(|comment| comment.strip_prefix(" # v"));
        let numbers: Vec<&str> = version.unwrap_or_default().split('.').collect();
        let exact = numbers.len() == 3 && numbers.iter().all(|part| part.parse::<u32>().is_ok());
        assert!(comments.len() == 1 && exact, "{action}: {comments:?}");
    }
    let commits = text.lines().filter(|line| line.contains("uses: ")).count();
    assert_eq!(
        commits,
        steps(&workflow(), "uses").len(),
        "an action outside the steps of a job"
    );
    for word in ["secrets.", "TOKEN: \"", "password"] {
        assert!(!text.contains(word), "the workflow says `{word}`");
    }
}

#[test]
fn the_tag_matches_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    xtask(["tag", &format!("v{version}")]).outputs("");
    xtask(["tag", "v9.9.9"]).fails(
        1,
        format!("xtask: error: the tag of this version is v{version}, not v9.9.9\n"),
    );
}

/// A package is published after the packages that it names.
#[test]
fn programs_are_published_before_the_package_that_names_them() {
    let project = Project::new();
    let platforms = [
        "darwin-arm64",
        "linux-arm64",
        "darwin-x64",
        "win32-x64",
        "linux-x64",
    ];
    let missing = publish(&project);
    let message = "xtask: error: [ROOT]/. has no package darwin-arm64\n";
    missing.fails(1, message);
    for name in platforms.iter().chain(&["cogtools"]) {
        project.file(format!("{name}/package.json"), "{}\n");
    }
    let fake = "#!/bin/sh\n[ $1 = view ] && [ $2 != @cogtools/linux-arm64@$VERSION ] && exit 1\n\
                [ $1 = view ] && echo $VERSION || echo \"npm $*\"\n";
    project.program("bin/npm", fake);
    let lines = platforms.iter().chain(&["cogtools"]).map(|name| {
        if *name == "linux-arm64" {
            format!(
                "@cogtools/{name}@{} is already published\n",
                env!("CARGO_PKG_VERSION")
            )
        } else {
            format!("npm publish [ROOT]/./{name} --access public --provenance\n")
        }
    });
    publish(&project).outputs(lines.collect::<String>());
}

/// `cargo xtask publish` with the npm in `project`.
fn publish(project: &Project) -> cogtools_test_support::Outcome {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut run = Run::new(xtask_program()).project(project);
    for (name, value) in std::env::vars_os() {
        run = run.env(name, value);
    }
    run.args(["publish", "."])
        .env("PATH", format!("{}:{path}", project.path("bin").display()))
        .env("VERSION", env!("CARGO_PKG_VERSION"))
        .run()
}
