//! Runs that are stopped: by signals, and by a reader that is gone.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Break, Stdout};

use super::*;

/// Sends `signal` to the process in the file `pid` of `project`, a while later.
fn kill_later(project: &Project, signal: &'static str) -> impl FnOnce() + Send + 'static {
    let file = project.path("pid");
    move || {
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(700));
            kill(&file, signal);
        });
    }
}

pub(super) fn kill(file: &std::path::Path, signal: &str) {
    let pid = std::fs::read_to_string(file).expect("a process");
    let sent = Command::new("/bin/kill")
        .args([signal, pid.trim()])
        .status();
    assert!(sent.expect("kill runs").success());
}

#[test]
fn a_signal_stops_the_turn_and_what_there_is_is_kept() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let project = project();
        let fake = FakeGemini::start([
            Turn::texts(["It fails ", "because"])
                .breaks_after(1, Break::Hang)
                .meanwhile(kill_later(&project, signal)),
            Turn::text("of a typo."),
        ]);
        let session = ["-q", "--session", "s.jsonl"];
        let outcome = ask_with_pid(&project, &fake)
            .args(session)
            .arg("Why?")
            .run();
        outcome.status(status).stdout_is("It fails \n");
        ask(&project, &fake)
            .args(session)
            .arg("--continue")
            .run()
            .outputs("of a typo.\n");
        fake.finish();
    }
}

#[test]
fn a_second_signal_ends_everything() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("long ".repeat(200_000))]);
    // The answer does not fit into the pipe, and it is not read.
    let mut child = Command::new(programs().join("cogtools-ask"))
        .args(["-q", "Go"])
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.home())
        .env("PATH", "/usr/bin:/bin")
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    project.file("pid", child.id().to_string());
    while fake.requests().is_empty() {
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(700));
    kill(&project.path("pid"), "-INT");
    thread::sleep(Duration::from_millis(500));
    assert!(
        child.try_wait().expect("a status").is_none(),
        "it still writes"
    );
    kill(&project.path("pid"), "-INT");
    let start = Instant::now();
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(2));
    fake.finish();
}

#[test]
fn an_answer_that_is_not_read_costs_nothing_more() {
    let project = project();
    let call = Turn::call("greet", json!({"person": "Ada"})).saying("Wait.");
    let fake = FakeGemini::start([call]);
    ask(&project, &fake)
        .args(["-q", "Go"])
        .stdout(Stdout::Gone)
        .run()
        .status(141);
    fake.finish();
}

#[test]
fn a_process_that_is_killed_goes_on_later() {
    let project = noting();
    let file = project.path("pid");
    let fake = FakeGemini::start([
        note("one"),
        Turn::text("lost").meanwhile(move || kill(&file, "-KILL")),
        Turn::text("done"),
    ]);
    let session = ["-q", "--allow", "note", "--session", "s.jsonl"];
    let outcome = ask_with_pid(&project, &fake).args(session).arg("Go").run();
    outcome.status(cogtools_test_support::Status::Signal(9));
    ask(&project, &fake)
        .args(session)
        .arg("--continue")
        .run()
        .outputs("done\n");
    assert_eq!(notes(&project), "one\n");
    fake.finish();
}
