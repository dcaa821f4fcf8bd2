//! Output that cannot be written: a full disk, and a reader that closes the pipe.

use cogtools_test_support::{Project, Run, Stdout, str};

use crate::{programs, project_with, run};

const ECHO: &str = "name: echo\ndescription: d\nimplementation: said\n";

/// Each step has a line, but only for the user: hosts load the `.env` of a project.
#[test]
fn the_log_has_each_step_with_its_time() {
    let project = project_with("echo", ECHO);
    let call = || run("cogtools-call", &project).arg("echo");
    let log = call().env("COGTOOLS_LOG", "debug").run();
    assert_eq!(log.stdout, b"said");
    let text = String::from_utf8(log.stderr).expect("text");
    let steps: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("cogtools-call: ")?.split_once(" ms  "))
        .map(|(_, step)| step)
        .collect();
    for step in [
        "find project",
        "load configuration",
        "load tool \"tools/echo.yaml\"",
        "call \"echo\"",
    ] {
        assert!(steps.contains(&step), "{step}: {text}");
    }
    assert_eq!(steps.len(), text.lines().count(), "{text}");
    let listed = run("cogtools-discover", &project).env("COGTOOLS_LOG", "debug");
    let listed = String::from_utf8(listed.run().stderr).expect("text");
    assert!(listed.contains(" ms  list source \"tools\""), "{listed}");
    call().run().outputs("said");
    call().env("COGTOOLS_LOG", "info").run().outputs("said");
    project.file(".env", "COGTOOLS_LOG=debug\n");
    call().env("COGTOOLS_LOG", "debug").run().outputs("said");
}

#[test]
fn output_that_cannot_be_written() {
    let project = project_with("echo", ECHO);
    for (program, args) in [
        ("cogtools-call", ["echo"].as_slice()),
        ("cogtools-yaml", &["tools/echo.yaml"]),
        ("cogtools-discover", &[]),
        ("cogtools-discover", &["--yaml"]),
        ("cogtools", &["help"]),
        ("cogtools", &["--exec-path"]),
    ] {
        let start = |stdout| run(program, &project).args(args).stdout(stdout).run();
        start(Stdout::Full).fails(
            74,
            format!(
                "{program}: error[IO_FAILED]: standard output cannot be written: \
                 No space left on device (os error 28)\n\
                 hint: the output is incomplete; free disk space, then run this again\n"
            ),
        );
        start(Stdout::Gone).fails(141, "");
    }
}

#[test]
fn reader_that_closes_the_pipe() {
    let project = Project::new();
    for number in 0..2_000 {
        project.file(
            format!("tools/t{number}.yaml"),
            format!(
                "name: t{number}\ndescription: {}\nimplementation: x\n",
                "d".repeat(200)
            ),
        );
    }
    let script = "{ cogtools-discover; echo $? >&2; } | head -c1";
    Run::new("/bin/sh")
        .project(&project)
        .path(programs())
        .args(["-c", script])
        .run()
        .expect(
            0,
            str!["["],
            str![[r#"
141

"#]],
        );
}
