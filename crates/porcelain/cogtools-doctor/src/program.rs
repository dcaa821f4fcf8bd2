//! A command from the settings, as Gemini CLI finds and starts it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::Cancel;
use cogtools_core::process::{Exit, Output, Process};
use cogtools_edit::host::{CALL, DISCOVER, Trust};

use crate::host::Host;

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

/// Package managers with the command line up to the name of the package; true if only the
/// administrator may run it.
const MANAGERS: [(&str, &str, bool); 5] = [
    ("brew", "brew install", false),
    ("apt-get", "apt-get install --yes", true),
    ("dnf", "dnf install --assumeyes", true),
    ("pacman", "pacman --sync --noconfirm", true),
    ("apk", "apk add", true),
];

/// Programs with the name of their package, and the managers that have it under another one.
const PACKAGES: [(&str, &str, &str, &[&str]); 7] = [
    ("curl", "curl", "", &[]),
    ("git", "git", "", &[]),
    ("jq", "jq", "", &[]),
    ("make", "make", "", &[]),
    ("node", "nodejs", "node", &["brew"]),
    ("python3", "python3", "python", &["brew", "pacman"]),
    ("rg", "ripgrep", "", &[]),
];

/// The command that installs `program` on `host`, if both it and the manager are known.
pub(crate) fn install_command(program: &str, host: &Host) -> Option<String> {
    let mut packages = PACKAGES.into_iter();
    let (_, usual, other, others) = packages.find(|(name, ..)| *name == program)?;
    let mut managers = MANAGERS.into_iter();
    let (manager, install, needs_root) = managers.find(|(name, ..)| find(name, host).is_some())?;
    let package = if others.contains(&manager) {
        other
    } else {
        usual
    };
    let has_sudo = needs_root && find("sudo", host).is_some();
    let sudo = if has_sudo { "sudo " } else { "" };
    Some(format!("{sudo}{install} {package}"))
}

/// The limit of Gemini CLI for a discovery command: 10 MiB per stream.
const MAX_OUTPUT_BYTES: usize = 10 << 20;
/// The time limit of a program. Gemini CLI itself waits forever.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Why there is no output to examine.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("timed out after {} s", .0.as_secs_f64())]
    Timeout(Duration),
    #[error("exited, but left a child process that keeps its output open")]
    LeftChildren,
    #[error("printed more than {} MiB", MAX_OUTPUT_BYTES >> 20)]
    OutputLimit,
    #[error("was cancelled")]
    Cancelled,
    #[error("belongs to a project that is not trusted")]
    Untrusted,
}

/// Runs `program` on `host` with exactly its environment, and `input` on
/// standard input.
pub(crate) fn run<A: Into<OsString>>(
    program: &Path,
    args: impl IntoIterator<Item = A>,
    input: &[u8],
    host: &Host,
) -> Result<Output, RunError> {
    if !host.may_start(program) {
        return Err(RunError::Untrusted);
    }
    let process = Process::new(program, &host.root)
        .args(args)
        .variables(host.program_vars())
        .input(input);
    run_with_limits(process, TIMEOUT, &host.cancel)
}

/// Runs `process` with a limit on output, and for at most `timeout`.
fn run_with_limits(
    process: Process,
    timeout: Duration,
    cancel: &Cancel,
) -> Result<Output, RunError> {
    let process = process.timeout(timeout).stdout_limit(MAX_OUTPUT_BYTES);
    let output = process.run(cancel).map_err(RunError::Start)?;
    let limit = MAX_OUTPUT_BYTES as u64;
    if output.stdout.total() > limit || output.stderr.total() > limit {
        return Err(RunError::OutputLimit);
    }
    match output.exit {
        Exit::TimedOut => Err(RunError::Timeout(timeout)),
        Exit::Cancelled => Err(RunError::Cancelled),
        // Gemini CLI would wait for them.
        _ if output.left_children => Err(RunError::LeftChildren),
        _ => Ok(output),
    }
}

/// The first line of a program's output that is not blank.
pub(crate) fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("nothing").trim().to_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, input: &[u8], expected: &str) {
        let process = Process::new("/bin/sh", "/").args(["-c", script]);
        let vars = [("PATH".into(), "/usr/bin:/bin".into())];
        let process = process.variables(vars.into()).input(input);
        let timeout = Duration::from_millis(900);
        let found = match run_with_limits(process, timeout, &Cancel::default()) {
            Err(error) => error.to_string(),
            Ok(output) => format!(
                "{}: {} {}",
                output.exit.describe(),
                output.stdout.bytes.len(),
                first_line(&output.stderr.bytes)
            ),
        };
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn every_program_is_limited() {
        check(
            "cat; echo no >&2; exit 3",
            b"four",
            "exited with status 3: 4 no",
        );
        check("exec sleep 60", b"", "timed out after 0.9 s");
        check(
            "sleep 60 &",
            b"",
            "exited, but left a child process that keeps its output open",
        );
        check("exec yes", b"", "printed more than 10 MiB");
        check("exec yes >&2", b"", "printed more than 10 MiB");
        check(
            "exit 0",
            &vec![b'x'; 1 << 20],
            "exited with status 0: 0 nothing",
        );
        check(
            "kill -9 $$",
            b"",
            "was terminated by signal 9 (SIGKILL): 0 nothing",
        );
    }
}
