//! Files of the project that the programs of an approved package load by themselves.
//!
//! Before, they were shown as not covered, and a change was not noticed.

use cogtools_test_support::{Outcome, Project, str};

use super::packages::scene;
use crate::run;

/// A project with an approved package whose tool has this implementation, and programs of
/// the user that only print their names.
fn approved(implementation: &str, files: &[(&str, &str)]) -> Project {
    let project = scene(implementation);
    for (file, content) in files {
        project.file(*file, content);
    }
    for name in ["make", "npm"] {
        project.program(
            format!("../home/bin/{name}"),
            format!("#!/bin/sh\necho {name}\n"),
        );
    }
    program("cogtools-trust", &project, &["pk", "--yes"]).status(0);
    project
}

fn program(name: &str, project: &Project, args: &[&str]) -> Outcome {
    let bin = project.home().join("bin");
    run(name, project)
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .args(args)
        .run()
}

fn call(project: &Project) -> Outcome {
    program("cogtools-call", project, &["pk_run"])
}

#[track_caller]
fn is_changed(project: &Project) {
    call(project).fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: pk_run: it runs commands and comes from the package `pk`, which loads files of the project that were changed or added since it was approved
hint: only the user can approve it, after reviewing what it runs: cogtools trust pk

"#]],
    );
    let list = program("cogtools-trust", project, &["--format=json"]).json();
    assert_eq!(list["sources"][1]["state"], "changed");
}

#[test]
fn a_makefile_that_changes_asks_again() {
    for implementation in [
        "{exec: [make]}",
        "{exec: [make, all]}",
        "{exec: [env, A=1, make]}",
        "{script: \"#!/bin/sh\\ncd . && make all\\n\"}",
    ] {
        let project = approved(implementation, &[("Makefile", "all:\n\techo good\n")]);
        call(&project).outputs("make\n");
        project.file("Makefile", "all:\n\techo evil\n");
        is_changed(&project);
        program("cogtools-trust", &project, &["pk", "--yes"]).status(0);
        call(&project).outputs("make\n");
        // It has precedence.
        project.file("GNUmakefile", "all:\n\techo evil\n");
        is_changed(&project);
    }
}

#[test]
fn a_makefile_that_is_added_asks_again() {
    let project = approved("{exec: [make]}", &[]);
    call(&project).outputs("make\n");
    project.file("Makefile", "all:\n\techo evil\n");
    is_changed(&project);
    project.remove("Makefile");
    call(&project).outputs("make\n");
    program("cogtools-trust", &project, &["--revoke", "pk"]).status(0);
    call(&project).status(77);
}

#[test]
fn the_scripts_of_the_project_ask_again() {
    let manifest = |script: &str, more: &str| {
        format!(r#"{{"scripts": {{"x": "{script}"}}, "dependencies": {{"pk": "1"}}{more}}}"#)
    };
    let good = manifest("good", "");
    let project = approved("{exec: [npm, run, x]}", &[("package.json", &good)]);
    call(&project).outputs("npm\n");
    // What runs is the same.
    project.file("package.json", manifest("good", ", \"version\": \"1\""));
    call(&project).outputs("npm\n");
    project.file("package.json", manifest("evil", ""));
    is_changed(&project);
    // npm accepts a byte order mark, and more than others read.
    for evil in [
        format!("\u{feff}{}", manifest("evil", "")),
        manifest("evil", &format!(", \"pad\": \"{}\"", "x".repeat(1 << 20))),
    ] {
        project.file("package.json", &evil);
        program("cogtools-trust", &project, &["pk", "--yes"]).status(0);
        project.file("package.json", evil.replace("evil", "more"));
        is_changed(&project);
    }
}

/// A package that several projects use, by a link, is approved in each with its makefile.
#[test]
fn the_makefile_of_another_project_asks_again() {
    let project = approved("{exec: [make]}", &[("Makefile", "all:\n\techo good\n")]);
    let other = Project::new();
    let installed = project.path("node_modules/pk");
    other
        .file("package.json", project.read("package.json"))
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file("Makefile", "all:\n\techo evil\n")
        .program("../home/bin/make", "#!/bin/sh\necho make\n")
        .dir("node_modules")
        .link("node_modules/pk", installed.display().to_string());
    // Both have the same user, and thus the same record.
    let call_other = || {
        run("cogtools-call", &other)
            .home(project.home())
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", project.home().join("bin").display()),
            )
            .arg("pk_run")
            .run()
    };
    call_other().status(77).stderr_contains(
        "which loads files of the project that were changed or added since it was approved",
    );
    call(&project).outputs("make\n");
}

#[test]
fn what_is_loaded_is_shown() {
    let project = approved("{exec: [make]}", &[("Makefile", "all:\n\techo good\n")]);
    let text = program("cogtools-trust", &project, &["pk", "--dry-run"]).text();
    let expected =
        "  file      Makefile (16 bytes)\n            | all:\n            | \\techo good\n";
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains("unhashed  make (runs what the project's files tell it to)\n"),
        "{text}"
    );
}
