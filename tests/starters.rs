//! New tools from `cogtools new` work and have no lint findings, whatever their kind
//! of implementation.

use std::process::Command;

use cogtools_test_support::{Project, str};

use crate::run;

#[test]
fn new_tools_have_no_findings() {
    for template in ["njk", "exec", "script"] {
        let project = Project::new();
        project.file(".cogtoolrc.yaml", "");
        let name = format!("my_{template}");
        let new = run("cogtools-new", &project)
            .args([&name, "--template", template])
            .run();
        new.succeeds();
        run("cogtools-lint", &project)
            .args(["--deny-warnings", &format!("tools/{name}.yaml")])
            .run()
            .outputs(str![[r#"
1 file: nothing to report

"#]]);
    }
}

fn git(project: &Project, args: &[&str]) {
    let status = Command::new("git")
        .args(args)
        .current_dir(project.root())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", project.home())
        .status();
    assert!(status.expect("git runs").success(), "git {args:?}");
}

#[test]
fn a_program() {
    let project = Project::new();
    let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let commit = ["commit", "-q", "--allow-empty", "-m"];
    git(&project, &["init", "-q"]);
    for message in ["one", "two", "three"] {
        git(&project, &[&author[..], &commit, &[message]].concat());
    }
    let new = run("cogtools-new", &project).args(["log", "--template", "exec"]);
    new.run().text();
    let call = run("cogtools-call", &project).arg("log");
    let text = call.stdin("{\"count\": 2}").run().text();
    let names: Vec<&str> = text.lines().filter_map(|line| line.get(8..)).collect();
    assert_eq!(names, ["three", "two"], "{text}");
}

#[test]
fn a_script() {
    let project = Project::new();
    let new = run("cogtools-new", &project).args(["words", "--template", "script"]);
    new.run().text();
    run("cogtools-call", &project)
        .arg("words")
        .stdin("{\"text\": \"Count these four words\"}")
        .run()
        .outputs(str![[r#"
4 words

"#]]);
}
