//! A command of the settings, as Gemini CLI finds and starts it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cogtools_gemini_cli::Trust;
use cogtools_gemini_cli::command::{CALL, DISCOVER};

use crate::host::Host;
use crate::process::{self, Output, RunError};

/// A program that a settings key names, with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The word that names it.
    pub(crate) word: String,
    /// What comes behind.
    pub(crate) args: Vec<String>,
    /// The file that the system would start, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Words that only a shell understands: Gemini CLI has none, and drops them.
    pub(crate) dropped: Vec<String>,
}

impl Program {
    /// The discovery command: words, split as a shell does it. `None` when they
    /// cannot be.
    pub(crate) fn discovery(command: &str, host: &Host) -> Option<Self> {
        let words = shlex::split(command)?;
        let operator = |word: &String| !word.is_empty() && word.chars().all(is_operator);
        let (dropped, words): (Vec<String>, Vec<String>) = words.into_iter().partition(operator);
        let mut words = words.into_iter();
        let word = words.next()?;
        Some(Self {
            file: find(&word, host).filter(|file| starts(file)),
            word,
            args: words.collect(),
            dropped,
        })
    }

    /// The call command: one name, blanks and all.
    pub(crate) fn call(command: &str, host: &Host) -> Self {
        Self {
            word: command.to_owned(),
            args: Vec::new(),
            file: find(command, host).filter(|file| starts(file)),
            dropped: Vec::new(),
        }
    }

    /// Whether it is one of ours, by its name.
    pub(crate) fn is_ours(&self) -> bool {
        [DISCOVER, CALL].contains(&program_name(&self.word))
    }

    /// Whether it may be started: a project that nobody trusts must not choose
    /// what runs here, but what `PATH` has under our names is ours.
    pub(crate) fn may_run(&self, trust: &Trust) -> bool {
        trust.is_given() || (self.is_ours() && self.word == program_name(&self.word))
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

/// The file that the system would start for `word` in the project.
pub(crate) fn find(word: &str, host: &Host) -> Option<PathBuf> {
    let path = host.vars.get(OsStr::new("PATH"));
    which::which_in(word, path, &host.root).ok()
}

/// Whether Gemini CLI can start it: on Windows it starts no script of `cmd`, which
/// is what npm puts on PATH there.
fn starts(file: &Path) -> bool {
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    !(cfg!(windows) && ["cmd", "bat", "ps1"].contains(&ending.to_lowercase().as_str()))
}

/// The name of a program without its folder and its ending on Windows.
pub(crate) fn program_name(word: &str) -> &str {
    let name = Path::new(word)
        .file_name()
        .and_then(OsStr::to_str)
        .unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

const fn is_operator(c: char) -> bool {
    matches!(c, '|' | '&' | ';' | '<' | '>' | '(' | ')')
}
