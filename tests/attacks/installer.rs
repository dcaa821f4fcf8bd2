//! An address, an archive or a signal that makes `install.sh` install something else.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use cogtools_test_support::{Project, Run};

use crate::distribution::archives::{archives, closing_report, install, verified_report};
use crate::distribution::installer::left_in_home;
use crate::distribution::server::{Manner, serve};
use crate::distribution::xtask;
use crate::repository;

/// Before: `http://127.0.0.1:80@example.org` was taken for this machine.
#[test]
fn the_host_of_an_address_is_checked() {
    let project = Project::new();
    for from in [
        "http://example.org/a",
        "http://127.0.0.1:80@example.org/a",
        "http://127.0.0.1:@example.org",
        "http://127.0.0.1@example.org/",
        "http://localhost:secret@example.org:80/a",
        "http://localhost.example.org/a",
        "http://127.0.0.1.example.org/a",
        "http://127.0.0.11/a",
        "http://localhost:80:80/a",
        "http://localhost:/a",
        "http://localhost:a/",
        "http://localhost\\@example.org/a",
        "http://localhost#@example.org/a",
        "http://localhost?@example.org/a",
        "http://LOCALHOST%2eexample.org/",
        "http:///a",
        "https://user:secret@example.org/a",
        "https://example.org@example.com/a",
        "https:///a",
        "https://exam ple.org/a",
        "https://example.org:x/a",
        "https://{example.org,example.com}/a",
        "https://example.org/a?b",
        "HTTPS://example.org/a",
        "ftp://example.org/a",
        "file:///etc",
    ] {
        // A slash at the end is dropped.
        let shown = from.strip_suffix('/').unwrap_or(from);
        install(&project, shown).run().fails(
            1,
            "install.sh: error: `[FROM]` is not supported\n\
             hint: name a URL that begins with https:// and a host\n",
        );
    }
    // These are asked, and do not answer.
    for from in [
        "https://127.0.0.1:1/a/b-c_d~%20",
        "http://localhost:1",
        "https://127.0.0.1:1",
    ] {
        let outcome = install(&project, from).run();
        outcome
            .status(1)
            .stderr_contains("cannot be fetched from [FROM]\n");
    }
    assert_eq!(left_in_home(&project), Vec::<PathBuf>::new());
}

/// Before: with access to the archive, an attacker could change its checksum too.
#[test]
fn the_checksum_can_come_from_another_place() {
    let (dir, name) = archives();
    let sum = fs::read_to_string(dir.join(format!("{name}.sha256"))).expect("a checksum");
    let sum = sum.split(' ').next().unwrap_or_default();
    let project = Project::new();
    let from = dir.display().to_string();
    let run = install(&project, &from).args(["--checksum", sum]);
    run.run().outputs(verified_report("[HOME]/.local"));

    // Another archive, with its own checksum beside it.
    let evil = Project::new();
    let other = format!("{:064}  {name}\n", 0);
    evil.file(name, "evil")
        .file(format!("{name}.sha256"), &other);
    let served = serve(&evil.root(), Manner::Whole);
    let wrong = format!(
        "install.sh: error: {name} does not match its checksum\n\
         hint: it was truncated or changed on the way; nothing is installed; try again\n"
    );
    let run = install(&project, &served).args(["--checksum", sum]);
    run.run().fails(1, &wrong);
    // The script of a release has the checksums of its archives.
    let release = Project::new();
    release.copy(format!("{name}.sha256"), dir.join(format!("{name}.sha256")));
    let out = release.root().display().to_string();
    xtask(["installer", "--from", &served, "--out", &out]).succeeds();
    let script = release.path("install.sh");
    let run = |from: &str| {
        let run = Run::new("/bin/sh").arg(&script).project(&project);
        run.args(["--from", from])
            .limit(Duration::from_secs(30))
            .run()
    };
    run(&served).fails(1, &wrong);
    run(&from).outputs(verified_report("[HOME]/.local"));
}

/// In the middle of the download, of which nothing is left.
#[test]
fn a_signal_ends_it_and_leaves_nothing() {
    let (dir, _) = archives();
    let from = serve(dir, Manner::Stalled);
    for (signal, status) in [("HUP", 129), ("INT", 130), ("QUIT", 131), ("TERM", 143)] {
        let project = Project::new();
        // With job control, a program in the background does not ignore SIGINT.
        let script = format!(
            "set -m; sh '{}' --from {from} & sleep 1; kill -{signal} $!; wait $!; echo $?",
            repository().join("install.sh").display()
        );
        let run = Run::new("/bin/bash").args(["-c", &script]);
        let outcome = run.project(&project).run();
        outcome.stdout_is(format!("{status}\n"));
        assert_eq!(left_in_home(&project), Vec::<PathBuf>::new(), "{signal}");
    }
}

/// Before: what a killed run had downloaded stayed for ever.
#[test]
fn what_a_killed_run_has_left_is_removed_by_the_next() {
    let (dir, _) = archives();
    let from = serve(dir, Manner::Stalled);
    let project = Project::new();
    let script = format!(
        "sh '{}' --from {from} > /dev/null 2>&1 & sleep 1; kill -KILL $!; wait $! 2>/dev/null; echo $?",
        repository().join("install.sh").display()
    );
    let run = Run::new("/bin/bash").args(["-c", &script]);
    run.project(&project).run().stdout_is("137\n");
    assert_eq!(left_in_home(&project).len(), 1);
    project
        .dir("../home/.local/.cogtools-1-abcdef")
        .dir("../home/.local/.cogtools-mine");
    install(&project, &dir.display().to_string())
        .run()
        .outputs(closing_report("[HOME]/.local"));
    let mut left = left_in_home(&project);
    left.sort();
    // Process 1 is still running.
    let expected = [".cogtools-1-abcdef", ".cogtools-mine", "bin", "share"];
    let expected = expected.map(|name| project.home().join(".local").join(name));
    assert_eq!(left, expected);
}
