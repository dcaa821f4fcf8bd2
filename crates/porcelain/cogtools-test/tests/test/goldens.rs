//! `--update` writes and removes golden files, and no other files.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cogtools_test_support::{Project, assert_text, outcome, str};

use crate::{PASSED, SAY, project, run};

fn modified(project: &Project, name: &str) -> SystemTime {
    let meta = std::fs::metadata(project.path(name)).expect("the file exists");
    meta.modified().expect("files have modification times")
}

#[test]
fn missing_golden_files_are_written() {
    let project = Project::new();
    project.file("tools/say.yaml", SAY);
    let stdout = str![[r#"
ok say (2 examples)
  wrote tools/say.1.golden
  wrote tools/say.2.golden

1 tool, 2 examples: all passed; 2 golden files written

"#]];
    outcome!(run(&project, &["--update"])).outputs(stdout);
    assert_text(
        project.read("tools/say.1.golden"),
        str![[r#"
hello Ada

"#]],
    );
    assert_text(
        project.read("tools/say.2.golden"),
        str![[r#"
hello Bob!

"#]],
    );
    outcome!(run(&project, &[])).outputs(PASSED);
    let expected =
        ["say.1.golden", "say.2.golden", "say.yaml"].map(|file| Path::new("tools").join(file));
    assert_eq!(project.files(), expected);
}

#[test]
fn only_different_golden_files_are_written() {
    let project = project();
    project
        .file("tools/say.2.golden", "old")
        .mode("tools/say.2.golden", 0o600);
    let before = modified(&project, "tools/say.1.golden");
    let stdout = str![[r#"
ok say (2 examples)
  wrote tools/say.2.golden

1 tool, 2 examples: all passed; 1 golden file written

"#]];
    outcome!(run(&project, &["--update"])).outputs(stdout);
    assert_eq!(modified(&project, "tools/say.1.golden"), before);
    assert_text(
        project.read("tools/say.2.golden"),
        str![[r#"
hello Bob!

"#]],
    );
    outcome!(run(&project, &["--update"])).outputs(PASSED);
}

#[test]
fn a_link_stays_a_link() {
    let project = project();
    project
        .remove("tools/say.1.golden")
        .file("golden/one", "old")
        .link("tools/say.1.golden", "../golden/one");
    assert_eq!(run(&project, &["--update"]).status, 0);
    assert_text(
        project.read("golden/one"),
        str![[r#"
hello Ada

"#]],
    );
    assert!(project.path("tools/say.1.golden").is_symlink());
}

#[test]
fn stale_golden_files_are_removed() {
    let project = project();
    project
        .file("tools/say.3.golden", "")
        .file("tools/gone.7.golden", "")
        .file("tools/notes.golden", "")
        .file("tools/say.1x.golden", "")
        .file("tools/a.b.1.golden", "");
    let stdout = str![[r#"
ok say (2 examples)
  removed tools/say.3.golden
ok gone (no tool)
  removed tools/gone.7.golden

1 tool, 2 examples: all passed; 2 golden files removed

"#]];
    outcome!(run(&project, &["--update"])).outputs(stdout);
    let left: Vec<PathBuf> = project.files();
    let names = [
        "a.b.1.golden",
        "notes.golden",
        "say.1.golden",
        "say.1x.golden",
        "say.2.golden",
        "say.yaml",
    ];
    assert_eq!(left, names.map(|name| Path::new("tools").join(name)));
}

#[test]
fn golden_files_of_other_tools_are_left_alone() {
    let project = project();
    project
        .file("tools/gone.1.golden", "")
        .file("tools/say.1.golden", "old");
    assert_eq!(run(&project, &["--update", "say"]).status, 0);
    assert_eq!(project.read("tools/gone.1.golden"), "");
    assert_text(
        project.read("tools/say.1.golden"),
        str![[r#"
hello Ada

"#]],
    );
}

#[test]
fn a_failing_example_writes_no_golden_file() {
    let project = Project::new();
    project
        .file("tools/bad.yaml", "name: bad\n")
        .file("tools/bad.1.golden", "old")
        .file(
            "tools/say.yaml",
            "name: say\ndescription: d\nexamples:\n  - {}\n  - {a: 1}\nimplementation: x\n",
        )
        .file("tools/say.2.golden", "old");
    let ended = run(&project, &["--update"]);
    assert_eq!(ended.status, 1, "{}", ended.stdout);
    assert_eq!(project.read("tools/bad.1.golden"), "old");
    assert_eq!(project.read("tools/say.1.golden"), "x");
    assert_eq!(project.read("tools/say.2.golden"), "old");
}

#[test]
fn a_folder_instead_of_a_golden_file_is_reported() {
    let project = Project::new();
    project
        .file(
            "tools/x.yaml",
            "name: x\ndescription: d\nexamples: [{}]\nimplementation: x\n",
        )
        .dir("tools/x.1.golden")
        .dir("tools/x.2.golden");
    let error =
        std::fs::remove_file(project.path("tools/x.2.golden")).expect_err("a folder is not a file");
    let stdout = format!(
        "\
FAILED x (1 example)
  tools/x.yaml: stale: `tools/x.2.golden` has no example
    `tools/x.2.golden` cannot be removed: {error}
    hint: free disk space or grant permission, then run this again
  tools/x.yaml:3:12: example 1: golden: `tools/x.1.golden` cannot be used
    `tools/x.1.golden` is not a regular file
    hint: put a regular file there, or a link to one

1 tool, 1 example: 2 failures
"
    );
    outcome!(run(&project, &["--update"])).expect(
        1,
        stdout,
        str![[r#"
cogtools-test: error[TEST_FAILED]: 2 failures
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
}
