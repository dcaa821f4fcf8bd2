//! The project that the pages are about, and the programs that they start.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use cogtools_core::process::{Output, Process};
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_program::project::project;
use cogtools_program::{DetachedIo, Io};

/// The project, as the server was started in it.
pub(crate) struct ProjectView {
    io: DetachedIo,
    name: String,
}

impl ProjectView {
    /// The project that contains `io`'s working directory. What it starts ends with `stop`.
    pub(crate) fn new(io: &Io<'_>, stop: Cancel) -> Self {
        let root = project(io);
        let name = root.root().file_name().unwrap_or_default();
        Self {
            io: DetachedIo::new(io, stop),
            name: name.to_string_lossy().into_owned(),
        }
    }

    /// The name of the project's folder.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Runs `work` with the server's directory and environment, but without its streams.
    pub(crate) fn with_io<T>(&self, work: impl FnOnce(&Io<'_>) -> T) -> T {
        self.io.run(work)
    }

    /// Runs `cogtools ARGS` with `input`, as the user would in the directory of the server.
    pub(crate) fn run(
        &self,
        args: impl IntoIterator<Item = impl Into<OsString>>,
        input: Vec<u8>,
        timeout: Duration,
    ) -> Result<Output, Box<Diagnostic>> {
        self.run_until(args, input, timeout, &self.io.cancel)
    }

    /// Like [`Self::run`], until `stop`.
    pub(crate) fn run_until(
        &self,
        args: impl IntoIterator<Item = impl Into<OsString>>,
        input: Vec<u8>,
        timeout: Duration,
        stop: &Cancel,
    ) -> Result<Output, Box<Diagnostic>> {
        let folder = self.io.program.parent().unwrap_or(Path::new("/"));
        let name = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
        let args = args.into_iter().map(Into::into);
        let process = Process::new(folder.join(name), self.io.cwd.clone())
            .args(args)
            .variables(self.io.vars.clone())
            .input(input)
            .timeout(timeout);
        process.run(stop).map_err(|error| {
            let message = format!("cogtools cannot be started: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Box::new(diagnostic.hint("install cogtools again: its programs belong together"))
        })
    }
}
