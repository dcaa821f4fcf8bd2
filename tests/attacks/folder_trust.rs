//! Programs of a cloned repository: nothing of it runs in a folder that the user does not
//! trust. What else trusts a folder is tried in `host_trust`.
//!
//! Before, `cogtools test` and a call by an MCP host ran them at once.

use std::fs;

use cogtools_test_support::{Outcome, Project, Run, str};
use serde_json::json;

use super::owners::{can_give, give};
use crate::run;

/// The failure of a call of a tool in an untrusted project.
pub(super) const DENIED: &str = "\
cogtools-call: error[DENIED]: go: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .
";
/// The failure after the project got another owner or origin.
pub(super) const CHANGED: &str = "\
cogtools-call: error[DENIED]: go: it runs a program, and its project has another owner or origin than when it was trusted
hint: only the user can trust it, after reviewing its tools: cogtools trust .
";

/// The command trusts the project of the call, and not the one around the user's shell.
#[test]
fn a_hint_is_for_the_shell_of_the_user() {
    let project = clone();
    project.file("other/.cogtoolrc.yaml", "");
    let call = run("cogtools-call", &project).cwd(project.path("other"));
    let call = call.args(["-C", "..", "go"]).stdin("{}").run();
    call.fails(77, DENIED.replace("cogtools trust", "cogtools -C .. trust"));
}

/// A fresh clone: two tools that leave a trace, and a template.
pub(super) fn clone() -> Project {
    let project = Project::untrusted();
    project
        .file(".cogtoolrc.yaml", "")
        .file(
            "tools/go.yaml",
            "name: go\ndescription: d\nparameters: {}\nimplementation: {exec: [sh, -c, 'echo >> ran; echo went']}\nexamples: [{}]\n",
        )
        .file(
            "tools/script.yaml",
            "name: script\ndescription: d\nparameters: {}\nimplementation:\n  script: |\n    #!/bin/sh\n    echo >> ran\nexamples: [{}]\n",
        )
        .file(
            "tools/say.yaml",
            "name: say\ndescription: d\nparameters: {}\nimplementation: said\nexamples: [{}]\n",
        );
    project
}

pub(super) fn call(project: &Project) -> Outcome {
    run("cogtools-call", project).arg("go").run()
}

#[track_caller]
pub(super) fn ran_nothing(project: &Project, after: &str) {
    assert!(!project.path("ran").exists(), "after {after}");
}

/// Trusts `root` in Gemini CLI's list, with this value.
pub(super) fn host_trusts(project: &Project, root: &str, value: &str) {
    let list = json!({ root: value }).to_string();
    project.file("../home/.gemini/trustedFolders.json", list);
}

#[test]
fn looking_at_a_clone_runs_nothing() {
    let project = clone();
    let runs: [(&str, &[&str]); 13] = [
        ("cogtools-list", &[]),
        ("cogtools-lint", &[]),
        ("cogtools-test", &[]),
        ("cogtools-test", &["--update"]),
        ("cogtools-test", &["--spawn"]),
        ("cogtools-test", &["tools/go.yaml"]),
        ("cogtools-doctor", &[]),
        ("cogtools-docs", &["--print"]),
        ("cogtools-discover", &[]),
        ("cogtools-lock", &[]),
        ("cogtools-call", &["script"]),
        ("cogtools-yaml", &["tools/go.yaml"]),
        ("cogtools-trust", &["--dry-run", "."]),
    ];
    for (program, args) in runs {
        let _ = run(program, &project).args(args).stdin("{}").run();
        ran_nothing(&project, &format!("{program} {args:?}"));
    }
    call(&project).fails(77, DENIED);
    run("cogtools-yaml", &project)
        .arg("tools/go.yaml")
        .run()
        .fails(77, DENIED.replace("cogtools-call", "cogtools-yaml"));
    run("cogtools-call", &project)
        .arg("call_tool")
        .stdin(r#"{"name": "go", "arguments": {}}"#)
        .run()
        .fails(
            77,
            str![[r#"
cogtools-call: error[DENIED]: go: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]],
        );
    run("cogtools-call", &project)
        .arg("say")
        .run()
        .outputs("said");
    ran_nothing(&project, "the calls");
}

/// One error, rather than one for each example.
#[test]
fn a_test_of_a_clone_fails_once() {
    let project = clone();
    run("cogtools-test", &project).run().fails(
        77,
        "\
cogtools-test: error[DENIED]: nothing was tested: 2 tools run programs, and the project is not trusted
hint: only the user can trust it, after reviewing its tools: cogtools trust .
",
    );
    run("cogtools-test", &project)
        .args(["--update", "say"])
        .run()
        .status(0);
    ran_nothing(&project, "the tests");
}

#[test]
fn a_nested_project_is_not_trusted_with_the_one_around_it() {
    let project = clone();
    project.trust(".");
    call(&project).outputs("went\n");
    project
        .file("vendor/sub/.cogtoolrc.yaml", "")
        .file("vendor/sub/tools/go.yaml", project.read("tools/go.yaml"));
    let nested = || {
        run("cogtools-call", &project)
            .cwd(project.path("vendor/sub"))
            .arg("go")
    };
    nested().run().fails(77, DENIED);
    // Named by its path from the trusted project, too.
    let outcome = run("cogtools-yaml", &project)
        .arg("vendor/sub/tools/go.yaml")
        .run();
    outcome.fails(
        77,
        str![[r#"
cogtools-yaml: error[DENIED]: go: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools -C [ROOT]/vendor/sub trust .

"#]],
    );
    project.trust("vendor/sub");
    nested().run().outputs("went\n");
    call(&project).fails(77, DENIED);
}

#[test]
fn editing_does_not_ask_again_and_another_clone_does() {
    let project = clone();
    run("cogtools-trust", &project)
        .args(["--yes", "."])
        .run()
        .status(0);
    let edited = project.read("tools/go.yaml").replace("went", "edited");
    project.file("tools/go.yaml", edited);
    call(&project).outputs("edited\n");
    project.file(
        ".git/config",
        "[remote \"origin\"]\n\turl = https://example.org/mine.git\n",
    );
    run("cogtools-trust", &project)
        .args(["--yes", "."])
        .run()
        .status(0);
    for config in [
        "[remote \"origin\"]\n\turl = https://example.org/other.git\n",
        "[core]\n",
        "[remote \"fork\"]\n\turl = https://example.org/mine.git\n",
    ] {
        project.file(".git/config", config);
        call(&project).fails(77, CHANGED);
    }
    project.file(
        ".git/config",
        "[remote \"origin\"]\n\turl = https://example.org/mine.git\n",
    );
    call(&project).outputs("edited\n");
}

/// The user has admitted the folders of others, but trusted this one when it was theirs.
#[test]
fn a_folder_that_gets_another_owner_is_trusted_no_longer() {
    let project = clone();
    if !can_give(&project) {
        return;
    }
    project.trust(".").file(
        "../home/.gemini/cogtoolrc.yaml",
        "safe_directories: ['*']\n",
    );
    call(&project).outputs("went\n");
    give(&project, ".");
    let before = project.read("ran");
    call(&project).fails(77, CHANGED);
    assert_eq!(project.read("ran"), before);
}

/// The record names a folder, not a path through a link that can be changed.
#[test]
fn a_link_to_a_trusted_project_is_that_project_only() {
    let project = clone();
    project.trust(".").link("../alias", "project");
    let alias = |project: &Project| -> Run {
        run("cogtools-call", project)
            .cwd(project.path("../alias"))
            .arg("go")
    };
    alias(&project).run().outputs("went\n");
    fs::remove_file(project.path("../alias")).expect("it is a link");
    project
        .file("../other/.cogtoolrc.yaml", "")
        .file("../other/tools/go.yaml", project.read("tools/go.yaml"))
        .link("../alias", "other");
    alias(&project).run().fails(77, DENIED);
}

#[test]
fn creating_a_project_trusts_it_and_a_clone_is_not_created() {
    let project = Project::untrusted();
    run("cogtools-init", &project)
        .arg("--defaults")
        .run()
        .status(0);
    project.file("tools/go.yaml", clone().read("tools/go.yaml"));
    call(&project).outputs("went\n");

    let project = Project::untrusted();
    run("cogtools-new", &project).arg("mine").run().status(0);
    project.file("tools/go.yaml", clone().read("tools/go.yaml"));
    call(&project).outputs("went\n");

    for (program, arg) in [("cogtools-init", "--defaults"), ("cogtools-new", "mine")] {
        let project = clone();
        run(program, &project).arg(arg).run().status(0);
        call(&project).fails(77, DENIED);
        ran_nothing(&project, program);
        // A provider of the repository counts as well.
        let project = Project::untrusted();
        project.file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, {command: {discover: [sh, ./d], call: [sh, ./d], name: p}}]\n",
        );
        let _ = run(program, &project).arg(arg).run();
        project.file("tools/go.yaml", clone().read("tools/go.yaml"));
        call(&project).fails(
            77,
            str![[r#"
cogtools-call: error[DENIED]: go: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]],
        );
        ran_nothing(&project, program);
    }
}

/// Files that no tool lists run, too, or will after the next pull.
#[test]
fn a_folder_with_anything_of_others_is_not_trusted_by_creating_in_it() {
    const REMOTE: &str = "[remote \"up\"]\n\turl = https://example.org/a.git\n";
    for (program, arg) in [("cogtools-init", "--defaults"), ("cogtools-new", "mine")] {
        for (file, text) in [
            (".npmrc", "script-shell=./evil\n"),
            ("node_modules/.bin/cogtools-foo", "#!/bin/sh\n"),
            (".agents/skills/s/scripts/run.sh", "#!/bin/sh\n"),
            ("tools/_hid/evil.yaml", "name: evil\n"),
            ("tools/go.yaml", "name: go\nbogus: 1\n"),
            (".git/config", REMOTE),
            ("../.git/config", REMOTE),
            (".git/packed-refs", "0123 refs/heads/main\n"),
            (".git/refs/heads/main", "0123\n"),
        ] {
            let project = Project::untrusted();
            project.file(file, text);
            let outcome = run(program, &project).arg(arg).run();
            outcome.status(0);
            project.file("tools/go.yaml", clone().read("tools/go.yaml"));
            let outcome = run("cogtools-yaml", &project).arg("tools/go.yaml").run();
            let denied = "it runs a program, and its project is not trusted yet";
            outcome.status(77).stderr_contains(denied);
        }
        // What a person makes first.
        let project = Project::untrusted();
        let config = "[core]\n\tbare = false\n";
        project.file(".git/config", config).dir(".git/refs/heads");
        let outcome = run(program, &project).arg(arg).run();
        outcome.status(0);
        let outcome = run("cogtools-new", &project).arg("second").run();
        outcome.status(0).stderr_is("");
    }
}

#[test]
fn a_project_that_was_revoked_or_has_changed_is_not_trusted_by_creating_in_it() {
    let project = clone();
    let trust = |how: &str| {
        let outcome = run("cogtools-trust", &project).args([how, "."]).run();
        outcome.status(0);
    };
    trust("--yes");
    trust("--revoke");
    let add = |name: &str| run("cogtools-new", &project).arg(name).run();
    let advice = "review it, and trust it:\n    cogtools trust .\n";
    add("one").status(0).stderr_is("").stdout_contains(advice);
    call(&project).fails(77, DENIED);
    let remote = |name: &str| format!("[remote \"origin\"]\n\turl = https://example.org/{name}\n");
    project.file(".git/config", remote("a"));
    trust("--yes");
    add("two").status(0).stderr_is("");
    project.file(".git/config", remote("b"));
    add("three").status(0).stderr_is("").stdout_contains(advice);
    call(&project).fails(77, CHANGED);
}

/// A project without a remote has only its path and its creation.
#[test]
fn another_folder_at_the_path_of_a_trusted_one_asks_again() {
    let project = clone();
    run("cogtools-trust", &project)
        .args([".", "--yes"])
        .run()
        .status(0);
    call(&project).outputs("went\n");
    let (root, away) = (project.root(), project.path("../away"));
    if fs::metadata(&root).and_then(|meta| meta.created()).is_err() {
        return;
    }
    fs::rename(&root, &away).expect("moved");
    fs::create_dir(&root).expect("a folder");
    for name in [".cogtoolrc.yaml", "tools"] {
        fs::rename(away.join(name), root.join(name)).expect("unpacked");
    }
    call(&project).fails(77, CHANGED);
}
