//! A project of an earlier release, with its configuration, lock, approvals, sessions and tapes,
//! opened by the programs of this one. The files are copies: they must never be renewed.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::time::UNIX_EPOCH;

use cogtools_test_support::{Outcome, Project};

use crate::{repository, run};

/// The root in the records of the copied project.
const ROOT: &str = "/tmp/old/project";

/// The copied project, at another place and with the approval that its user gave.
fn project() -> Project {
    let project = Project::untrusted();
    let copies = repository().join("tests/old_projects");
    project.copy_all(&copies);
    project.copy(".cogtoolrc.yaml", copies.join("cogtoolrc.yaml"));
    let root = project.root();
    let metadata = fs::metadata(&root).expect("a project");
    let record = fs::read_to_string(copies.join("trust.json")).expect("a record");
    let (before, after) = record.split_once("\"owner\": 0").expect("an owner");
    let (_, end) = after
        .split_once('\n')
        .and_then(|(_, rest)| rest.split_once('\n'))
        .expect("lines");
    let created = metadata.created().map_or(0, |time| {
        time.duration_since(UNIX_EPOCH)
            .map_or(0, |age| age.as_nanos())
    });
    let record = format!(
        "{}\"owner\": {},\n      \"created\": {created}\n{end}",
        before.replace(ROOT, &root.display().to_string()),
        metadata.uid()
    );
    project
        .file(Project::TRUST, record)
        .mode(Project::TRUST, 0o600);
    project
}

fn cogtools(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools", project).args(args).run()
}

#[test]
fn the_configuration_and_the_lock_are_read() {
    let project = project();
    let listed = cogtools(&project, &["config", "list"]).text();
    for part in [
        "tool_sources=[{local: ./tools}]\n",
        "web.search: web_search.search",
        "lint.rules.no-examples=off\n",
    ] {
        assert!(listed.contains(part), "{part:?} is not in:\n{listed}");
    }
    cogtools(&project, &["lock", "--check"]).succeeds();
    let declared = run("cogtools-discover", &project)
        .args(["--locked", "--strict"])
        .run()
        .text();
    assert_eq!(declared.matches("\"name\"").count(), 7, "{declared}");
}

#[test]
fn approved_tools_run() {
    let project = project();
    let call = |tool: &str, arguments: &str| {
        run("cogtools-call", &project)
            .arg(tool)
            .stdin(arguments)
            .run()
    };
    call("hello", r#"{"person": "Ada"}"#).outputs("Hello, Ada!\n");
    call("my_script", r#"{"text": "Count these four words"}"#).outputs("4 words\n");
    call(
        "my_exec",
        r#"{"text": "name: hello", "paths": ["tools/hello.yaml"]}"#,
    )
    .succeeds();
}

#[test]
fn tapes_and_golden_files_pass() {
    cogtools(&project(), &["test"]).succeeds();
}

#[test]
fn sessions_are_shown_and_go_on() {
    let project = project();
    let shown = |file: &str, parts: &[&str]| {
        let text = cogtools(&project, &["session", "show", file]).text();
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
        cogtools(&project, &["session", "verify", file]).status(0);
    };
    shown(
        "runs/ask.jsonl",
        &[
            "Greet Ada",
            "hello person=Ada",
            "Hello, Ada!",
            "Ada was greeted.",
        ],
    );
    shown("runs/flow.jsonl", &["find_time", "understand", "found"]);
    shown("runs/plan.jsonl", &["hello", "my_js"]);
    let trace = cogtools(&project, &["flow", "trace", "runs/flow.jsonl"]).text();
    assert!(
        trace.contains("understand") && trace.contains("calendar.list_events"),
        "{trace}"
    );
    // The step that failed before runs again, and finds what is there now.
    project.file("tools/found.txt", "no-file-has-this-text\n");
    let resumed = cogtools(&project, &["plan", "resume", "runs/failed.jsonl"]).text();
    assert!(
        resumed.starts_with("Hello, Ada!\n") && resumed.contains("found.txt:1:"),
        "{resumed}"
    );
}

#[test]
fn a_recorded_conversation_is_replayed() {
    let project = project();
    let args = [
        "ask",
        "-q",
        "--provider=openai",
        "--model=fake",
        "--replay=runs/ask.tape",
    ];
    run("cogtools", &project)
        .args(args)
        .arg("Greet Ada")
        .run()
        .outputs("Ada was greeted.\n");
}
