//! Approved packages: what they run lies in them, or is a program of the system, and
//! what was hashed is what runs.

use cogtools_test_support::{Outcome, Project, str};

use crate::run;

/// A project with the package `pk`, whose tool `pk_run` has this implementation. The
/// project has files of its own that leave a trace when they run.
fn scene(implementation: &str) -> Project {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
        .program("node_modules/pk/tools/run", "#!/bin/sh\necho ran\n")
        .program("evil.sh", "#!/bin/sh\necho >> ran; echo evil\n")
        .program("node_modules/other/evil.sh", "#!/bin/sh\necho >> ran\n")
        .file("evil.js", "require('fs').writeFileSync('ran', '')\n");
    tool(&project, implementation);
    project
}

fn tool(project: &Project, implementation: &str) {
    project.file(
        "node_modules/pk/tools/pk_run.yaml",
        format!(
            "name: pk_run\ndescription: d\nparameters:\n  f: {{type: string, description: f, \
             optional: true, default: ../evil.sh}}\nimplementation: {implementation}\n"
        ),
    );
}

fn trust(project: &Project) -> Outcome {
    run("cogtools-trust", project).args(["--yes", "pk"]).run()
}

fn call(project: &Project) -> Outcome {
    run("cogtools-call", project).arg("pk_run").run()
}

/// The package is neither approved nor run: what it runs is `what`.
#[track_caller]
fn is_denied(project: &Project, what: &str) {
    let error = |program: &str| {
        format!(
            "{program}: error[DENIED]: pk_run: {what}\nhint: a package must contain everything that \
             it runs; report this to its author, or remove it\n"
        )
    };
    trust(project).fails(77, error("cogtools-trust"));
    assert!(!project.path("ran").exists(), "{what}");
}

/// It was approved, and is denied at the call: what it runs is `what`.
#[track_caller]
fn is_denied_later(project: &Project, what: &str) {
    call(project).fails(
        77,
        format!(
            "cogtools-call: error[DENIED]: pk_run: {what}\nhint: a package must contain everything \
             that it runs; report this to its author, or remove it\n"
        ),
    );
    assert!(!project.path("ran").exists(), "{what}");
}

/// Before, each of these ran a file of the project that no approval had covered.
#[test]
fn literal_arguments_stay_in_the_package() {
    let evil = "it runs `[ROOT]/evil.sh`, which is outside its package";
    let script = "it runs `[ROOT]/evil.js`, which is outside its package";
    for (implementation, what) in [
        ("{exec: [../../../evil.sh]}", evil),
        ("{exec: [sh, evil.sh]}", evil),
        ("{exec: [sh, ./evil.sh]}", evil),
        ("{exec: [sh, ../../../evil.sh]}", evil),
        ("{exec: [sh, -c, '. ../../../evil.sh']}", evil),
        ("{exec: [sh, -c, 'true;./evil.sh']}", evil),
        ("{exec: [sh, '{{ \"./evil.sh\" }}']}", evil),
        ("{exec: [env, A=1, ./evil.sh]}", evil),
        ("{exec: [make, --file=./evil.sh]}", evil),
        ("{exec: [make, -f./evil.sh]}", evil),
        ("{exec: [node, --require=./evil.js, -e, '1']}", script),
        ("{exec: [node, -r, ./evil, -e, '1']}", script),
        ("{exec: [node, evil]}", script),
        (
            "{exec: [node, --import, 'file:./%65vil.js', -e, '1']}",
            script,
        ),
        ("{script: \"#!../../../evil.sh\\n\"}", evil),
        ("{script: \"#!/usr/bin/env -S sh ./evil.sh\\n\"}", evil),
        (
            "{exec: [sh, node_modules/other/evil.sh]}",
            "it runs `[ROOT]/node_modules/other/evil.sh`, which is outside its package",
        ),
        (
            "{exec: [env, PATH=., evil.sh]}",
            "it sets PATH, so that what it runs is unknown",
        ),
        (
            "{exec: [sh, -c, 'PATH=.; evil.sh']}",
            "it sets PATH, so that what it runs is unknown",
        ),
    ] {
        let project = scene(implementation);
        is_denied(&project, what);
    }
}

/// Before, an absolute path into the project was as good as a program of the system.
#[test]
fn absolute_paths_into_the_project_are_not_the_systems() {
    let project = scene("x");
    let evil = project.path("evil.sh").display().to_string();
    let link = project.path("../home/link.sh");
    project.link("../home/link.sh", &evil);
    for implementation in [
        format!("{{exec: ['{evil}']}}"),
        format!("{{exec: [sh, '{}']}}", link.display()),
        format!("{{exec: ['{}']}}", link.display()),
    ] {
        tool(&project, &implementation);
        is_denied(
            &project,
            "it runs `[ROOT]/evil.sh`, which is outside its package",
        );
    }
}

/// Before, the kernel ran the interpreter that a script of the package named.
#[test]
fn interpreters_are_programs_of_the_system() {
    let project = scene("{exec: [./run]}");
    let evil = project.path("evil.sh").display().to_string();
    let own = project
        .path("node_modules/pk/tools/inner")
        .display()
        .to_string();
    project.program("node_modules/pk/tools/inner", "#!/bin/sh\necho inner\n");
    for line in ["./evil.sh", "node_modules/pk/tools/inner", &evil, &own] {
        project.program("node_modules/pk/tools/run", format!("#!{line}\n"));
        is_denied(
            &project,
            &format!(
                "`[ROOT]/node_modules/pk/tools/run` is run by `{}`, which is not a program of the system",
                line.replace(&*project.root().display().to_string(), "[ROOT]")
            ),
        );
    }
    project.program(
        "node_modules/pk/tools/run",
        "#!/usr/bin/env -S sh ./evil.sh\n",
    );
    is_denied(
        &project,
        "`[ROOT]/node_modules/pk/tools/run` is run by `[ROOT]/evil.sh`, which is not a program of the system",
    );
}

/// Before, `tool` on a PATH with relative entries or `node_modules/.bin` was the
/// repository's.
#[test]
fn the_search_path_does_not_lead_into_the_project() {
    let project = scene("{exec: [tool]}");
    for folder in ["bin", "node_modules/.bin"] {
        project.program(format!("{folder}/tool"), "#!/bin/sh\necho >> ran\n");
    }
    trust(&project).text();
    let link = project.path("../home/bin");
    project.link("../home/bin", project.path("bin"));
    for entry in [
        "bin".to_owned(),
        ".".to_owned(),
        project.path("bin").display().to_string(),
        project.path("node_modules/.bin").display().to_string(),
        link.display().to_string(),
    ] {
        let path = format!("{entry}:/usr/bin:/bin");
        run("cogtools-call", &project)
            .env("PATH", &path)
            .arg("pk_run")
            .run()
            .fails(
                78,
                str![[r#"
cogtools-call: error[INVALID_TOOL]: pk_run: the program `tool` was not found
hint: install `tool`, or add its directory to PATH; write `./tool` for a file next to the tool

"#]],
            );
        assert!(!project.path("ran").exists(), "{entry}");
    }
    // What a program of the package starts is searched there, too.
    let project = scene("{exec: [./run]}");
    project
        .program("bin/tool", "#!/bin/sh\necho >> ran\n")
        .program(
            "node_modules/pk/tools/run",
            "#!/bin/sh\ntool 2>&-; echo \"$PATH\"\n",
        );
    trust(&project).text();
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    run("cogtools-call", &project)
        .env("PATH", &path)
        .arg("pk_run")
        .run()
        .outputs("/usr/bin:/bin\n");
    assert!(!project.path("ran").exists());
}

/// A file that appears after the approval, a default of the author's, and a repository
/// around the project.
#[test]
fn each_call_is_checked_again() {
    let what = "it runs `[ROOT]/late.sh`, which is outside its package";
    let project = scene("{exec: [sh, ./late.sh]}");
    trust(&project).text();
    project.program("late.sh", "#!/bin/sh\necho >> ran\n");
    is_denied_later(&project, what);

    let project = scene("{exec: [sh, '{{ f }}']}");
    trust(&project).text();
    project.program("../evil.sh", "#!/bin/sh\necho >> ran\n");
    let outcome = call(&project);
    outcome.status(77);
    assert!(!project.path("ran").exists());

    // What the user names is the user's.
    run("cogtools-call", &project)
        .arg("pk_run")
        .stdin(r#"{"f": "./evil.sh"}"#)
        .run()
        .outputs("evil\n");
}

/// Before, the files that had been hashed were opened again to run them, and a program
/// that replaced them in between ran unapproved.
#[test]
fn what_was_hashed_is_what_runs() {
    let project = scene("{exec: [./run, ./node_modules/pk/data.txt]}");
    project
        .file("node_modules/pk/data.txt", "data\n")
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
    call(&project).status(77);
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
    outcome.status(77);
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
    outcome.status(77);
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
