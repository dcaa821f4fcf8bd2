//! The project that the pages are about, and the programs that they start.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::process::{Output, Process};
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_program::project::project;
use cogtools_program::{Input, Io, IoContext, Reporter, SignalWatch, Terminals, Vars};

/// The project, as the server was started in it.
pub(crate) struct ProjectView {
    vars: Vars,
    cwd: PathBuf,
    program: PathBuf,
    reporter: Reporter,
    name: String,
    stop: Cancel,
}

impl ProjectView {
    /// The project that contains `io`'s working directory. What it starts ends with `stop`.
    pub(crate) fn new(io: &Io<'_>, stop: Cancel) -> Self {
        let root = project(io);
        let name = root.root().file_name().unwrap_or_default();
        Self {
            vars: io.vars.clone(),
            cwd: io.cwd.clone(),
            program: io.program.clone(),
            reporter: io.reporter.clone(),
            name: name.to_string_lossy().into_owned(),
            stop,
        }
    }

    /// The name of the project's folder.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Runs `work` with the server's directory and environment, but without its streams.
    pub(crate) fn with_io<T>(&self, work: impl FnOnce(&Io<'_>) -> T) -> T {
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
            signals: SignalWatch::with_token(self.stop.clone()),
            context: IoContext::default(),
        })
    }

    /// Runs `cogtools ARGS` with `input`, as the user would in the directory of the server.
    pub(crate) fn run(
        &self,
        args: impl IntoIterator<Item = impl Into<OsString>>,
        input: Vec<u8>,
        timeout: Duration,
    ) -> Result<Output, Box<Diagnostic>> {
        let folder = self.program.parent().unwrap_or(Path::new("/"));
        let name = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
        let args = args.into_iter().map(Into::into);
        let process = Process::new(folder.join(name), self.cwd.clone())
            .args(args)
            .variables(self.vars.clone())
            .input(input)
            .timeout(timeout);
        process.run(&self.stop).map_err(|error| {
            let message = format!("cogtools cannot be started: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Box::new(diagnostic.hint("install cogtools again: its programs belong together"))
        })
    }
}
