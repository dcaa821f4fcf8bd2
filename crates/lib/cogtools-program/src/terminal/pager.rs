//! Long output at a terminal, in the pager of the user, as git shows it.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::Stdio;

use crate::system_program::{SystemProgram, own_variables};
use crate::terminal::{sanitize, sanitize_lines};
use crate::{Failure, Io};

/// The options of `less` unless `LESS` is set: end at once if the text fits, show colours, and
/// leave the text on the screen.
const LESS: &str = "FRX";

impl Io<'_> {
    /// Prints `text` through the pager if standard output is a terminal with fewer lines. Escapes
    /// other than styles are escaped for a terminal. `PAGER` names the pager, as in git: none if it is
    /// empty or `cat`. A project's `.env` cannot choose it.
    ///
    /// # Errors
    /// `IO_FAILED` if standard output cannot be written.
    pub fn page(&mut self, text: &str) -> Result<(), Failure> {
        let safe = self.terminals.stdout.then(|| escape_but_styles(text));
        let text = safe.as_deref().unwrap_or(text);
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

/// `text` in which everything is escaped but what a style begins and ends with: `ESC [ … m`.
fn escape_but_styles(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut safe = sanitize_lines(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let (style, rest) = match rest.strip_prefix('m') {
            Some(rest) => (&piece[..piece.len() - rest.len()], rest),
            None => ("", piece),
        };
        let escape = if style.is_empty() {
            sanitize("\u{1b}[")
        } else {
            "\u{1b}[".into()
        };
        safe.extend([&*escape, style, &*sanitize_lines(rest)]);
    }
    safe
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_styles_are_left_of_escapes() {
        for (text, expected) in [
            ("\u{1b}[1;31mred\u{1b}[0m\nx", "\u{1b}[1;31mred\u{1b}[0m\nx"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("\u{1b}]0;x\u{7}\u{9b}2J", "\\u{1b}]0;x\\u{7}\\u{9b}2J"),
            ("\u{1b}[", "\\u{1b}["),
        ] {
            assert_eq!(escape_but_styles(text), expected);
        }
    }
}
