//! Programs that a repository brings by PATH: `cogtools NAME` and `cogtools doctor` start
//! none of them before the user trusts it.
//!
//! Before, `cogtools hi` in a clone ran its `node_modules/.bin/cogtools-hi`.

use std::ffi::OsString;

use cogtools_test_support::{Project, Run};

use crate::{programs, run};

/// A clone in which each place that is searched has a `cogtools-hi` and a `gemini`.
fn clone() -> Project {
    let project = Project::untrusted();
    project.file(".cogtoolrc.yaml", "").dir("deep/below");
    for place in ["node_modules/.bin", "bin", "deep/node_modules/.bin", "."] {
        for name in ["cogtools-hi", "gemini", "node", "npm", "man"] {
            let script = format!(
                "#!/bin/sh\necho >> {}\necho evil\n",
                project.path("ran").display()
            );
            project.program(format!("{place}/{name}"), script);
        }
    }
    project
}

/// A PATH with `entry` before the system's.
fn path(entry: &str) -> OsString {
    format!("{entry}:/usr/bin:/bin").into()
}

fn hi(project: &Project, entry: &str) -> Run {
    run("cogtools", project).env("PATH", path(entry)).arg("hi")
}

/// The places of the clone, as entries of PATH.
fn entries(project: &Project) -> Vec<String> {
    let absolute = |name: &str| project.path(name).display().to_string();
    vec![
        "/nowhere".to_owned(),
        absolute("bin"),
        absolute("node_modules/.bin"),
        absolute("tools/../bin"),
        "bin".to_owned(),
        "./bin".to_owned(),
        ".".to_owned(),
        String::new(),
        "node_modules/.bin".to_owned(),
    ]
}

#[test]
fn dispatch_runs_nothing_of_a_clone() {
    let project = clone();
    project.dir("tools");
    for entry in entries(&project) {
        for folder in [".", "deep", "deep/below"] {
            let outcome = hi(&project, &entry).cwd(project.path(folder)).run();
            assert!(!project.path("ran").exists(), "{entry} in {folder}");
            outcome.status(77);
        }
    }
    for entry in entries(&project) {
        let help = run("cogtools", &project).env("PATH", path(&entry));
        help.args(["help", "list"]).run().succeeds();
        assert!(!project.path("ran").exists(), "help, {entry}");
    }
    hi(&project, "/nowhere").run().fails(
        77,
        "\
cogtools: error[DENIED]: hi: `[ROOT]/node_modules/.bin/cogtools-hi` belongs to a project that is not trusted
hint: only the user can trust it, after a review: cogtools trust .
",
    );
    // One that the user has installed is not hidden by it.
    project.program("../home/bin/cogtools-hi", "#!/bin/sh\necho own\n");
    let own = project.home().join("bin").display().to_string();
    hi(&project, &own).run().outputs("own\n");
    let help = run("cogtools", &project)
        .env("PATH", path(&own))
        .args(["help", "hi"])
        .run();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("evil"));
    project.trust(".");
    hi(&project, "/nowhere").run().outputs("evil\n");
}

#[test]
fn a_link_on_path_into_a_clone_is_the_clones() {
    let project = clone();
    project.link("../outside", "project/bin");
    let link = project.path("../outside").display().to_string();
    std::fs::remove_dir_all(project.path("node_modules")).expect("it exists");
    hi(&project, &link).run().status(77);
    assert!(!project.path("ran").exists());
}

#[test]
fn the_doctor_starts_nothing_of_a_clone() {
    let project = clone();
    project
        .file(
            ".gemini/settings.json",
            r#"{"tools": {"discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call"}, "security": {"folderTrust": {"enabled": true}}}"#,
        );
    for name in ["cogtools-discover", "cogtools-call"] {
        let script = format!("#!/bin/sh\necho >> {}\n", project.path("ran").display());
        project.program(format!("bin/{name}"), &script);
        project.program(format!("node_modules/.bin/{name}"), script);
    }
    for entry in entries(&project) {
        for folder in [".", "deep/below"] {
            for args in [&[][..], &["--fix"], &["--policy"]] {
                let doctor = run("cogtools-doctor", &project)
                    .env("PATH", path(&entry))
                    .args(args);
                let _ = doctor
                    .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
                    .cwd(project.path(folder))
                    .run();
                assert!(
                    !project.path("ran").exists(),
                    "{entry} in {folder} {args:?}"
                );
            }
        }
    }
    // The user's own are started.
    let own = path(&programs().display().to_string());
    let _ = run("cogtools-doctor", &project).env("PATH", own).run();
    assert!(!project.path("ran").exists());
}
