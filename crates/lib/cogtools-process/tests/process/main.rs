//! Runs of other programs.

#![cfg(unix)]

use std::thread;
use std::time::{Duration, Instant};

use cogtools_process::Cancel;
use cogtools_process::process::{Exit, Output, Process};

fn sh(script: &str) -> Process {
    Process::new("/bin/sh", "/").args(["-c", script])
}

fn run(process: Process) -> Output {
    process.run(&Cancel::default()).expect("it can be run")
}

#[test]
fn output_and_exit_of_a_program() {
    for (script, stdout, stderr, words) in [
        ("true", "", "", "exited with status 0"),
        (
            "echo out; echo err >&2; exit 7",
            "out\n",
            "err\n",
            "exited with status 7",
        ),
        ("cat; pwd", "input/\n", "", "exited with status 0"),
        (
            "kill -KILL $$",
            "",
            "",
            "was terminated by signal 9 (SIGKILL)",
        ),
        ("exec >&- 2>&-; sleep 0.1", "", "", "exited with status 0"),
    ] {
        let output = run(sh(script).input("input"));
        let streams = (output.stdout.bytes, output.stderr.bytes);
        assert_eq!(streams, (stdout.into(), stderr.into()), "{script}");
        assert_eq!(output.exit.describe(), words, "{script}");
    }
}

#[test]
fn captured_output_is_limited() {
    let output = run(sh("printf 0123456789").stdout_limit(4));
    assert_eq!(
        (output.stdout.bytes.as_slice(), output.stdout.left_out),
        (&b"0123"[..], 6)
    );
    let output = run(sh("head -c 300000 /dev/zero >&2; printf end >&2"));
    assert_eq!(output.stderr.bytes.len(), Process::STDERR_LIMIT);
    assert!(output.stderr.bytes.ends_with(b"end"));
    assert_eq!(output.stderr.total(), 300_003);
}

#[test]
fn children_that_outlive_the_program_are_detected() {
    let check = |script: &str, left_children: bool| {
        let begin = Instant::now();
        let output = run(sh(script));
        assert_eq!(output.exit.describe(), "exited with status 0", "{script}");
        assert_eq!(output.left_children, left_children, "{script}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{script}");
    };
    check("true", false);
    check("sleep 30 > /dev/null 2>&1 &", false);
    check("sleep 30 &", true);
}

#[test]
fn a_program_is_killed_after_its_timeout() {
    let begin = Instant::now();
    let output =
        run(sh("echo begun; trap '' TERM; sleep 30; sleep 30").timeout(Duration::from_millis(200)));
    assert_eq!(output.exit, Exit::TimedOut);
    assert_eq!(output.stdout.bytes, b"begun\n");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let output = run(sh("true").timeout(Duration::MAX));
    assert!(output.exit.is_success());
}

#[test]
fn a_program_is_killed_when_cancelled() {
    let cancel = Cancel::default();
    let canceller = cancel.clone();
    let thread = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        canceller.cancel();
    });
    let begin = Instant::now();
    let output = sh("sleep 30").run(&cancel).expect("it can be run");
    thread.join().expect("the thread has cancelled");
    assert_eq!(output.exit, Exit::Cancelled);
    assert!(begin.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_short_run_does_not_wait_for_a_timer_tick() {
    let mut times: Vec<Duration> = (0..20)
        .map(|_| {
            let begin = Instant::now();
            run(Process::new("/bin/true", "/"));
            begin.elapsed()
        })
        .collect();
    times.sort();
    // A timer tick is 20 ms: the fastest runs must not wait for one.
    assert!(times[2] < Duration::from_millis(15), "{times:?}");
}

#[test]
fn a_missing_program_or_directory_is_an_error() {
    let missing = Process::new("/no/such/program", "/").run(&Cancel::default());
    assert!(missing.is_err());
    let missing = Process::new("/bin/true", "/no/such/directory").run(&Cancel::default());
    assert!(missing.is_err());
}
