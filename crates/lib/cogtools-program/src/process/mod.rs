//! The outermost layer: the only code that accesses the global state of the process.

mod log;
mod select;
mod signals;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::panic::{AssertUnwindSafe, PanicHookInfo};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cogtools_core::resident::SESSION_GRACE;
use cogtools_core::{Code, Diagnostic};

use crate::failure::{Failure, Next};
use crate::input::Input;
use crate::io::{Io, IoContext, Services, Terminals};
use crate::program::Program;
use crate::report::{Format, Reporter, Severity};

pub use signals::{SignalGuard, SignalWatch};

/// Runs `program` as this process. This is all that the `main` of a binary does.
pub fn main(program: &Program) -> ExitCode {
    start(program, &[], None)
}

/// Returns the path of standard output, if the system tells it: of a pipe or a device, too.
fn stdout_path() -> Option<PathBuf> {
    #[cfg(target_vendor = "apple")]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let path = rustix::fs::getpath(std::io::stdout()).ok()?;
        Some(OsString::from_vec(path.into_bytes()).into())
    }
    #[cfg(not(target_vendor = "apple"))]
    std::fs::read_link("/proc/self/fd/1").ok()
}

fn start(program: &Program, programs: &[&'static Program], services: Option<Services>) -> ExitCode {
    report_panics(program.name);
    let run = AssertUnwindSafe(|| run(program, programs, services));
    let status = std::panic::catch_unwind(run).unwrap_or_else(|_| Code::Internal.status());
    ExitCode::from(status)
}

/// Runs one of `programs` as this process: the one with the name that it was started under,
/// for example by a link, or else the first.
pub fn main_of(programs: &[&'static Program], services: Option<Services>) -> ExitCode {
    let arg0 = std::env::args_os().next();
    match select::by_name(programs, arg0.as_deref()) {
        Some(program) => start(program, programs, services),
        None => ExitCode::from(Code::Internal.status()),
    }
}

/// Discards the keys that the terminal has for this process.
fn discard_typed() {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        // If it fails, the terminal is gone, and the answer will be missing.
        let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
    }
}

/// Waits a moment for a line that is typed at the terminal. Returns true if there is one, or never
/// will be: reading it says so.
#[cfg(unix)]
fn has_line() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    const MOMENT: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 100_000_000,
    };
    let stdin = std::io::stdin();
    let found = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&MOMENT));
    !matches!(found, Ok(0) | Err(Errno::INTR))
}

/// Returns true: a line is waited for when it is read.
#[cfg(not(unix))]
const fn has_line() -> bool {
    true
}

fn run(program: &Program, programs: &[&'static Program], services: Option<Services>) -> u8 {
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let stdin = std::io::stdin();
    let mut stdout = std::io::stdout();
    let mut stderr = Stderr;
    let terminals = Terminals {
        stdout: stdout.is_terminal(),
        stderr: std::io::stderr().is_terminal(),
    };
    let terminal = stdin.is_terminal();
    // If the working directory was removed, relative paths fail later, with their names.
    let cwd = std::env::current_dir().unwrap_or_default();
    let mut io = Io {
        stdin: Input::new(stdin, terminal).with_terminal(discard_typed, has_line),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminals,
        vars: std::env::vars_os().collect(),
        cwd,
        // Only `cogtools` itself needs it, and reports if it is missing.
        program: current_exe().unwrap_or_default(),
        next: None,
        reporter: Reporter::new(program.name, Format::Human, false),
        signals: SignalWatch::default(),
        context: IoContext {
            services,
            stdout_path: stdout_path(),
            ..IoContext::default()
        },
    };
    log::begin(program.name, &io);
    let mut program = program;
    // The command line of the first program describes all others, which takes longer than most runs.
    let word = args.first().map(OsString::as_os_str);
    if let Some(named) = select::by_word(programs, program, word) {
        args.remove(0);
        program = named;
        report_panics(program.name);
        io.reporter = Reporter::new(program.name, Format::Human, false);
    }
    loop {
        let status = program.launch(&args, &mut io);
        if let Some(sessions) = io.context.sessions.take() {
            sessions.stop(SESSION_GRACE);
        }
        finish_stderr();
        match io.next.take() {
            None => return status,
            Some(Next::Process(process)) => return continue_as(program.name, *process),
            Some(Next::Program(next, rest)) => (program, args) = (next, rest),
        }
        report_panics(program.name);
        io.reporter = Reporter::new(program.name, Format::Human, false);
        if let Err(failure) = change_directory(&mut io) {
            for diagnostic in failure.diagnostics() {
                io.report(Severity::Error, diagnostic);
            }
            return failure.status();
        }
    }
}

/// Standard error of this process.
struct Stderr;

/// The messages that a thread writes to standard error, if nobody is to wait for its reader.
static QUEUE: Mutex<Option<Queue>> = Mutex::new(None);

struct Queue {
    name: &'static str,
    messages: SyncSender<Vec<u8>>,
    /// Disconnected when all is written.
    written: Receiver<()>,
    /// The number of messages for which there was no space.
    lost: usize,
}

/// The number of messages that may wait for the reader of standard error.
const MAX_QUEUED: usize = 256;
/// The time that the reader may take for them at the end.
const READ_GRACE: Duration = Duration::from_secs(1);

/// Writes all further messages of the program `name` to standard error in a thread. If nobody reads
/// them, they are lost, and the next one that is read is preceded by their number.
pub fn queue_stderr(name: &'static str) {
    let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    if queue.is_some() {
        return;
    }
    let (messages, queued) = sync_channel::<Vec<u8>>(MAX_QUEUED);
    let (writing, written) = channel();
    let write = move || {
        let _writing = writing;
        for message in queued {
            let _ = std::io::stderr().write_all(&message);
        }
    };
    // Without a thread, each message is written at once.
    let writer = thread::Builder::new().name("stderr".into());
    if writer.spawn(write).is_ok() {
        *queue = Some(Queue {
            name,
            messages,
            written,
            lost: 0,
        });
    }
}

/// Waits until the queue is written, as long as somebody reads it.
fn finish_stderr() {
    let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(Queue {
        messages, written, ..
    }) = queue.take()
    {
        // The thread ends with the last message.
        drop(messages);
        let _ = written.recv_timeout(READ_GRACE);
    }
}

impl std::io::Write for Stderr {
    fn write(&mut self, message: &[u8]) -> std::io::Result<usize> {
        let mut guard = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = &mut *guard else {
            drop(guard);
            return std::io::stderr().write(message);
        };
        let mut text = Vec::new();
        if queue.lost > 0 {
            let message = format!("{} messages were lost: nobody read them", queue.lost);
            let warning = Diagnostic::new(Code::IoFailed, message);
            let reporter = Reporter::new(queue.name, Format::Human, false);
            text.extend(reporter.render(Severity::Warning, &warning).bytes());
        }
        text.extend(message);
        match queue.messages.try_send(text) {
            Ok(()) => queue.lost = 0,
            Err(_) => queue.lost += 1,
        }
        Ok(message.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Changes the directory of the process to the working directory of `io`, as if the next program had been
/// started there.
fn change_directory(io: &mut Io<'_>) -> Result<(), Failure> {
    if io.cwd == std::env::current_dir().unwrap_or_default() {
        return Ok(());
    }
    let changed = std::env::set_current_dir(&io.cwd).and_then(|()| std::env::current_dir());
    io.cwd = changed.map_err(|error| {
        let message = format!("`{}` cannot be entered: {error}", io.cwd.display());
        Diagnostic::new(Code::IoFailed, message).hint("name a directory with search permission")
    })?;
    Ok(())
}

/// The real file of this program, which not every system returns for a link: files beside a
/// link in `node_modules/.bin` are not trusted.
#[cfg(unix)]
fn current_exe() -> std::io::Result<PathBuf> {
    std::env::current_exe()?.canonicalize()
}

/// The file of this program. It is not resolved: links are rare here, and other programs do not
/// understand the form of resolved paths.
#[cfg(not(unix))]
fn current_exe() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// Exits immediately, for a program whose main thread is blocked because its output is not
/// read.
#[allow(
    clippy::exit,
    reason = "this is the outermost layer, and the main thread cannot return"
)]
pub fn exit(status: u8) -> ! {
    std::process::exit(i32::from(status))
}

/// The ID of the parent process; a different ID later means that the parent has exited.
#[cfg(unix)]
pub fn parent() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

/// The ID of the parent process, which this system does not provide.
#[cfg(not(unix))]
pub const fn parent() -> Option<u32> {
    None
}

/// Replaces this process with `process`, which inherits the streams; returns only an error.
#[cfg(unix)]
pub(crate) fn exec(process: &mut Command) -> Result<u8, String> {
    use std::os::unix::process::CommandExt as _;
    let error = process.exec();
    Err(spawn_error(process, &error))
}

/// Runs `process` and returns its status, on systems without `exec`. Consoles send an interrupt to
/// both processes; the program decides how to handle it.
#[cfg(not(unix))]
pub(crate) fn exec(process: &mut Command) -> Result<u8, String> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // Without this, an interrupt would end this process before the program.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::<AtomicBool>::default());
    let status = process.status();
    let status = status.map_err(|error| spawn_error(process, &error))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(1))
}

fn spawn_error(process: &Command, error: &std::io::Error) -> String {
    let program = process.get_program().display();
    format!("`{program}` cannot be started: {error}")
}

/// Continues as `process`.
fn continue_as(name: &'static str, mut process: Command) -> u8 {
    exec(&mut process).unwrap_or_else(|message| {
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        let diagnostic = diagnostic.hint("check that the file is an executable program");
        report_error(name, &diagnostic);
        diagnostic.code.status()
    })
}

fn report_error(name: &'static str, diagnostic: &Diagnostic) {
    let text = Reporter::new(name, Format::Human, false).render(Severity::Error, diagnostic);
    let _ = Stderr.write_all(text.as_bytes());
}

/// Makes panics be reported for the program `name`.
fn report_panics(name: &'static str) {
    std::panic::set_hook(Box::new(move |panic| report_panic(name, panic)));
}

/// Reports a panic, which is a bug in cogtools, like any other failure, so that no model sees a
/// backtrace.
fn report_panic(name: &'static str, panic: &PanicHookInfo<'_>) {
    let cause = panic.payload_as_str().unwrap_or("unknown cause");
    let location = panic
        .location()
        .map(|location| format!(" ({}:{})", location.file(), location.line()));
    let message = format!("internal error: {cause}{}", location.unwrap_or_default());
    let diagnostic = Diagnostic::new(Code::Internal, message)
        .hint("this is a bug in cogtools; please report it with the command you ran");
    report_error(name, &diagnostic);
}

/// Says on standard error that this process waits for another one.
pub(crate) fn notify_waiting() {
    let notice = b"waiting for another cogtools that changes the record of approvals\n";
    // It could not be reported anywhere.
    let _ = Stderr.write_all(notice);
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_empty_queue_is_finished_at_once() {
        queue_stderr("cogtools-example");
        let begin = Instant::now();
        finish_stderr();
        assert!(begin.elapsed() < READ_GRACE);
    }
}
