//! Private copies of approved packages: what was hashed is what runs.

use super::packages::{call, scene, trust};
use crate::run;
use cogtools_test_support::str;

/// Before, the files that had been hashed were opened again to run them, and a program
/// that replaced them in between ran unapproved.
#[test]
fn what_was_hashed_is_what_runs() {
    let project = scene("{exec: [./run, ./node_modules/pk/data.txt]}");
    project
        .file("node_modules/pk/data.txt", "data\n")
        .file(
            "node_modules/pk/tools/pk_run.yaml",
            project
                .read("node_modules/pk/tools/pk_run.yaml")
                .replace("implementation", "sandbox: {write: [.]}\nimplementation"),
        )
        .program(
            "node_modules/pk/tools/run",
            "#!/bin/sh\necho \"$0\"; cat \"$1\"; echo \"$1\"; pwd\necho evil > node_modules/pk/data.txt\n",
        );
    trust(&project).text();
    let text = call(&project).text();
    let lines: Vec<&str> = text.lines().collect();
    let [program, data, argument, cwd] = lines.as_slice() else {
        panic!("{text}");
    };
    let store = "[HOME]/.local/state/cogtools/packages/";
    assert!(program.starts_with(store), "{program}");
    assert!(program.ends_with("/node_modules/pk/tools/run"), "{program}");
    assert_eq!(*data, "data");
    assert!(argument.starts_with(store), "{argument}");
    assert_eq!(*cwd, "[ROOT]");
    // It has changed its own installed files.
    call(&project).fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: pk_run: it runs commands and comes from the package `pk`, which has changed since it was approved
hint: only the user can approve it, after reviewing what it runs: cogtools trust pk

"#]],
    );
    project.file("node_modules/pk/data.txt", "data\n");
    call(&project).text();
}

/// The copy belongs to the user alone, and a program cannot add to it by accident.
#[test]
#[cfg(unix)]
fn the_copy_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = scene("{exec: [./run]}");
    trust(&project).text();
    call(&project).outputs("ran\n");
    let store = project.home().join(".local/state/cogtools/packages");
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path)
            .expect("it exists")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&store), 0o700);
    std::fs::set_permissions(&store, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let outcome = call(&project);
    outcome.fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: pk_run: `[HOME]/.local/state/cogtools/packages`, for private copies, is not a folder of its user alone
hint: remove `[HOME]/.local/state/cogtools/packages`

"#]],
    );
    std::fs::set_permissions(&store, std::fs::Permissions::from_mode(0o700)).expect("it is ours");
    run("cogtools-trust", &project)
        .args(["--revoke", "pk"])
        .run()
        .text();
    let left = std::fs::read_dir(&store).expect("it exists").count();
    assert_eq!(left, 0);
    // Without a place for the copy nothing runs.
    trust(&project).text();
    std::fs::remove_dir(&store).expect("it is empty");
    std::fs::write(&store, "").expect("it can be written");
    let outcome = call(&project);
    outcome.fails(
        77,
        str![[r#"
cogtools-call: error[DENIED]: pk_run: `[HOME]/.local/state/cogtools/packages`, for private copies, is not a folder of its user alone
hint: remove `[HOME]/.local/state/cogtools/packages`

"#]],
    );
    assert!(outcome.stdout.is_empty());
}

/// A module finds the dependencies that its package names: nested, beside it, in a
/// scope, in pnpm's store, and further up.
#[test]
fn dependencies_are_found_from_the_copy() {
    let script =
        "#!/bin/sh\ncat ../node_modules/nested/x ../../beside/x ../../@s/scoped/x ../../up/x\n";
    let run_file = "#!/bin/sh\ncd \"$(dirname \"$0\")\" && exec ./inner\n";
    for folder in ["node_modules/pk", "node_modules/.pnpm/pk@1/node_modules/pk"] {
        let project = scene("{exec: [./run]}");
        let beside = folder.trim_end_matches("/pk");
        if folder != "node_modules/pk" {
            std::fs::remove_dir_all(project.path("node_modules/pk")).expect("it exists");
            project.link("node_modules/pk", ".pnpm/pk@1/node_modules/pk");
        }
        let up = if folder == "node_modules/pk" {
            "../node_modules"
        } else {
            "node_modules"
        };
        project
            .file(
                format!("{folder}/package.json"),
                r#"{"name": "pk", "cogtools": {"tools": ["tools"]}, "dependencies": {"beside": "1", "@s/scoped": "1", "up": "1", "../../evil": "1", "absent": "1"}}"#,
            )
            .file(format!("{folder}/node_modules/nested/x"), "nested\n")
            .file(format!("{beside}/beside/x"), "beside\n")
            .file(format!("{beside}/@s/scoped/x"), "scoped\n")
            .file(format!("{up}/up/x"), "up\n")
            .file(
                format!("{folder}/tools/pk_run.yaml"),
                "name: pk_run\ndescription: d\nimplementation: {exec: [./run]}\n",
            )
            .program(format!("{folder}/tools/run"), run_file)
            .program(format!("{folder}/tools/inner"), script);
        trust(&project).text();
        call(&project).outputs("nested\nbeside\nscoped\nup\n");
    }
}
