//! The launchers of the npm package, if no script has replaced them with links.

use std::fs;

use cogtools_test_support::install::platform;
use cogtools_test_support::{Project, Run, Stdout};

use super::directory_of;
use super::packages::Packages;
use crate::programs;

/// A run of a launcher in `project`.
fn launch(program: &str, project: &Project) -> Run {
    let launcher = project.path("node_modules/.bin").join(program);
    let text = fs::read(&launcher).unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(text.starts_with(b"#!/usr/bin/env node\n"), "{program}");
    Run::new(launcher)
        .project(project)
        .path(directory_of("node"))
}

/// Invalid arguments of more bytes than a pipe holds.
fn large() -> String {
    format!("{{\"nobody\": \"{}\"}}", "x".repeat(300_000))
}

#[test]
fn a_launcher_runs_its_program() {
    let project = Packages::get().installed(&["--ignore-scripts"]);
    status_and_streams_pass_through(&project);
    a_signal_ends_the_program_and_the_launcher(&project);
    a_closed_reader_is_noticed(&project);
    missing_programs_are_reported(&project);
}

fn status_and_streams_pass_through(project: &Project) {
    let good = "{\"person\": \"Grace\"}";
    for (args, stdin) in [
        (&["hello"][..], good.to_owned()),
        (&["hello"], large()),
        (&["nobody"], large()),
        (&["--nonsense"], large()),
        (&["--version"], String::new()),
    ] {
        let direct = Run::new(programs().join("cogtools-call")).project(project);
        let direct = direct.args(args).stdin(stdin.as_str()).run();
        let launched = launch("cogtools-call", project).args(args).stdin(stdin);
        let launched = launched.run();
        launched
            .expect(exit(&direct), &direct.stdout, &direct.stderr)
            .reads_all_input();
    }
    // The launcher of a built-in program passes its name to cogtools.
    for args in [&["--version"][..], &["--nonsense"], &["-C", "none"]] {
        let direct = Run::new(programs().join("cogtools-list")).project(project);
        let direct = direct.args(args).run();
        let launched = launch("cogtools-list", project).args(args).run();
        launched.expect(exit(&direct), &direct.stdout, &direct.stderr);
    }
    let wrong = launch("cogtools-call", project)
        .arg("hello")
        .stdin(large())
        .run();
    wrong.fails(65, &wrong.stderr);
}

fn exit(outcome: &cogtools_test_support::Outcome) -> cogtools_test_support::Status {
    outcome.status
}

/// The program waits for its input; if it outlived its launcher, it would
/// answer at the end of the input.
fn a_signal_ends_the_program_and_the_launcher(project: &Project) {
    for (signal, status) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let script = format!(
            "trap - INT; sleep 5 2>/dev/null | node_modules/.bin/cogtools-call --yaml hello & \
             sleep 1; kill -{signal} $!; wait $!; echo $?"
        );
        let ended = Run::new("/bin/bash")
            .args(["-mc", &script])
            .project(project)
            .path(directory_of("node"))
            .run();
        // The shell may print messages on job control; a program that is still running
        // would print an error about its missing arguments.
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(!stderr.contains("error["), "{ended}");
        ended.status(0).stdout_is(format!("{status}\n"));
    }
}

fn a_closed_reader_is_noticed(project: &Project) {
    let discover = launch("cogtools-discover", project).stdout(Stdout::Gone);
    discover.run().fails(141, "");
    let full = launch("cogtools-call", project).arg("hello");
    let full = full
        .stdin("{\"person\": \"Ada\"}")
        .stdout(Stdout::Full)
        .run();
    full.fails(74, &full.stderr);
}

fn missing_programs_are_reported(project: &Project) {
    fs::remove_dir_all(project.path("node_modules/@cogtools"))
        .unwrap_or_else(|error| panic!("{error}"));
    let call = launch("cogtools-call", project).arg("hello").stdin(large());
    let message = format!(
        "cogtools-call: error[IO_FAILED]: the package @cogtools/{} is not installed or not whole\n\
         hint: install cogtools again, with optional dependencies (no --omit=optional) and on this \
         machine\n\
         hint: where there is no package for this machine, build cogtools with cargo\n",
        platform()
    );
    call.run().fails(74, &message).reads_all_input();
    let message = message.replace("cogtools-call:", "cogtools-discover:");
    launch("cogtools-discover", project)
        .run()
        .fails(74, message);
}
