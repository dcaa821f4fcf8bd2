//! What a server keeps of an [`Io`] for its work, which has no streams of its own.

use std::path::PathBuf;

use cogtools_core::Cancel;

use crate::{Input, Io, IoContext, Reporter, SignalWatch, Terminals, Vars};

/// The directory and the environment of an [`Io`] without its streams, which belong to a client.
pub struct DetachedIo {
    /// The environment.
    pub vars: Vars,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The file of the running program, absolute.
    pub program: PathBuf,
    reporter: Reporter,
    /// Cancels what is at work.
    pub cancel: Cancel,
}

impl DetachedIo {
    /// That of `io`. What it starts ends with `cancel`.
    pub fn new(io: &Io<'_>, cancel: Cancel) -> Self {
        Self {
            vars: io.vars.clone(),
            cwd: io.cwd.clone(),
            program: io.program.clone(),
            reporter: io.reporter.clone(),
            cancel,
        }
    }

    /// Runs `work` with empty input, and output that goes nowhere.
    pub fn run<T>(&self, work: impl FnOnce(&Io<'_>) -> T) -> T {
        let (mut stdout, mut stderr) = (std::io::sink(), std::io::sink());
        work(&Io {
            stdin: Input::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminals: Terminals::default(),
            vars: self.vars.clone(),
            cwd: self.cwd.clone(),
            program: self.program.clone(),
            next: None,
            reporter: self.reporter.clone(),
            signals: SignalWatch::with_token(self.cancel.clone()),
            context: IoContext::default(),
        })
    }
}
