//! Long output at a terminal, in the pager of the user, as git shows it.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::Stdio;

use crate::system_program::{SystemProgram, own_variables};
use crate::{Failure, Io};

/// The options of `less` unless `LESS` is set: end at once if the text fits, show colours, and
/// leave the text on the screen.
const LESS: &str = "FRX";

impl Io<'_> {
    /// Prints `text`, which is safe to show, through the pager if standard output is a terminal
    /// with fewer lines. `PAGER` names it, as in git: none if it is empty or `cat`. A project's
    /// `.env` cannot choose it.
    ///
    /// # Errors
    /// `IO_FAILED` if standard output cannot be written.
    pub fn page(&mut self, text: &str) -> Result<(), Failure> {
        // A captured run has no terminal of its own.
        let is_process = !self.program.as_os_str().is_empty();
        let is_long = || text.lines().count() >= height();
        if is_process && self.terminals.stdout && is_long() && self.run_pager(text) {
            return Ok(());
        }
        self.print(text.as_bytes())
    }

    /// Returns false if there is no pager, or it cannot be started.
    fn run_pager(&self, text: &str) -> bool {
        let variables = own_variables(self);
        let set = variables.get(OsStr::new("PAGER"));
        let line = set.map_or(Some("less"), |line| line.to_str());
        let words = line.and_then(shlex::split).unwrap_or_default();
        let Some((name, args)) = words.split_first().filter(|(name, _)| *name != "cat") else {
            return false;
        };
        let Some(program) = SystemProgram::find(name, &self.cwd, self) else {
            return false;
        };
        let mut command = program.command();
        if !variables.contains_key(OsStr::new("LESS")) {
            command.env("LESS", LESS);
        }
        let started = command.args(args).stdin(Stdio::piped()).spawn();
        let Ok(mut pager) = started else {
            return false;
        };
        // A reader that quits before the end has seen enough.
        if let Some(mut input) = pager.stdin.take() {
            let _ = input.write_all(text.as_bytes());
        }
        pager.wait().is_ok()
    }
}

/// The lines of the terminal; a terminal of unknown size has room for everything.
fn height() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stdout())
        && size.ws_row > 0
    {
        return usize::from(size.ws_row);
    }
    usize::MAX
}
