//! A command from the settings, as Gemini CLI finds and starts it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cogtools_gemini_cli::Trust;
use cogtools_gemini_cli::command::{CALL, DISCOVER};

use crate::host::Host;
use crate::process::{self, Output, RunError};

/// A program that a settings key names, with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Its name, as written in the settings.
    pub(crate) name: String,
    /// The arguments after the name.
    pub(crate) args: Vec<String>,
    /// The file that the system would start, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Shell operators, which Gemini CLI drops, since it starts no shell.
    pub(crate) dropped: Vec<String>,
}

impl Program {
    /// Parses the discovery command, which is split as a shell does. `None` if it
    /// cannot be split.
    pub(crate) fn discovery(command: &str, host: &Host) -> Option<Self> {
        let words = shlex::split(command)?;
        let operator = |word: &String| !word.is_empty() && word.chars().all(is_operator);
        let (dropped, args): (Vec<String>, Vec<String>) = words.into_iter().partition(operator);
        let mut args = args.into_iter();
        let name = args.next()?;
        Some(Self {
            file: find(&name, host).filter(|file| is_startable(file)),
            name,
            args: args.collect(),
            dropped,
        })
    }

    /// The call command: a single name, spaces included.
    pub(crate) fn call(command: &str, host: &Host) -> Self {
        Self {
            name: command.to_owned(),
            args: Vec::new(),
            file: find(command, host).filter(|file| is_startable(file)),
            dropped: Vec::new(),
        }
    }

    /// Returns true if it has the name of a program of cogtools.
    pub(crate) fn is_cogtools(&self) -> bool {
        [DISCOVER, CALL].contains(&program_name(&self.name))
    }

    /// Returns true if it may be started: an untrusted project must not choose what runs, except
    /// for the programs of cogtools on `PATH`.
    pub(crate) fn may_run(&self, trust: &Trust) -> bool {
        trust.is_trusted() || (self.is_cogtools() && self.name == program_name(&self.name))
    }

    /// Runs it in the project with its own arguments and `more`, as a host does.
    pub(crate) fn run(
        &self,
        more: &[&str],
        input: &[u8],
        host: &Host,
    ) -> Option<Result<Output, RunError>> {
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let args = [args.as_slice(), more].concat();
        let file = self.file.as_ref()?;
        Some(process::run(file, &args, input, host))
    }
}

/// The file that the system would start for `name` in the project.
pub(crate) fn find(name: &str, host: &Host) -> Option<PathBuf> {
    let path = host.vars.get(OsStr::new("PATH"));
    which::which_in(name, path, &host.root).ok()
}

/// Returns true if Gemini CLI can start it: on Windows it does not start `cmd` scripts, which npm
/// puts on PATH there.
fn is_startable(file: &Path) -> bool {
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    !(cfg!(windows) && ["cmd", "bat", "ps1"].contains(&ending.to_lowercase().as_str()))
}

/// The name of a program without its folder and without `.exe`.
pub(crate) fn program_name(path: &str) -> &str {
    let name = Path::new(path)
        .file_name()
        .and_then(OsStr::to_str)
        .unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

const fn is_operator(c: char) -> bool {
    matches!(c, '|' | '&' | ';' | '<' | '>' | '(' | ')')
}
