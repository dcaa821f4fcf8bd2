//! A run inside this process, with its own streams and an empty environment, for tests and
//! for code that embeds a program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::input::Input;
use crate::io::{Io, IoContext, Terminals, Vars};
use crate::process::SignalWatch;
use crate::program::Program;
use crate::report::{Format, Reporter};

/// The exit status, standard output and standard error of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedRun {
    /// The exit status.
    pub status: u8,
    /// All of standard output, with invalid UTF-8 replaced.
    pub stdout: String,
    /// All of standard error, with invalid UTF-8 replaced.
    pub stderr: String,
}

impl Program {
    /// Runs the program in the directory `cwd` with empty input and no environment; `terminals`
    /// says which of its outputs count as terminals.
    pub fn run_captured(&self, cwd: &Path, terminals: Terminals, args: &[&str]) -> CapturedRun {
        self.run_captured_with(Vars::new(), cwd, terminals, args)
    }

    /// Like [`Self::run_captured`], with these environment variables.
    pub fn run_captured_with(
        &self,
        vars: Vars,
        cwd: &Path,
        terminals: Terminals,
        args: &[&str],
    ) -> CapturedRun {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut io = Io {
            stdin: Input::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminals,
            vars,
            cwd: cwd.to_path_buf(),
            program: PathBuf::new(),
            next: None,
            reporter: Reporter::new(self.name, Format::Human, false),
            signals: SignalWatch::default(),
            context: IoContext::default(),
        };
        let status = self.launch(&args, &mut io);
        CapturedRun {
            status,
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }
}
