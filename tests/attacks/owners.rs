//! Projects and programs of other users in shared folders. Before, all users who
//! worked below such a folder ran their tools.

use std::os::unix::fs::{MetadataExt as _, lchown};
use std::path::Path;

use cogtools_test_support::{Outcome, Project, str};
use serde_json::json;

use super::served::serve;
use crate::{run, unprivileged};

/// A user who is not in the list of users.
const STRANGER: u32 = 54_321;
/// A tool of the stranger.
pub(super) const EVIL: &str = "name: evil\ndescription: d\nimplementation: evil\n";

/// A project with the folder `work`, whose files belong to another user; `None` if this
/// user cannot give files away.
pub(super) fn shared(files: &[&str]) -> Option<Project> {
    let project = Project::new();
    project.file("tools/evil.yaml", EVIL).dir("work");
    if !can_give(&project) {
        return None;
    }
    for file in files {
        give(&project, file);
    }
    Some(project)
}

/// Returns true if this user can give the files of `project` away.
#[expect(clippy::print_stderr, reason = "a line says what was not tested")]
pub(crate) fn can_give(project: &Project) -> bool {
    let is_root = project.root().metadata().expect("a folder").uid() == 0;
    if !is_root {
        eprintln!("skipped: only root can give files away");
    }
    is_root
}

/// Makes `file` belong to the stranger.
pub(crate) fn give(project: &Project, file: &str) {
    lchown(project.path(file), Some(STRANGER), None).expect("root may do that");
}

pub(super) fn call(project: &Project, cwd: &str) -> Outcome {
    run("cogtools-call", project)
        .cwd(project.path(cwd))
        .arg("evil")
        .stdin("{}")
        .run()
}

const ADMIT: &str = "hint: if you trust that user, add `safe_directories: [[ROOT]]` to \
                     ~/.gemini/cogtoolrc.yaml\n";

#[test]
fn a_marker_of_another_user_marks_no_project() {
    for marker in [".cogtoolrc.yaml", ".git/HEAD", ".gemini/x", "package.json"] {
        let Some(project) = shared(&[]) else {
            return;
        };
        project.file(marker, "{\"cogtools\": {}}");
        let top = Path::new(marker).iter().next().expect("a name");
        let top = top.to_string_lossy();
        give(&project, &top);
        let warning = format!(
            "cogtools-call: warning[DENIED]: `[ROOT]/{top}` belongs to user {STRANGER}, not to \
             you; its project is not used\n{ADMIT}"
        );
        let outcome = call(&project, "work");
        outcome.status(127).stderr_contains(&warning).stdout_is("");
        let outcome = serve(&project, "tools/list", &json!({}));
        outcome
            .status(0)
            .stderr_contains(&warning.replace("cogtools-call", "cogtools-mcp"));
    }
}

/// Before: the file became the user's own, with the sources that the stranger had written.
#[test]
fn the_configuration_of_another_user_is_not_changed() {
    let Some(project) = shared(&[]) else {
        return;
    };
    project.file(".cogtoolrc.yaml", "tool_sources: [{local: ./evil}]\n");
    give(&project, ".cogtoolrc.yaml");
    for change in [
        &["set", "lint.rules.no-schema", "off"][..],
        &["unset", "tool_sources"],
    ] {
        let outcome = run("cogtools-config", &project).args(change).run();
        outcome.status(77).stderr_contains(&format!(
            "error[DENIED]: `[ROOT]/.cogtoolrc.yaml` belongs to user {STRANGER}, not to you; it is \
             not changed"
        ));
    }
    let meta = project.path(".cogtoolrc.yaml").metadata().expect("a file");
    assert_eq!(meta.uid(), STRANGER);
}

#[test]
fn a_link_of_another_user_marks_no_project() {
    let Some(project) = shared(&[]) else {
        return;
    };
    project
        .file("../home/own.yaml", "")
        .link(".cogtoolrc.yaml", "../home/own.yaml");
    give(&project, ".cogtoolrc.yaml");
    call(&project, "work")
        .status(127)
        .stderr_contains("its project is not used");
}

#[test]
fn a_project_of_another_user_is_denied() {
    let Some(project) = shared(&["."]) else {
        return;
    };
    let denied = |program: &str| {
        format!(
            "{program}: error[DENIED]: `[ROOT]` belongs to user {STRANGER}, not to you; its \
             tools are not used\n{ADMIT}"
        )
    };
    call(&project, ".").fails(77, denied("cogtools-call"));
    for program in [
        "cogtools-discover",
        "cogtools-list",
        "cogtools-lint",
        "cogtools-test",
        "cogtools-docs",
    ] {
        let outcome = run(program, &project).run();
        // A host gets a list in any case.
        let list = if program == "cogtools-discover" {
            "[]\n"
        } else {
            ""
        };
        outcome.stdout_is(list).stderr_is(denied(program));
    }
    let outcome = run("cogtools-doctor", &project).run();
    outcome
        .stdout_contains(&format!(
            "belongs to user {STRANGER}, not to you; its tools are not used"
        ))
        .stdout_contains(ADMIT.trim_end());
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert!(!text.contains("no tools yet"), "{text}");
}

#[test]
fn a_folder_of_tools_of_another_user_is_not_used() {
    let Some(project) = shared(&["tools"]) else {
        return;
    };
    call(&project, ".")
        .status(127)
        .stderr_contains("/tools` belongs to user 54321");
    // The user's own configuration does not vouch for its owner.
    project.dir("other").file(
        "other/.cogtoolrc.yaml",
        "tool_sources: [{local: ../tools}]\n",
    );
    call(&project, "other").fails(127, str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: evil: no such tool
hint: cogtools-discover lists all tools
cogtools-call: error[DENIED]: `[ROOT]/other/../tools` belongs to user 54321, not to you; its tools are not used
hint: if you trust that user, add `safe_directories: [[ROOT]/other/../tools]` to ~/.gemini/cogtoolrc.yaml

"#]]);
}

#[test]
fn the_user_can_admit_a_folder() {
    for entry in ["'*'", "ROOT", "ROOT/../*", "'~/../project'"] {
        let Some(project) = shared(&[".", "tools", "tools/evil.yaml"]) else {
            return;
        };
        project.file(".cogtoolrc.yaml", "");
        give(&project, ".cogtoolrc.yaml");
        let entry = entry.replace("ROOT", &project.root().display().to_string());
        project.file(
            "../home/.gemini/cogtoolrc.yaml",
            format!("safe_directories: [{entry}]\n"),
        );
        call(&project, "work").outputs("evil");
    }
}

#[test]
fn a_project_cannot_admit_itself() {
    for entry in ["ROOT/tools", "ROOT/..", "project", "~"] {
        let Some(project) = shared(&["."]) else {
            return;
        };
        let entry = entry.replace("ROOT", &project.root().display().to_string());
        project.file(
            "../home/.gemini/cogtoolrc.yaml",
            format!("safe_directories: [{entry}]\n"),
        );
        call(&project, ".").fails(
            77,
            str![[r#"
cogtools-call: error[DENIED]: `[ROOT]` belongs to user 54321, not to you; its tools are not used
hint: if you trust that user, add `safe_directories: [[ROOT]]` to ~/.gemini/cogtoolrc.yaml

"#]],
        );
    }
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "safe_directories: ['*']\n");
    run("cogtools-list", &project).run().fails(
        78,
        "\
cogtools-list: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:1: only the user's own configuration may set `safe_directories`
   |
 1 | safe_directories: ['*']
   | ^^^^^^^^^^^^^^^^
hint: move it to ~/.gemini/cogtoolrc.yaml
",
    );
}

#[test]
fn sudo_does_not_make_the_users_project_foreign() {
    let Some(project) = shared(&[".", "tools"]) else {
        return;
    };
    run("cogtools-call", &project)
        .env("SUDO_UID", STRANGER.to_string())
        .arg("evil")
        .stdin("{}")
        .run()
        .outputs("evil");
}

#[test]
fn a_project_of_root_is_everybodys() {
    let project = Project::new();
    project.file("tools/evil.yaml", EVIL);
    unprivileged("cogtools-call", &project)
        .env("SUDO_UID", "0")
        .arg("evil")
        .stdin("{}")
        .run()
        .outputs("evil");
}

#[test]
fn programs_of_another_user_are_not_found() {
    for foreign in ["node_modules", "node_modules/.bin", "bin"] {
        let Some(project) = shared(&[]) else {
            return;
        };
        let folder = if foreign == "bin" {
            "bin"
        } else {
            "node_modules/.bin"
        };
        project.program(format!("{folder}/cogtools-evil"), "#!/bin/sh\necho evil\n");
        let evil = || {
            run("cogtools", &project)
                .cwd(project.path("work"))
                .path(project.path("bin"))
                .arg("evil")
                .run()
        };
        evil().outputs("evil\n");
        give(&project, foreign);
        evil()
            .stdout_is("")
            .status(1)
            .stderr_contains("UNKNOWN_PROGRAM");
    }
}

#[test]
fn packages_of_another_user_are_left_out() {
    let Some(project) = shared(&[]) else {
        return;
    };
    project
        .file("package.json", "{\"dependencies\": {\"p\": \"1\"}}")
        .file(
            "node_modules/p/package.json",
            "{\"cogtools\": {\"tools\": [\"tools\"]}}",
        )
        .file("node_modules/p/tools/evil.yaml", EVIL)
        .file("work/.cogtoolrc.yaml", "tool_sources: [node_modules]\n");
    call(&project, "work").outputs("evil");
    give(&project, "node_modules");
    let outcome = call(&project, "work");
    outcome
        .status(127)
        .stderr_contains("/node_modules` belongs to user 54321");
}
