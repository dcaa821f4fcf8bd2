//! Parts of a host or of its environment that trust a project, and parts that do not.

use cogtools_test_support::str;
use serde_json::json;

use super::folder_trust::{DENIED, call, clone, host_trusts, ran_nothing};
use crate::run;
#[test]
fn nothing_in_a_repository_or_its_variables_counts() {
    let project = clone();
    let root = project.root().display().to_string();
    let list = json!({ root.clone(): "TRUST_FOLDER" }).to_string();
    let record =
        format!(r#"{{"version": 1, "allowed": {{}}, "projects": {{"{root}": {{"owner": 0}}}}}}"#);
    project
        .file("trustedFolders.json", &list)
        .file(".gemini/trustedFolders.json", &list)
        .file("trust.json", &record)
        .file("evil/cogtools/trust.json", &record)
        .file("evil/.local/state/cogtools/trust.json", &record)
        .file("evil/.gemini/trustedFolders.json", &list);
    let evil = project.path("evil").display().to_string();
    let listed = project.path("trustedFolders.json").display().to_string();
    for (name, value) in [
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GEMINI_CLI_TRUSTED_FOLDERS_PATH", &listed),
        ("GEMINI_TRUST_FOLDER", "true"),
        ("GEMINI_CLI_HOME", &evil),
        ("GEMINI_TRUST_PARENT", "true"),
        ("TRUST_PARENT", "true"),
    ] {
        let outcome = run("cogtools-call", &project)
            .env(name, value)
            .arg("go")
            .run();
        outcome.fails(77, DENIED);
    }
    // What a host has read from the project's file.
    for (name, value) in [("XDG_STATE_HOME", &evil), ("HOME", &evil)] {
        project.file(".env", format!("{name}={value}\n"));
        let outcome = run("cogtools-call", &project)
            .env(name, value)
            .arg("go")
            .run();
        outcome.fails(
            77,
            str![[r#"
cogtools-call: error[DENIED]: go: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]],
        );
        ran_nothing(&project, name);
    }
}

#[test]
fn only_the_exact_entry_of_the_host_counts() {
    let project = clone();
    let root = project.root();
    let parent = root.parent().expect("it has one").display().to_string();
    let root = root.display().to_string();
    for (folder, value) in [
        (&*parent, "TRUST_FOLDER"),
        (&*parent, "TRUST_PARENT"),
        (&*root, "TRUST_PARENT"),
        (&*root, "DO_NOT_TRUST"),
        (&*root, "trust_folder"),
        (&*format!("{root}/tools"), "TRUST_FOLDER"),
        ("/", "TRUST_FOLDER"),
        ("", "TRUST_FOLDER"),
        (".", "TRUST_FOLDER"),
    ] {
        host_trusts(&project, folder, value);
        call(&project).fails(77, DENIED);
    }
    host_trusts(&project, &root, "TRUST_FOLDER");
    call(&project).outputs("went\n");
    host_trusts(&project, &format!("{root}/"), "TRUST_FOLDER");
    call(&project).outputs("went\n");
}

#[test]
fn a_list_that_others_can_write_does_not_count() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = clone();
    let root = project.root().display().to_string();
    host_trusts(&project, &root, "TRUST_FOLDER");
    let folder = project.home().join(".gemini");
    for (path, open, private) in [
        (folder.join("trustedFolders.json"), 0o666, 0o644),
        (folder.clone(), 0o777, 0o755),
    ] {
        let set = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&path, mode).expect("a mode");
        };
        set(open);
        call(&project).fails(77, DENIED);
        set(private);
    }
    call(&project).outputs("went\n");
}
