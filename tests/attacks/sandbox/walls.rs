//! Both walls, as root and as a user: namespaces with Landlock, and Landlock alone.

use cogtools_test_support::{Outcome, Project, str};

use super::super::limits::unprivileged;
use super::{call, probe, scene};

/// Landlock alone.
const LANDLOCK: &str = "landlock";

/// A project with secrets, and with what is run later.
fn project() -> Project {
    let project = scene();
    project
        .file(".env", "KEY=1\n")
        .file("app/.npmrc", "token\n")
        .file(".git/config", "url = https://me:word@host/r\n")
        .dir(".git/hooks")
        .file("Makefile", "all:\n");
    project
}

/// Makes the attempts behind the wall `layers`, as root and as a user, with one outcome.
#[track_caller]
fn attempts(sandbox: &str, attempts: &str, layers: &str, expected: &str) {
    for is_root in [true, false] {
        let project = project();
        probe(&project, sandbox, attempts);
        let run = if is_root {
            call(&project)
        } else {
            unprivileged(&project)
                .env("OUTSIDE", "1")
                .env("PATH", "/usr/bin:/bin")
        };
        let outcome: Outcome = run.env("COGTOOLS_SANDBOX_LAYERS", layers).run();
        outcome.outputs(expected);
        assert_eq!(project.read(".env"), "KEY=1\n");
        assert_eq!(project.read("Makefile"), "all:\n");
    }
}

#[test]
fn secrets_are_not_part_of_the_project_unless_they_are_named() {
    for layers in ["", LANDLOCK] {
        attempts(
            "{}",
            "read secrets,read project",
            layers,
            "read secrets: denied\nread project: done\n",
        );
        attempts(
            "{read: [.env]}",
            "read secrets",
            layers,
            "read secrets: done\n",
        );
        attempts(
            "{write: [.]}",
            "read secrets",
            layers,
            "read secrets: denied\n",
        );
    }
}

#[test]
fn a_workspace_is_written_but_not_what_runs_later() {
    let all = "read secrets,write project,write out,write new,write hook,move hook,write makefile,\
               write home,tcp";
    let expected = |new: &str| {
        format!(
            "read secrets: denied\nwrite project: done\nwrite out: done\nwrite new: {new}\n\
             write hook: denied\nmove hook: denied\nwrite makefile: denied\nwrite home: denied\n\
             tcp: denied\n"
        )
    };
    attempts("workspace", all, "", &expected("done"));
    attempts("workspace", all, LANDLOCK, &expected("denied"));
}

#[test]
fn modes_and_times_of_files_stay_where_there_are_namespaces() {
    let all = "change mode,change times";
    attempts("{}", all, "", "change mode: denied\nchange times: denied\n");
    attempts(
        "{}",
        all,
        LANDLOCK,
        "change mode: done\nchange times: done\n",
    );
}

/// Before: names, sizes and times of all files were visible.
#[test]
fn files_of_others_are_not_there_where_there_are_namespaces() {
    let all = "see key,see home,see project";
    let shown = "see project: done\n";
    attempts(
        "{}",
        all,
        "",
        &format!("see key: denied\nsee home: denied\n{shown}"),
    );
    attempts(
        "{}",
        all,
        LANDLOCK,
        &format!("see key: done\nsee home: done\n{shown}"),
    );
}

#[test]
fn a_sandbox_is_a_map_or_a_word() {
    let project = scene();
    probe(&project, "workshop", "tcp");
    call(&project).run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:4:10: `sandbox` takes a map or `workspace`, not a string
   |
 4 | sandbox: workshop
   |          ^^^^^^^^
hint: write `sandbox: workspace`, or `sandbox: {write: [out], net: true}`

"#]],
    );
}
