//! Approved packages: what they run lies in them, or is a program of the system.

use cogtools_test_support::{Outcome, Project, str};

use crate::packages::depend_on_pk;
use crate::run;

/// A project with the package `pk`, whose tool `pk_run` has this implementation. The
/// project has files of its own that leave a trace when they run.
pub(super) fn scene(implementation: &str) -> Project {
    let project = Project::new();
    depend_on_pk(&project)
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .program("node_modules/pk/tools/run", "#!/bin/sh\necho ran\n")
        .program("evil.sh", "#!/bin/sh\necho >> ran; echo evil\n")
        .program("node_modules/other/evil.sh", "#!/bin/sh\necho >> ran\n")
        .file("sh", "echo >> ran\n")
        .file("node.js", "require('fs').writeFileSync('ran', '')\n")
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

pub(super) fn trust(project: &Project) -> Outcome {
    run("cogtools-trust", project).args(["pk", "--yes"]).run()
}

pub(super) fn call(project: &Project) -> Outcome {
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
    let outcome = trust(project);
    outcome.status(77).stderr_is(error("cogtools-trust"));
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
        ("{exec: [make, --file=evil.sh]}", evil),
        ("{exec: [make, -fevil.sh]}", evil),
        ("{exec: [env, BASH_ENV=evil.sh, bash, -c, 'true']}", evil),
        (
            "{exec: [sh, sh]}",
            "it runs `[ROOT]/sh`, which is outside its package",
        ),
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
