//! One run of another program: bounded in time and output, and ended with
//! everything that it started.
//!
//! Whatever runs programs does it through [`Process`]: tools that are commands,
//! sources that ask other programs for tools, and whoever tries what a host would
//! run. Nothing of this process leaks into the other one: neither a variable nor
//! the working directory.

mod captured;
mod group;
mod pipe;
mod signal;
mod supervisor;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

pub use captured::Captured;
pub use group::Group;

use crate::Cancel;
use crate::environment::Vars;
use supervisor::Supervisor;

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
}

/// How a run ended, and what the program said.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// The beginning of its standard output.
    pub stdout: Captured,
    /// The end of its standard error.
    pub stderr: Captured,
    /// Whether something that it had started still held its outputs half a second
    /// after its own end. That is ended too.
    pub left_children: bool,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself.
    Status(ExitStatus),
    /// It was ended, because it took longer than it may.
    TimedOut,
    /// It was ended, because somebody asked for that.
    Cancelled,
    /// It was ended, because it printed more than [`Process::FLOOD`].
    OutputLimit,
}

impl Process {
    /// How many bytes of standard output are captured unless told otherwise: 1 MiB.
    pub const STDOUT_LIMIT: usize = 1 << 20;
    /// How many bytes of standard error are captured, the last ones: 64 KiB.
    pub const STDERR_LIMIT: usize = 64 << 10;
    /// A program that prints more than that, in bytes, is ended: 256 MiB. Up to
    /// here it is read on, for what it does may matter more than what it says.
    pub const KILL_LIMIT: u64 = 256 << 20;

    /// A run of the file `program` in `directory`, both absolute: no arguments, no
    /// variables, no input, and a minute of time.
    pub fn new(program: impl Into<PathBuf>, directory: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            directory: directory.into(),
            variables: Vars::new(),
            input: Vec::new(),
            timeout: Duration::from_mins(1),
            stdout_limit: Self::STDOUT_LIMIT,
        }
    }

    /// Its arguments, without its own name.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Its whole environment.
    pub fn variables(mut self, variables: Vars) -> Self {
        self.variables = variables;
        self
    }

    /// What it finds on standard input, which then ends. It need not read it.
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// How long it may run.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How many bytes of its standard output are captured.
    pub const fn stdout_limit(mut self, most: usize) -> Self {
        self.stdout_limit = most;
        self
    }

    /// Runs it to its end, or to that of its time, or until `cancel` is asked. When
    /// this returns, nothing holds its pipes any more: what it started and left
    /// behind with them is ended. An error says that it could not be run at all.
    pub fn run(self, cancel: &Cancel) -> io::Result<Output> {
        if cancel.is_cancelled() {
            return Ok(Output {
                exit: Exit::Cancelled,
                stdout: Captured::default(),
                stderr: Captured::default(),
                left_children: false,
            });
        }
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .current_dir(&self.directory)
            .env_clear()
            .envs(&self.variables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let group = Group::start(&mut command)?;
        Supervisor::start(group, self.input, self.stdout_limit)?.run(self.timeout, cancel)
    }
}

impl Exit {
    /// What became of the program, for a message: `ended with status 3`.
    pub fn describe(self) -> String {
        match self {
            Self::Status(status) => signal::describe(status),
            Self::TimedOut => "took longer than it may".to_owned(),
            Self::Cancelled => "was stopped, as was asked".to_owned(),
            Self::OutputLimit => {
                let most = Process::KILL_LIMIT >> 20;
                format!("printed more than {most} MiB and was stopped")
            }
        }
    }

    /// Whether all went well.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Status(status) if status.success())
    }
}
