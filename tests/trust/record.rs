//! The record of approvals: where it is, and what happens to it.

use std::fs;
use std::thread;

use cogtools_test_support::{Project, str};
use serde_json::{Value, json};

use super::{REVIEW, UNKNOWN, call, trust, with_package, with_provider};
use crate::run;

const RECORD: &str = "../home/.local/state/cogtools/trust.json";

#[test]
fn an_unreadable_record_approves_nothing() {
    let wrong = |what: &str| {
        format!(
            "error[INVALID_CONFIG]: `[HOME]/.local/state/cogtools/trust.json` is not a valid record of approvals: {what}\n\
             hint: remove `[HOME]/.local/state/cogtools/trust.json` and approve again what you need\n"
        )
    };
    for (content, what) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("[]", "unknown version"),
        ("{\"version\": 0, \"allowed\": {}}", "unknown version"),
        (
            "{\"version\": 2, \"grants\": []}",
            "written by a newer cogtools (format 2)",
        ),
        (
            "{\"version\": 1, \"allowed\": 7}",
            "invalid type: integer `7`, expected a map",
        ),
        (
            "{\"version\": 1, \"allowed\": {}, \"all\": true}",
            "unknown field `all`, expected one of `version`, `allowed`, `projects`",
        ),
    ] {
        let project = with_package();
        project.file(RECORD, content);
        call(&project, "pk_run").fails(
            78,
            format!(
                "cogtools-call: {}",
                wrong(what).replace("CONFIG]: ", "CONFIG]: pk_run: ")
            ),
        );
        trust(&project, &["pk"]).fails(78, format!("cogtools-trust: {}", wrong(what)));
        assert_eq!(project.read(RECORD), content);
        call(&project, "pk_say").outputs(str!["said"]);
    }
}

#[test]
fn a_record_that_cannot_be_written_is_named() {
    let project = with_package();
    fs::remove_dir_all(project.path("../home/.local/state")).expect("it exists");
    project.file("../home/.local/state", "a file");
    trust(&project, &["pk"]).fails(
        74,
        str![[r#"
cogtools-trust: error[IO_FAILED]: `[HOME]/.local/state/cogtools/trust.json` cannot be read: Not a directory (os error 20)
hint: check that the file is readable

"#]],
    );
    call(&project, "pk_run").fails(
        74,
        str![[r#"
cogtools-call: error[IO_FAILED]: pk_run: `[HOME]/.local/state/cogtools/trust.json` cannot be read: Not a directory (os error 20)
hint: check that the file is readable

"#]],
    );
    // There, nothing is found, and nothing can be created.
    run("cogtools-trust", &project)
        .env("XDG_STATE_HOME", "/proc")
        .args(["--yes", "pk"])
        .run()
        .expect(
            74,
            REVIEW,
            str![[r#"
cogtools-trust: error[IO_FAILED]: cannot write `/proc/cogtools/trust.json`: No such file or directory (os error 2)
hint: free some space, or make its folder writable

"#]],
        );
}

#[test]
fn without_a_home_nothing_is_approved() {
    let project = with_package();
    for home in ["", "relative"] {
        run("cogtools-trust", &project)
            .env("HOME", home)
            .args(["--yes", "pk"])
            .run()
            .expect(
                74,
                REVIEW,
                str![[r#"
cogtools-trust: error[IO_FAILED]: no directory to record approvals in
hint: set HOME, or XDG_STATE_HOME

"#]],
            );
        run("cogtools-call", &project)
            .env("HOME", home)
            .arg("pk_run")
            .run()
            .fails(77, UNKNOWN);
    }
    let state = project.home().join("state");
    run("cogtools-trust", &project)
        .env("HOME", "")
        .env("XDG_STATE_HOME", &state)
        .args(["--yes", "pk"])
        .run()
        .text();
    run("cogtools-call", &project)
        .env("HOME", "")
        .env("XDG_STATE_HOME", &state)
        .arg("pk_run")
        .run()
        .outputs(str![[r#"
ran

"#]]);
}

#[test]
fn concurrent_approvals_are_all_recorded() {
    let project = Project::new();
    let names: Vec<String> = (0..8).map(|number| format!("pk{number}")).collect();
    let needs: Vec<String> = names
        .iter()
        .map(|name| format!("\"{name}\": \"1\""))
        .collect();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file(
            "package.json",
            format!("{{\"dependencies\": {{{}}}}}", needs.join(", ")),
        );
    for name in &names {
        project
            .file(
                format!("node_modules/{name}/package.json"),
                r#"{"cogtools": {"tools": ["."]}}"#,
            )
            .file(
                format!("node_modules/{name}/{name}_run.yaml"),
                format!(
                    "name: {name}_run\ndescription: d\nimplementation: {{exec: [echo, {name}]}}\n"
                ),
            );
    }
    thread::scope(|scope| {
        for name in &names {
            let project = &project;
            scope.spawn(move || trust(project, &[name]).text());
        }
    });
    for name in &names {
        call(&project, &format!("{name}_run")).outputs(format!("{name}\n"));
    }
}

#[test]
fn missing_sources_are_forgotten() {
    let project = with_package();
    trust(&project, &["pk"]).text();
    let provider = with_provider();
    let there = |args: &[&str]| {
        run("cogtools-trust", &provider)
            .home(project.home())
            .args(args)
            .run()
    };
    there(&["--yes", "other"]).text();
    let root = project.root().display().to_string();
    let read = || -> Value { serde_json::from_str(&project.read(RECORD)).expect("it is JSON") };
    let identity = read()["projects"][&root].clone();
    trust(&project, &["--prune"]).outputs(str![[r#"
forgot 0

"#]]);
    provider.file(".cogtoolrc.yaml", "");
    there(&["--prune"]).outputs(str![[r#"
forgot 2

"#]]);
    fs::remove_dir_all(project.path("node_modules/pk")).expect("it can be removed");
    there(&["--prune"]).outputs(str![[r#"
forgot 1

"#]]);
    assert_eq!(
        read(),
        json!({"version": 1, "allowed": {}, "projects": {root: identity}})
    );
}
