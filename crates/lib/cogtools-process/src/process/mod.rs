//! Runs another program with limits on time and output, and terminates everything that
//! it started.
//!
//! Everything that runs programs uses [`Process`]: tools that are commands, providers,
//! and tests of what a host would run. Nothing of this process leaks into the other
//! one: neither variables nor the working directory.

mod bounds;
mod group;
#[cfg(target_os = "linux")]
mod orphans;
mod pipes;
mod supervisor;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

pub use bounds::{Bounds, Confinement, Gap, Limits, Namespaces, Policy, SandboxMode, Support};
use cogtools_document::file;
pub use group::Group;
#[cfg(unix)]
pub use group::ignored_signals;
use tempfile::TempDir;

use crate::Cancel;
use crate::environment::Vars;
use supervisor::Supervisor;
pub use supervisor::{Captured, LineSink};

/// A program about to be run: a chain that ends in [`Process::run`].
#[derive(Clone)]
#[must_use = "nothing runs before `run`"]
pub struct Process {
    program: PathBuf,
    args: Vec<OsString>,
    directory: PathBuf,
    variables: Vars,
    input: Vec<u8>,
    timeout: Duration,
    stdout_limit: usize,
    confinement: Confinement,
    /// A folder that is removed after the run.
    folder: Option<Arc<TempFolder>>,
    lines: Option<LineSink>,
}

/// A folder of one run that only the user can enter, removed on drop.
#[derive(Debug)]
pub struct TempFolder(TempDir);

/// The end of a run, and its output.
#[derive(Clone, Debug)]
pub struct Output {
    /// The end.
    pub exit: Exit,
    /// The beginning of its standard output.
    pub stdout: Captured,
    /// The end of its standard error.
    pub stderr: Captured,
    /// True if a process that it had started kept its outputs open for half a second
    /// after its own exit. That process is terminated too.
    pub left_children: bool,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited by itself.
    Status(ExitStatus),
    /// It was terminated because it timed out.
    TimedOut,
    /// It was terminated because the run was cancelled.
    Cancelled,
    /// It was terminated because it printed more than [`Process::KILL_LIMIT`].
    OutputLimit,
}

impl TempFolder {
    /// Makes a folder in `parent`, with an unpredictable name.
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub fn new(parent: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("cogtools-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(std::fs::Permissions::from_mode(0o700));
        }
        builder.tempdir_in(parent).map(Self)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // A program may have taken its user's rights to what it made.
        file::make_writable(self.0.path());
    }
}

impl Process {
    /// Bytes of standard output that are captured by default: 1 MiB.
    pub const STDOUT_LIMIT: usize = 1 << 20;
    /// Bytes of standard error that are captured, the last ones: 64 KiB.
    pub const STDERR_LIMIT: usize = 64 << 10;
    /// A program that prints more bytes than this is terminated: 256 MiB. Up to this
    /// limit the rest is discarded, because what it does may matter more than its output.
    pub const KILL_LIMIT: u64 = 256 << 20;

    /// A run of the file `program` in `directory`, both absolute: no arguments, no
    /// variables, no input, and a timeout of one minute.
    pub fn new(program: impl Into<PathBuf>, directory: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            directory: directory.into(),
            variables: Vars::new(),
            input: Vec::new(),
            timeout: Duration::from_mins(1),
            stdout_limit: Self::STDOUT_LIMIT,
            confinement: Confinement::default(),
            folder: None,
            lines: None,
        }
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets its whole environment.
    pub fn variables(mut self, variables: Vars) -> Self {
        self.variables = variables;
        self
    }

    /// Sets a variable to what `value` returns for its former value.
    pub fn variable(
        mut self,
        name: &str,
        value: impl FnOnce(Option<OsString>) -> OsString,
    ) -> Self {
        let old = self.variables.remove(OsStr::new(name));
        self.variables.insert(name.into(), value(old));
        self
    }

    /// Sets its standard input, which it need not read.
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Sets how long it may run.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how many bytes of its standard output are captured.
    pub const fn stdout_limit(mut self, limit: usize) -> Self {
        self.stdout_limit = limit;
        self
    }

    /// Sets how it is confined; by default, it is not.
    pub fn confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Passes the lines of its standard error on while it runs.
    pub fn stderr_lines(mut self, lines: Option<LineSink>) -> Self {
        self.lines = lines;
        self
    }

    /// Removes `folder` after the run.
    pub fn with_folder(mut self, folder: Arc<TempFolder>) -> Self {
        self.folder = Some(folder);
        self
    }

    /// Returns the directory, the variables, the confinement and the folder, for a caller that
    /// starts another program in its place. The folder must exist while that runs.
    pub fn into_parts(self) -> (PathBuf, Vars, Confinement, Option<Arc<TempFolder>>) {
        (
            self.directory,
            self.variables,
            self.confinement,
            self.folder,
        )
    }

    /// Starts it for a caller that exchanges messages with it: neither its input nor its timeout
    /// applies. Its standard streams are pipes. The caller keeps `self` until it has exited.
    pub fn start(&self) -> io::Result<Group> {
        self.confinement.start(&self.program, |command| {
            command
                .args(&self.args)
                .current_dir(&self.directory)
                .env_clear()
                .envs(&self.variables)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
        })
    }

    /// Runs it until it exits, times out or is cancelled through `cancel`. When this
    /// returns, its pipes are closed: everything that it left running with them is
    /// terminated. An error means that it could not be started.
    pub fn run(self, cancel: &Cancel) -> io::Result<Output> {
        if cancel.is_cancelled() {
            return Ok(Output {
                exit: Exit::Cancelled,
                stdout: Captured::default(),
                stderr: Captured::default(),
                left_children: false,
            });
        }
        let group = self.start()?;
        let supervisor = Supervisor::start(group, self.input, self.stdout_limit, self.lines)?;
        let output = supervisor.run(self.timeout, cancel)?;
        let error = match output.exit {
            Exit::Status(status) => self.confinement.start_error(status, &output.stderr.bytes),
            _ => None,
        };
        error.map_or(Ok(output), Err)
    }
}

impl Exit {
    /// Describes the end for a message: `exited with status 3`.
    pub fn describe(self) -> String {
        match self {
            Self::Status(status) => describe(status),
            Self::TimedOut => "timed out".to_owned(),
            Self::Cancelled => "was cancelled".to_owned(),
            Self::OutputLimit => {
                let most = Process::KILL_LIMIT >> 20;
                format!("printed more than {most} MiB and was terminated")
            }
        }
    }

    /// The setting with the limit that it exceeded, if the system has terminated it for that.
    pub fn exceeded_limit(self) -> Option<&'static str> {
        match self {
            Self::Status(status) => match signal(status).and_then(name) {
                Some("SIGXFSZ") => Some("`limits.file_size`"),
                Some(OVER_BUDGET) => Some("`limits.memory`, `limits.processes` or `limits.cpu`"),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true if it exited with status 0.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Status(status) if status.success())
    }
}

/// Describes how a program with this `status` ended.
fn describe(status: ExitStatus) -> String {
    match (status.code(), signal(status)) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(number)) => match name(number) {
            Some(OVER_BUDGET) => {
                "was terminated: it needed more memory, processes or CPU time than it may have"
                    .to_owned()
            }
            Some(name) => format!("was terminated by signal {number} ({name})"),
            None => format!("was terminated by signal {number}"),
        },
        (None, None) => "exited without a status".to_owned(),
    }
}

/// The signal by which `cogtools-confine` exits if a program and its descendants exceed their
/// limits of memory and processes.
const OVER_BUDGET: &str = "SIGXCPU";

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
const fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// The name of a signal, whose number depends on the system.
#[cfg(unix)]
fn name(number: i32) -> Option<&'static str> {
    use nix::sys::signal::Signal;
    Signal::try_from(number).ok().map(Signal::as_str)
}

#[cfg(not(unix))]
const fn name(_: i32) -> Option<&'static str> {
    None
}
