//! Runs the linter in a project, in process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use cogtools_core::environment::Vars;
use cogtools_lint::{LSP, PROGRAM};
use cogtools_log::Store;
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
    let home = project.home().as_os_str().to_owned();
    let program = (&LSP, BTreeMap::from([("HOME".into(), home)]));
    launch_program(program, project.root(), &[], Terminals::default(), messages)
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
    launch_program((&PROGRAM, BTreeMap::new()), cwd, args, terminals, stdin)
}

/// Runs the program in `project`, where these sessions have been.
pub(crate) fn run_after(project: &Project, sessions: &[String], args: &[&str]) -> CapturedRun {
    let store = Store::new(&project.path("../state/cogtools"), &project.root());
    for session in sessions {
        let (_, file) = store.new_file().unwrap();
        std::fs::write(file.path(), session).unwrap();
    }
    let state = project.path("../state").into_os_string();
    let vars = BTreeMap::from([("XDG_STATE_HOME".into(), state)]);
    let (root, terminals) = (project.root(), Terminals::default());
    launch_program((&PROGRAM, vars), root, args, terminals, Input::empty())
}

fn launch_program(
    (program, vars): (&Program, Vars),
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
        vars,
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
