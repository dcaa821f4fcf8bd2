//! Packages: approved as a whole, and again after any change.

use std::fs;

use cogtools_test_support::{Project, str};

use super::{CHANGED, REVIEW, UNKNOWN, call, trust, with_package};
use crate::run;

#[test]
fn programs_require_approval_and_templates_do_not() {
    let project = with_package();
    call(&project, "pk_say").outputs(str!["said"]);
    call(&project, "pk_run").fails(77, UNKNOWN);
    trust(&project, &["pk"]).outputs(format!("{REVIEW}approved package pk\n"));
    call(&project, "pk_run").outputs(str![[r#"
ran

"#]]);
}

#[test]
fn any_change_requires_approval_again() {
    type Change = fn(&Project);
    let changes: [(&str, Change); 7] = [
        ("a program", |project| {
            project.file("node_modules/pk/tools/run", "#!/bin/sh\necho evil\n");
        }),
        ("a tool", |project| {
            project.file(
                "node_modules/pk/tools/pk_run.yaml",
                super::RUN.replace("./run", "ls"),
            );
        }),
        ("another tool", |project| {
            project.file("node_modules/pk/tools/pk_say.yaml", "");
        }),
        ("a new file", |project| {
            project.file("node_modules/pk/lib/deep/new.js", "");
        }),
        ("a hidden file", |project| {
            project.file("node_modules/pk/.hidden", "");
        }),
        ("a file that is gone", |project| {
            project.remove("node_modules/pk/tools/pk_say.yaml");
        }),
        ("a link inside", |project| {
            project.link("node_modules/pk/again", "tools/run");
        }),
    ];
    for (what, change) in changes {
        let project = with_package();
        trust(&project, &["pk"]).text();
        change(&project);
        let outcome = call(&project, "pk_run");
        assert!(outcome.stdout.is_empty(), "{what}");
        outcome.fails(77, CHANGED);
        trust(&project, &[]).outputs(str![[r#"
SOURCE  KIND     STATE     RUNS
.       project  approved
pk      package  changed   pk_run

"#]]);
        call(&project, "pk_run").fails(77, CHANGED);
    }
}

#[test]
fn a_file_and_a_link_are_not_the_same() {
    let project = with_package();
    project.file("node_modules/pk/data", "tools/run");
    trust(&project, &["pk"]).text();
    project
        .remove("node_modules/pk/data")
        .link("node_modules/pk/data", "tools/run");
    call(&project, "pk_run").fails(77, CHANGED);
}

#[test]
fn paths_out_of_the_folder_are_rejected() {
    let denied = |what: &str| {
        format!(
            "error[DENIED]: {what}\nhint: a package must contain everything that it runs; report this to its author, or remove it\n"
        )
    };
    let project = with_package();
    project.program("../home/evil", "#!/bin/sh\necho evil\n");
    trust(&project, &["pk"]).text();
    let run_file = "node_modules/pk/tools/run";
    project
        .remove(run_file)
        .link(run_file, project.home().join("evil"));
    let outside =
        denied("`[ROOT]/node_modules/pk/tools/run` is a link that points outside its package");
    call(&project, "pk_run").fails(
        77,
        format!(
            "cogtools-call: {}",
            outside.replace("[DENIED]: ", "[DENIED]: pk_run: ")
        ),
    );
    trust(&project, &["pk"]).fails(77, format!("cogtools-trust: {outside}"));

    let project = with_package();
    project
        .dir("node_modules/pk/node_modules/x")
        .file("node_modules/pk/node_modules/x/run", "");
    project
        .remove(run_file)
        .link(run_file, "../node_modules/x/run");
    trust(&project, &["pk"]).fails(77, format!("cogtools-trust: {outside}"));

    let project = with_package();
    let made = std::process::Command::new("/usr/bin/mkfifo")
        .arg(project.path("node_modules/pk/pipe"))
        .status();
    assert!(made.expect("mkfifo is there").success());
    trust(&project, &["pk"]).fails(
        77,
        format!(
            "cogtools-trust: {}",
            denied("`[ROOT]/node_modules/pk/pipe` is neither a file nor a folder")
        ),
    );
}

#[test]
fn folders_that_are_not_hashed_have_no_tools() {
    let project = with_package();
    project.file(
        "node_modules/pk/package.json",
        r#"{"name": "pk", "cogtools": {"tools": ["node_modules/x/tools"]}}"#,
    );
    run("cogtools-discover", &project).run().expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the package `pk` cannot be used: `node_modules/pk/package.json`: `"node_modules/x/tools"` is not a folder inside the package
hint: `"cogtools": {"tools": ["tools"]}` names folders of the package; report this to its author, or remove it

"#]],
    );
}

#[test]
fn more_than_is_hashed_is_refused() {
    let project = with_package();
    let file = fs::File::create(project.path("node_modules/pk/large")).expect("it can be made");
    file.set_len((64 << 20) + 1).expect("it can be long");
    trust(&project, &["pk"]).fails(
        77,
        str![[r#"
cogtools-trust: error[DENIED]: `[ROOT]/node_modules/pk` is too large to be approved: more than 4096 files or 64 MiB
hint: copy the tools you need into the project

"#]],
    );
}

#[test]
fn each_location_has_its_own_text() {
    let (one, other) = (with_package(), with_package());
    other.file("node_modules/pk/tools/run", "#!/bin/sh\necho other\n");
    let there = |program| run(program, &other).home(one.home());
    trust(&one, &["pk"]).text();
    there("cogtools-call")
        .arg("pk_run")
        .run()
        .fails(77, UNKNOWN);
    there("cogtools-trust").args(["--yes", "pk"]).run().text();
    there("cogtools-call").arg("pk_run").run().outputs(str![[r#"
other

"#]]);
    call(&one, "pk_run").outputs(str![[r#"
ran

"#]]);
    trust(&one, &["--revoke", "pk"]).outputs(str![[r#"
revoked package pk

"#]]);
    call(&one, "pk_run").fails(77, UNKNOWN);
    there("cogtools-call").arg("pk_run").run().outputs(str![[r#"
other

"#]]);
}

#[test]
fn a_folder_inside_a_package_belongs_to_the_package() {
    for (source, link) in [("./node_modules/pk/tools", false), ("./tools", true)] {
        let project = with_package();
        project.file(
            ".cogtoolrc.yaml",
            format!("tool_sources: [{{local: {source}}}]\n"),
        );
        if link {
            project.link("tools", "node_modules/pk/tools");
        }
        call(&project, "pk_say").outputs(str!["said"]);
        call(&project, "pk_run").fails(77, UNKNOWN);
        trust(&project, &["pk"]).text();
        call(&project, "pk_run").outputs(str![[r#"
ran

"#]]);
        project.file("node_modules/pk/tools/run", "#!/bin/sh\necho evil\n");
        call(&project, "pk_run").fails(77, CHANGED);
    }
}
