//! One run of another program, whatever that program does.

#![cfg(unix)]

use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::Cancel;
use cogtools_core::process::{Exit, Output, Process};

fn sh(script: &str) -> Process {
    Process::new("/bin/sh", "/").args(["-c", script])
}

fn run(process: Process) -> Output {
    process.run(&Cancel::default()).expect("it can be run")
}

#[test]
fn what_it_said_and_how_it_ended() {
    for (script, stdout, stderr, words) in [
        ("true", "", "", "ended with status 0"),
        (
            "echo out; echo err >&2; exit 7",
            "out\n",
            "err\n",
            "ended with status 7",
        ),
        ("cat; pwd", "given/\n", "", "ended with status 0"),
        ("kill -KILL $$", "", "", "was ended by signal 9 (SIGKILL)"),
        ("exec >&- 2>&-; sleep 0.1", "", "", "ended with status 0"),
    ] {
        let output = run(sh(script).input("given"));
        let said = (output.stdout.bytes, output.stderr.bytes);
        assert_eq!(said, (stdout.into(), stderr.into()), "{script}");
        assert_eq!(output.exit.describe(), words, "{script}");
    }
}

#[test]
fn what_is_kept_is_bounded() {
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
fn what_it_leaves_behind_is_known() {
    let check = |script: &str, held: bool| {
        let begin = Instant::now();
        let output = run(sh(script));
        assert_eq!(output.exit.describe(), "ended with status 0", "{script}");
        assert_eq!(output.left_children, held, "{script}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{script}");
    };
    check("true", false);
    check("sleep 30 > /dev/null 2>&1 &", false);
    check("sleep 30 &", true);
}

#[test]
fn it_is_ended_in_time() {
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
fn it_is_ended_when_somebody_asks() {
    let cancel = Cancel::default();
    let asks = cancel.clone();
    let asking = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        asks.cancel();
    });
    let begin = Instant::now();
    let output = sh("sleep 30").run(&cancel).expect("it can be run");
    asking.join().expect("it has asked");
    assert_eq!(output.exit, Exit::Cancelled);
    assert!(begin.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_short_run_waits_for_no_clock() {
    let mut times: Vec<Duration> = (0..20)
        .map(|_| {
            let begin = Instant::now();
            run(Process::new("/bin/true", "/"));
            begin.elapsed()
        })
        .collect();
    times.sort();
    // A tick of the clock is 20 ms: the fastest runs must not see one.
    assert!(times[2] < Duration::from_millis(15), "{times:?}");
}

#[test]
fn what_cannot_be_started() {
    let missing = Process::new("/no/such/program", "/").run(&Cancel::default());
    assert!(missing.is_err());
    let missing = Process::new("/bin/true", "/no/such/directory").run(&Cancel::default());
    assert!(missing.is_err());
}
