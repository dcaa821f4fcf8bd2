//! The outermost layer: the only code that touches the state of the process.

mod name;
mod watch;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use cogtools_core::{Code, Diagnostic};

use crate::failure::Failure;
use crate::input::Input;
use crate::io::{Io, Terminals};
use crate::next::Next;
use crate::program::Program;
use crate::report::{Format, Reporter, Severity};

pub use watch::{SignalGuard, SignalWatch};

/// Runs `program` as this process: the one statement of every binary's `main`.
pub fn main(program: &Program) -> ExitCode {
    report_panics(program.name);
    let status = std::panic::catch_unwind(|| run(program));
    let status = status.unwrap_or_else(|_| Code::Internal.status());
    ExitCode::from(status)
}

/// Runs one of `programs` as this process: the one that is named like the file it
/// was started by, such as a link, or else the first.
pub fn main_of(programs: &[&'static Program]) -> ExitCode {
    let started = std::env::args_os().next();
    match name::named(programs, started.as_deref()) {
        Some(program) => main(program),
        None => ExitCode::from(Code::Internal.status()),
    }
}

fn run(program: &Program) -> u8 {
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let stdin = std::io::stdin();
    let mut stdout = std::io::stdout();
    let mut stderr = std::io::stderr();
    let terminals = Terminals {
        stdout: stdout.is_terminal(),
        stderr: stderr.is_terminal(),
    };
    let terminal = stdin.is_terminal();
    // Without a working directory (it was removed) relative paths fail by name later.
    let cwd = std::env::current_dir().unwrap_or_default();
    let mut io = Io {
        stdin: Input::new(stdin, terminal),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminals,
        vars: std::env::vars_os().collect(),
        cwd,
        // Only the porcelain looks at it, and says so when there is none.
        program: this_program().unwrap_or_default(),
        next: None,
        reporter: Reporter::new(program.name, Format::Human, false),
        signals: SignalWatch::default(),
    };
    let mut program = program;
    loop {
        let status = program.launch(&args, &mut io);
        match io.next.take() {
            None => return status,
            Some(Next::Process(process)) => return exec_or_spawn(program.name, *process),
            Some(Next::Program(next, rest)) => (program, args) = (next, rest),
        }
        report_panics(program.name);
        io.reporter = Reporter::new(program.name, Format::Human, false);
        if let Err(failure) = enter(&mut io) {
            for diagnostic in failure.diagnostics() {
                io.report(Severity::Error, diagnostic);
            }
            return failure.status();
        }
    }
}

/// Makes the working directory of `io` that of the process, as it would be for
/// another process that was started there.
fn enter(io: &mut Io<'_>) -> Result<(), Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    if io.cwd == here {
        return Ok(());
    }
    let entered = std::env::set_current_dir(&io.cwd).and_then(|()| std::env::current_dir());
    io.cwd = entered.map_err(|error| {
        let message = format!("`{}` cannot be entered: {error}", io.cwd.display());
        Diagnostic::new(Code::IoFailed, message).hint("name a directory that may be entered")
    })?;
    Ok(())
}

/// The file of this program itself, not a link that led to it: what lies beside a
/// link in `node_modules/.bin` is anybody's. Not every system says it so.
#[cfg(unix)]
fn this_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()?.canonicalize()
}

/// The file of this program: links are rare here, and resolved paths are spelled
/// in a way that other programs do not understand.
#[cfg(not(unix))]
fn this_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// Ends the process at once, for a program whose main thread cannot come back: it
/// waits for somebody to read its output, and nobody does.
#[allow(
    clippy::exit,
    reason = "this is the outermost layer, and there is no other way out"
)]
pub fn exit(status: u8) -> ! {
    std::process::exit(i32::from(status))
}

/// The process that started this one, as far as there are such: another number
/// later means that it has gone.
#[cfg(unix)]
pub fn parent() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

/// The process that started this one, as far as there are such.
#[cfg(not(unix))]
pub const fn parent() -> Option<u32> {
    None
}

/// Becomes `process`; it keeps the streams, and its end is ours.
#[cfg(unix)]
fn exec_or_spawn(name: &'static str, mut process: Command) -> u8 {
    use std::os::unix::process::CommandExt as _;
    let error = process.exec();
    not_started(name, &process, &error)
}

/// Runs `process`; where no process can become another, its status is handed on.
#[cfg(not(unix))]
fn exec_or_spawn(name: &'static str, mut process: Command) -> u8 {
    match process.status() {
        Ok(status) => status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
        Err(error) => not_started(name, &process, &error),
    }
}

fn not_started(name: &'static str, process: &Command, error: &std::io::Error) -> u8 {
    let program = process.get_program().display();
    let diagnostic = Diagnostic::new(
        Code::IoFailed,
        format!("`{program}` cannot be started: {error}"),
    )
    .hint("check that the file is an executable program");
    let text = Reporter::new(name, Format::Human, false).render(Severity::Error, &diagnostic);
    let _ = std::io::stderr().write_all(text.as_bytes());
    diagnostic.code.status()
}

/// Reports panics in the name of the running program.
fn report_panics(name: &'static str) {
    std::panic::set_hook(Box::new(move |panic| report(name, panic)));
}

/// A panic is a defect of ours: it is said in our words and with a status of
/// its own, instead of a backtrace in front of a model.
fn report(name: &'static str, panic: &PanicHookInfo<'_>) {
    let cause = panic.payload_as_str().unwrap_or("no cause given");
    let location = panic
        .location()
        .map(|location| format!(" ({}:{})", location.file(), location.line()));
    let message = format!(
        "unexpected failure: {cause}{}",
        location.unwrap_or_default()
    );
    let diagnostic = Diagnostic::new(Code::Internal, message)
        .hint("this is a defect of cogtools; please report it with the command you ran");
    let text = Reporter::new(name, Format::Human, false).render(Severity::Error, &diagnostic);
    let _ = std::io::stderr().write_all(text.as_bytes());
}
