//! Output that cannot be written: a full disk, and a reader that closes the pipe.

use cogtools_test_support::{Project, Run, Stdout, str};

use crate::pseudo_terminal::Terminal;
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

/// An option is what the user means now, and a variable what they mean in general.
#[test]
fn colour_is_chosen_by_option_then_by_variable() {
    let project = project_with("echo", ECHO);
    let is_coloured = |program: &str, args: &[&str], variables: &[(&str, &str)]| {
        let command = variables.iter().fold(
            run(program, &project).args(args),
            |command, (name, value)| command.env(name, value),
        );
        let outcome = command.run();
        [outcome.stdout, outcome.stderr].concat().contains(&b'\x1b')
    };
    for (program, args) in [
        ("cogtools-list", &[][..]),
        ("cogtools", &["list"]),
        ("cogtools-doctor", &[]),
        ("cogtools-call", &["none"]),
    ] {
        let with = |when| [args, &["--color", when]].concat();
        let (no, force) = (("NO_COLOR", "1"), ("FORCE_COLOR", "1"));
        for (expected, args, variables) in [
            (false, args.to_vec(), &[][..]),
            (true, args.to_vec(), &[force]),
            (true, args.to_vec(), &[("CLICOLOR_FORCE", "1")]),
            (false, args.to_vec(), &[force, no]),
            (true, with("always"), &[no]),
            (false, with("never"), &[force]),
            (false, with("auto"), &[]),
        ] {
            let coloured = is_coloured(program, &args, variables);
            assert_eq!(coloured, expected, "{program} {args:?} {variables:?}");
        }
    }
}

/// Warnings go, errors and the status stay.
#[test]
fn quiet_leaves_out_warnings() {
    let project = project_with("echo", ECHO);
    project.file("tools/wrong.yaml", "name: wrong\n");
    let warned = run("cogtools-discover", &project).run();
    assert!(!warned.stderr.is_empty());
    let quiet = run("cogtools-discover", &project).arg("--quiet").run();
    assert_eq!((quiet.stdout, quiet.stderr), (warned.stdout, Vec::new()));
    let failed = run("cogtools-call", &project)
        .args(["none", "--quiet"])
        .run();
    let text = String::from_utf8(failed.stderr).expect("text");
    assert!(text.contains("error[TOOL_NOT_FOUND]"), "{text}");
}

/// A project's `.env`, which a host may have loaded, must not choose a program.
#[cfg(target_os = "linux")]
#[test]
fn long_output_at_a_terminal_goes_through_the_pager_of_the_user() {
    let project = Project::new();
    for index in 0..30 {
        let text = ECHO.replace("echo", &format!("echo{index}"));
        project.file(format!("tools/echo{index}.yaml"), text);
    }
    let pages = |line: &str| {
        let (status, text) = Terminal::open(&project, line).end("");
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("echo29"), "{text}");
        text.contains("page: echo29")
    };
    let small = "stty rows 20; export PAGER='sed s/^/page:\\ /';";
    assert!(pages(&format!("{small} cogtools list")));
    assert!(!pages("export PAGER='sed s/^/page:\\ /'; cogtools list"));
    assert!(!pages(&format!("{small} cogtools list | cat")));
    assert!(!pages(&format!("{small} cogtools list --json")));
    assert!(!pages(&format!("{small} PAGER= cogtools list")));
    assert!(!pages(&format!("{small} PAGER=cat cogtools list")));
    project.file(".env", "PAGER='sed s/^/page:\\ /'\n");
    // `less`, where there is one, ends with this key.
    let mut terminal = Terminal::open(&project, &format!("{small} cogtools list"));
    terminal.type_keys("q");
    let (status, text) = terminal.end("");
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("echo0") && !text.contains("page:"), "{text}");
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

/// The text of a server or a program can be a stranger's.
#[test]
fn a_result_at_a_terminal_has_no_control_characters() {
    let project = project_with(
        "t",
        "name: t\ndescription: d\nimplementation: {exec: [printf, 'a\\033[2Jb\\n']}\n",
    );
    for call in [
        "cogtools-call t < /dev/null",
        "cogtools-yaml tools/t.yaml < /dev/null",
    ] {
        let (status, text) = Terminal::open(&project, call).end("");
        assert_eq!(status, Some(0));
        assert!(text.contains("a\\u{1b}[2Jb"), "{text:?}");
    }
    let call = run("cogtools-call", &project).arg("t").stdin("{}").run();
    call.outputs("a\u{1b}[2Jb\n");
}

/// The progress of a program is on one line, and nothing of it stays.
#[test]
fn the_progress_of_a_program_is_shown_until_it_ends() {
    let project = project_with(
        "t",
        "name: t\ndescription: d\nimplementation:\n  script: |\n    #!/bin/sh\n    echo 'cogtools-progress 2/10 two' >&2\n    sleep 0.3\n    echo done\n",
    );
    let mut terminal = Terminal::open(&project, "cogtools call t < /dev/null");
    terminal.answer("2/10 two", "");
    let (status, screen) = terminal.end_screen();
    assert_eq!(status, Some(0));
    assert!(
        screen.ends_with("done") && !screen.contains("two"),
        "{screen}"
    );
}
