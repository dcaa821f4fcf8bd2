//! Runs the linter in a project, in process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use cogtools_lint::{LSP, PROGRAM};
use cogtools_program::{Format, Input, Io, IoContext, Program, Reporter, SignalWatch, Terminals};
use cogtools_test_support::Project;

/// The output of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CapturedRun {
    pub(crate) status: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program at the root of `project`.
pub(crate) fn run(project: &Project, args: &[&str]) -> CapturedRun {
    run_on(project, args, Terminals::default())
}

/// Runs it with this standard input.
pub(crate) fn run_with(project: &Project, args: &[&str], stdin: Input) -> CapturedRun {
    launch(project.root(), args, Terminals::default(), stdin)
}

/// Runs the language server with the messages of a client.
pub(crate) fn serve(project: &Project, messages: Input) -> CapturedRun {
    launch_program(&LSP, project.root(), &[], Terminals::default(), messages)
}

pub(crate) fn run_on(project: &Project, args: &[&str], terminals: Terminals) -> CapturedRun {
    launch(project.root(), args, terminals, Input::empty())
}

/// Runs it in a folder of the project.
pub(crate) fn run_in(project: &Project, folder: &str, args: &[&str]) -> CapturedRun {
    launch(
        project.root().join(folder),
        args,
        Terminals::default(),
        Input::empty(),
    )
}

fn launch(cwd: PathBuf, args: &[&str], terminals: Terminals, stdin: Input) -> CapturedRun {
    launch_program(&PROGRAM, cwd, args, terminals, stdin)
}

fn launch_program(
    program: &Program,
    cwd: PathBuf,
    args: &[&str],
    terminals: Terminals,
    stdin: Input,
) -> CapturedRun {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = Io {
        program: PathBuf::new(),
        next: None,
        stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminals,
        vars: BTreeMap::new(),
        cwd,
        reporter: Reporter::new(program.name, Format::Human, false),
        signals: SignalWatch::default(),
        context: IoContext::default(),
    };
    let status = program.launch(&args, &mut io);
    CapturedRun {
        status,
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}
