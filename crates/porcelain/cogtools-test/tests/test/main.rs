//! Whole runs of `cogtools test`, and the files of the project afterwards.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Cursor;
use std::path::PathBuf;

use cogtools_program::{
    CapturedRun, Format, Input, Io, IoContext, Reporter, SignalWatch, Terminals,
};
use cogtools_test::PROGRAM;
use cogtools_test_support::{Project, outcome, str};

mod coverage;
mod expectations;
mod failures;
mod formats;
mod goldens;
mod programs;
mod review;
mod selection;
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

/// The report of [`SAY`] when everything passes.
const PASSED: &str = "\
ok say (2 examples)

1 tool, 2 examples: all passed
";

/// A project in which everything passes.
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

/// A run by the user of the project's HOME, with this standard input.
fn run_with(project: &Project, args: &[&str], stdin: Input) -> CapturedRun {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_terminal = stdin.is_terminal();
    let mut io = Io {
        program: PathBuf::new(),
        next: None,
        stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminals: Terminals {
            stdout: is_terminal,
            stderr: is_terminal,
        },
        vars: BTreeMap::from([
            ("NO_COLOR".into(), "1".into()),
            ("HOME".into(), project.home().into()),
            ("PATH".into(), path),
        ]),
        cwd: project.root(),
        reporter: Reporter::new(PROGRAM.name, Format::Human, false),
        signals: SignalWatch::default(),
        context: IoContext::default(),
    };
    let status = PROGRAM.launch(&args, &mut io);
    CapturedRun {
        status,
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// A run by the user of the project's HOME.
fn run_as_user(project: &Project, args: &[&str]) -> CapturedRun {
    run_with(project, args, Input::empty())
}

/// A run at a terminal where the user types `answers`.
fn answer(project: &Project, args: &[&str], answers: &'static str) -> CapturedRun {
    run_with(project, args, Input::new(Cursor::new(answers), true))
}

#[test]
fn a_passing_project() {
    outcome!(run(&project(), &[])).outputs(PASSED);
}

#[test]
fn conflicting_options() {
    let project = project();
    let ended = run(&project, &["--watch", "--format", "junit"]);
    let stderr = str![[r#"
cogtools-test: error[USAGE]: --watch supports only the format human
hint: omit --format or --watch

"#]];
    outcome!(ended).fails(2, stderr);
    outcome!(run(&project, &["--watch", "--update"])).fails(
        2,
        str![[r#"
cogtools-test: error[USAGE]: the argument '--watch' cannot be used with '--update'
hint: usage: cogtools-test [OPTIONS] [TOOL]...
hint: --help explains every option

"#]],
    );
    outcome!(run(&project, &["--format", "tap"])).fails(2, str![[r#"
cogtools-test: error[USAGE]: invalid value 'tap' for '--format <FORMAT>' [possible values: human, json, junit]
hint: usage: cogtools-test [OPTIONS] [TOOL]...
hint: --help explains every option

"#]]);
}

#[test]
fn tools_of_a_specification_have_no_tests() {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "tool_sources: [{openapi: ./api.yaml}]\n");
    let hint =
        "hint: the tools of specifications and servers have neither files nor tests of their own\n";
    let ended = run(&project, &["find"]);
    let error = "cogtools-test: error[TOOL_NOT_FOUND]: find: no tool file has this name\n";
    assert_eq!(
        (ended.status, ended.stderr),
        (127, format!("{error}{hint}"))
    );
    let ended = run(&project, &[]);
    let warning = "cogtools-test: warning[TOOL_NOT_FOUND]: this project has no tool files\n";
    assert_eq!(
        (ended.status, ended.stderr),
        (0, format!("{warning}{hint}"))
    );
}

#[test]
fn a_project_without_tools() {
    let ended = run(&Project::new(), &[]);
    let stderr = "\
cogtools-test: warning[TOOL_NOT_FOUND]: this project has no tools yet
hint: cogtools new NAME creates one
hint: cogtools init sets the project up, with an example
hint: in a script, --strict makes this an error
";
    let expected = CapturedRun {
        status: 0,
        stdout: "0 tools, 0 examples: nothing to test\n".into(),
        stderr: stderr.into(),
    };
    assert_eq!(ended, expected);
}

#[test]
fn a_tool_without_examples_passes() {
    let project = project();
    project.file(
        "tools/bare.yaml",
        "name: bare\ndescription: d\nimplementation: x\n",
    );
    let stdout = str![[r#"
none bare (no examples)
ok say (2 examples)

2 tools, 2 examples: all passed; 1 tool has no examples

"#]];
    outcome!(run(&project, &[])).outputs(stdout);
}

#[test]
fn only_a_terminal_gets_colours() {
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
