//! Whole runs of `cogtools test`, and what lies in the project afterwards.

use cogtools_program::{CapturedRun, Terminals};
use cogtools_test::PROGRAM;
use cogtools_test_support::Project;

mod faults;
mod formats;
mod goldens;
mod targets;
mod watch;

/// A tool with two examples.
const SAY: &str = "\
name: say
description: Say hello
parameters:
  who: string
  loud: {type: boolean, optional: true}
examples:
  - who: Ada
  - {who: Bob, loud: true}
implementation: |
  hello {{ who }}{% if loud %}!{% endif %}
";

/// What is said of it when all is well.
const PASSED: &str = "\
ok say (2 examples)

1 tool, 2 examples: all passed
";

/// A project in which all is well.
fn project() -> Project {
    let project = Project::new();
    project
        .file("tools/say.yaml", SAY)
        .file("tools/say.1.golden", "hello Ada\n")
        .file("tools/say.2.golden", "hello Bob!\n");
    project
}

fn run(project: &Project, args: &[&str]) -> CapturedRun {
    PROGRAM.run_captured(&project.root(), Terminals::default(), args)
}

/// A run that failed with a report on standard output and `hints` below the
/// number of failures.
fn failed(stdout: &str, failures: &str, hints: &str) -> CapturedRun {
    CapturedRun {
        status: 1,
        stdout: stdout.to_owned(),
        stderr: format!(
            "cogtools-test: error[TEST_FAILED]: {failures}\n\
             hint: the report on standard output says what is at fault\n{hints}"
        ),
    }
}

/// The hint of a failure that new golden files would mend.
const UPDATE: &str = "hint: cogtools test --update makes the golden files what the tools say now\n";

#[test]
fn all_is_well() {
    assert_eq!(run(&project(), &[]), CapturedRun::done(PASSED));
}

#[test]
fn help_and_version() {
    let project = project();
    let version = format!("{} {}\n", PROGRAM.name, env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&project, &["--version"]), CapturedRun::done(version));
    let help = PROGRAM.command().render_long_help().to_string();
    assert_eq!(run(&project, &["--help"]), CapturedRun::done(help));
}

#[test]
fn options_that_do_not_go_together() {
    let project = project();
    let ended = run(&project, &["--watch", "--format", "junit"]);
    let stderr = "\
cogtools-test: error[USAGE]: --watch has no report for programs
hint: leave --format or --watch out
";
    assert_eq!(ended, CapturedRun::failed(2, stderr));
    assert_eq!(run(&project, &["--watch", "--update"]).status, 2);
    assert_eq!(run(&project, &["--format", "tap"]).status, 2);
}

#[test]
fn a_project_without_tools() {
    let ended = run(&Project::new(), &[]);
    let stderr = "\
cogtools-test: warning[TOOL_NOT_FOUND]: this project has no tools yet
hint: cogtools new NAME writes a first one
hint: cogtools init sets the project up, with an example
";
    let expected = CapturedRun {
        status: 0,
        stdout: "0 tools, 0 examples: nothing to test\n".into(),
        stderr: stderr.into(),
    };
    assert_eq!(ended, expected);
}

#[test]
fn a_tool_without_examples_is_no_failure() {
    let project = project();
    project.file(
        "tools/bare.yaml",
        "name: bare\ndescription: d\nimplementation: x\n",
    );
    let stdout = "\
none bare (no examples)
ok say (2 examples)

2 tools, 2 examples: all passed; 1 tool has no examples
";
    assert_eq!(run(&project, &[]), CapturedRun::done(stdout));
}

#[test]
fn colour_on_a_terminal_only() {
    let project = project();
    project
        .file("tools/say.2.golden", "hello Bob\n")
        .remove("tools/say.1.golden");
    let terminals = Terminals {
        stdout: true,
        stderr: false,
    };
    let coloured = PROGRAM.run_captured(&project.root(), terminals, &[]);
    let plain = run(&project, &[]);
    let mut stripped = coloured.stdout.clone();
    for style in ["1", "31", "32", "33", "36", "0"] {
        stripped = stripped.replace(&format!("\u{1b}[{style}m"), "");
    }
    assert_ne!(coloured.stdout, plain.stdout);
    assert_eq!(stripped, plain.stdout);
    assert!(
        coloured
            .stdout
            .contains("    \u{1b}[1m\u{1b}[31m-hello Bob\u{1b}[0m\n"),
        "{}",
        coloured.stdout
    );
    assert!(
        coloured
            .stdout
            .contains("    \u{1b}[1m\u{1b}[32m+hello Bob!\u{1b}[0m\n"),
        "{}",
        coloured.stdout
    );
    assert!(!plain.stdout.contains('\u{1b}'));
}
