//! Expected text: exact comparison, and renewal in the source.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use cogtools_test_support::{Expected, Outcome, Project, Run, Snapshot, assert_text, str};

#[track_caller]
fn refuses(found: &str, expected: impl Into<Expected>) -> String {
    let (found, expected) = (found.to_owned(), expected.into());
    let panic = catch_unwind(|| assert_text(found, expected)).expect_err("this must fail");
    *panic.downcast().expect("a failure comes with a message")
}

#[test]
fn nothing_is_a_wildcard() {
    assert_text("so [..] and [EXE]\n...\n", "so [..] and [EXE]\n...\n");
    refuses("something\n", "so[..]g\n");
    refuses("one\ntwo\n", "...\n");
    refuses("a\\b\n", "a/b\n");
}

#[test]
fn line_ends_count() {
    assert_text(
        "a\n",
        str![[r#"
a

"#]],
    );
    assert_text("a", str!["a"]);
    assert_text("", str![]);
    let message = refuses("a\n", "a");
    assert_eq!(message, "- expected, + found:\n-a  (no line end)\n+a\n");
    let message = refuses("a\r\n", "a\n");
    assert_eq!(message, "- expected, + found:\n-a\n+a\\r\n");
}

/// Expected text on the second line of `a.rs` below `folder`.
fn at(folder: &Path, data: &'static str) -> Snapshot {
    let file = folder.join("a.rs").display().to_string();
    Snapshot {
        file: file.leak(),
        line: 2,
        column: 5,
        data,
    }
}

/// The folder that the tests below renew, if they were started for it.
fn place() -> Option<PathBuf> {
    std::env::var_os("PLACE").map(PathBuf::from)
}

#[test]
fn renewable() {
    if let Some(file) = place() {
        assert_text("b\n", at(&file, "a"));
        assert_text("c", Expected::file(file.join("c.txt")));
    }
}

#[test]
fn not_renewable() {
    if let Some(file) = place() {
        assert_text("\u{1b}[1m\n", at(&file, "a"));
    }
}

/// Runs one of the two above, with expected text in `project`.
fn child(project: &Project, test: &str) -> Run {
    project.file("a.rs", "f(\n    str![\"a\"],\n);\n");
    Run::new(std::env::current_exe().expect("this test has no name"))
        .project(project)
        .args([test, "--exact", "--quiet"])
        .env("PLACE", project.root())
        .env("SNAPSHOTS", "overwrite")
}

#[test]
fn a_failure_says_how_to_renew() {
    let project = Project::new();
    let run = child(&project, "renewable")
        .env("SNAPSHOTS", "verify")
        .run();
    let message = "- expected, + found:\n-a  (no line end)\n+b\n\
                   `cargo xtask bless` renews a.rs:2:5\n";
    failed(&run, message);
}

#[test]
fn text_is_rewritten_in_its_source() {
    let project = Project::new();
    child(&project, "renewable")
        .run()
        .status(0)
        .stderr_is("renewed a.rs:2:5\nrenewed c.txt\n");
    let rewritten = "f(\n    str![[r#\"\nb\n\n\"#]],\n);\n";
    assert_text(project.read("a.rs"), rewritten);
    assert_text(project.read("c.txt"), "c");
}

#[test]
fn invisible_characters_are_not_written() {
    let project = Project::new();
    let reason = "a.rs:2:5 cannot be renewed: \\u{1b} must be spelled out";
    failed(&child(&project, "not_renewable").run(), reason);
    assert_text(project.read("a.rs"), "f(\n    str![\"a\"],\n);\n");
}

#[test]
fn nothing_is_renewed_in_ci() {
    let project = Project::new();
    let run = child(&project, "renewable").env("CI", "true").run();
    failed(&run, "SNAPSHOTS=overwrite is refused where CI=true");
}

/// Asserts that libtest reported this failure.
fn failed(outcome: &Outcome, reason: &str) {
    outcome.status(101).stdout_contains(reason);
}
