//! Sources of tools that are missing, unreadable or something else.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cogtools_test_support::{Outcome, Project, str};

use crate::{project_with, run, unprivileged};

const OK: &str = "name: ok\ndescription: d\nimplementation: fine\n";
const DECLARED: &str = "[\n{\"name\":\"ok\",\"description\":\"d\",\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{}}}\n]\n";
const LIST: &str = "hint: cogtools-discover lists all tools\n";
const ABSENT: &str = "error[TOOL_NOT_FOUND]: ok: no such tool\n";

fn discover(project: &Project) -> Outcome {
    run("cogtools-discover", project).run()
}

fn call(project: &Project, name: &str) -> Outcome {
    run("cogtools-call", project).arg(name).run()
}

/// The errors of discovery and of a call for a source that cannot be listed.
#[track_caller]
fn unlisted(project: &Project, diagnostic: &str) {
    discover(project).expect(
        0,
        str![[r#"
[]

"#]],
        format!("cogtools-discover: warning{diagnostic}"),
    );
    run("cogtools-discover", project)
        .arg("--strict")
        .run()
        .expect(
            78,
            str![[r#"
[]

"#]],
            format!("cogtools-discover: error{diagnostic}"),
        );
    call(project, "ok").fails(
        127,
        format!("cogtools-call: {ABSENT}{LIST}cogtools-call: error{diagnostic}"),
    );
}

#[test]
fn standard_folder_need_not_be_there() {
    let project = Project::new();
    discover(&project).outputs(str![[r#"
[]

"#]]);
    call(&project, "ok").fails(127, format!("cogtools-call: {ABSENT}{LIST}"));
}

#[test]
fn configured_folder_must_be_there() {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "tool_sources:\n  - local: ./mine\n");
    unlisted(
        &project,
        "[INVALID_CONFIG]: the folder `mine` does not exist\n\
         hint: create it, or change `tool_sources` (cogtools config list --show-origin shows where)\n",
    );
}

#[test]
fn file_is_no_folder() {
    let project = Project::new();
    project.file("tools", "");
    unlisted(
        &project,
        "[INVALID_CONFIG]: `tools` is not a folder\nhint: name a folder in `tool_sources`\n",
    );
}

#[test]
fn folder_that_links_to_itself() {
    let project = Project::new();
    project.link("tools", "tools");
    let diagnostic = "[INVALID_CONFIG]: the folder `tools` cannot be read: \
                 Too many levels of symbolic links (os error 40)\n\
                 hint: check that the folder is readable\n";
    discover(&project).expect(
        0,
        str![[r#"
[]

"#]],
        format!("cogtools-discover: warning{diagnostic}"),
    );
    call(&project, "ok").fails(
        74,
        str![[r#"
cogtools-call: error[IO_FAILED]: `tools/ok.yaml` cannot be read: Too many levels of symbolic links (os error 40)
hint: check that the file is readable

"#]],
    );
}

#[test]
fn unreadable_input() {
    let project = project_with("ok", OK);
    project
        .file("tools/secret.yaml", OK)
        .mode("tools/secret.yaml", 0o000);
    let diagnostic = "[IO_FAILED]: `tools/secret.yaml` cannot be read: Permission denied (os error 13)\n\
                 hint: check that the file is readable\n";
    unprivileged("cogtools-discover", &project).run().expect(
        0,
        DECLARED,
        format!("cogtools-discover: warning{diagnostic}"),
    );
    unprivileged("cogtools-call", &project)
        .arg("secret")
        .run()
        .fails(74, format!("cogtools-call: error{diagnostic}"));

    project.mode("tools", 0o000);
    unprivileged("cogtools-discover", &project).run().expect(
        0,
        str![[r#"
[]

"#]],
        str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the folder `tools` cannot be read: Permission denied (os error 13)
hint: check that the folder is readable

"#]],
    );
    unprivileged("cogtools-call", &project)
        .arg("ok")
        .run()
        .fails(
            74,
            str![[r#"
cogtools-call: error[IO_FAILED]: `tools/ok.yaml` cannot be read: Permission denied (os error 13)
hint: check that the file is readable

"#]],
        );
}

#[test]
fn what_is_no_file() {
    let project = project_with("ok", OK);
    project
        .dir("tools/folder.yaml")
        .link("tools/gone.yaml", "nowhere")
        .link("tools/round.yaml", "round.yaml");
    let made = Command::new("/usr/bin/mkfifo")
        .arg(project.path("tools/pipe.yaml"))
        .status();
    assert!(made.expect("mkfifo is there").success());
    let folder = "[INVALID_TOOL]: `tools/folder.yaml` is not a regular file\n\
                  hint: put a regular file there, or a link to one\n";
    let gone = "[INVALID_TOOL]: `tools/gone.yaml` is a link to a file that does not exist\n\
                hint: correct the link, or remove it\n";
    let pipe = "[INVALID_TOOL]: `tools/pipe.yaml` is not a regular file\n\
                hint: put a regular file there, or a link to one\n";
    let round = "[IO_FAILED]: `tools/round.yaml` cannot be read: \
                 Too many levels of symbolic links (os error 40)\n\
                 hint: check that the file is readable\n";
    let all = [folder, gone, pipe, round]
        .map(|diagnostic| format!("cogtools-discover: warning{diagnostic}"));
    discover(&project).expect(0, DECLARED, all.concat());
    for (name, status, diagnostic) in [
        ("folder", 78, folder),
        ("gone", 78, gone),
        ("pipe", 78, pipe),
        ("round", 74, round),
    ] {
        call(&project, name).fails(status, format!("cogtools-call: error{diagnostic}"));
        run("cogtools-yaml", &project)
            .arg(format!("tools/{name}.yaml"))
            .run()
            .fails(status, format!("cogtools-yaml: error{diagnostic}"));
    }
}

#[test]
fn files_that_are_not_utf_8() {
    let project = project_with("ok", OK);
    project
        .file("tools/large.yaml", vec![b'#'; (1 << 20) + 1])
        .file("tools/latin.yaml", b"name: latin\ndescription: caf\xe9\n")
        .file("tools/void.yaml", "");
    let large = "[INVALID_TOOL]: `tools/large.yaml` is larger than 1 MiB\n\
                 hint: shorten it; long reference text belongs outside the tool\n";
    let latin = "[INVALID_TOOL]: `tools/latin.yaml` is not valid UTF-8 at byte 28\n\
                 hint: save it as UTF-8\n";
    let void = "[INVALID_TOOL]: tools/void.yaml:1:1: a tool file is a map of keys, not nothing\n   \
                |\n 1 | \n   | ^\nhint: begin with `name: …`\n";
    let all =
        [large, latin, void].map(|diagnostic| format!("cogtools-discover: warning{diagnostic}"));
    discover(&project).expect(0, DECLARED, all.concat());
}

#[test]
fn wrong_file_extension() {
    let project = Project::new();
    project.file("tools/ok.yml", OK);
    discover(&project).outputs(str![[r#"
[]

"#]]);
    call(&project, "ok").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: ok: no such tool
hint: `tools/ok.yml` is ignored: tool files end in `.yaml`
hint: cogtools-discover lists all tools

"#]],
    );
}

/// Ends a thread, also when a test fails, which waits for it otherwise.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn file_that_comes_and_goes() {
    let project = project_with("ok", OK);
    let other = format!("{OK}# {}\n", "x".repeat(200_000));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let path = project.path("tools/ok.yaml");
            let next = project.path("next");
            while !stop.load(Ordering::Relaxed) {
                let _ = fs::remove_file(&path);
                let _ = fs::write(&next, &other).and_then(|()| fs::rename(&next, &path));
            }
        });
        let _stop = Stop(&stop);
        for _ in 0..50 {
            let found = discover(&project);
            let vanished = str![[r#"
cogtools-discover: warning[IO_FAILED]: `tools/ok.yaml` does not exist
hint: check the path; the file may have been removed meanwhile

"#]];
            match (found.stdout.as_slice(), found.stderr.as_slice()) {
                (b"[]\n", b"") => found.outputs(str![[r#"
[]

"#]]),
                (b"[]\n", _) => found.expect(
                    0,
                    str![[r#"
[]

"#]],
                    vanished,
                ),
                _ => found.outputs(DECLARED),
            };
            let called = call(&project, "ok");
            if called.stdout.is_empty() {
                called.status(127);
            } else {
                called.outputs(str!["fine"]);
            }
        }
    });
}
