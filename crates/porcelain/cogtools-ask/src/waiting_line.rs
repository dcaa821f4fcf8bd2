//! The line on a terminal that says what a run waits for. It appears after a second, and is gone
//! before anything else is printed.

use std::time::Instant;

use cogtools_program::Io;
use cogtools_program::terminal::{Stream, sanitize, status_line, style};

/// What the model's answer is waited for by.
const MODEL: &str = "";

/// The line.
#[derive(Debug, Default)]
pub(crate) struct WaitingLine {
    is_shown: bool,
    /// What is waited for, by identifier, and since when.
    waits: Vec<(String, String, Instant)>,
    is_drawn: bool,
}

impl WaitingLine {
    /// A line on standard error, if that is a terminal that can erase it.
    pub(crate) fn of(io: &Io<'_>, is_quiet: bool) -> Self {
        let is_dumb = io.var("TERM").is_none_or(|name| name == "dumb");
        Self {
            is_shown: io.terminals.stderr && !is_dumb && !is_quiet,
            ..Self::default()
        }
    }

    /// The model is asked.
    pub(crate) fn ask(&mut self) {
        self.begin(MODEL, "waiting for the model".to_owned());
    }

    /// A call begins.
    pub(crate) fn call(&mut self, id: &str, tool: &str) {
        self.begin(id, format!("calling {}", sanitize(tool)));
    }

    /// The model answers.
    pub(crate) fn answered(&mut self) {
        self.end(MODEL);
    }

    /// What has this identifier has ended.
    pub(crate) fn end(&mut self, id: &str) {
        self.waits.retain(|(other, ..)| other != id);
    }

    fn begin(&mut self, id: &str, what: String) {
        self.end(id);
        self.waits.push((id.to_owned(), what, Instant::now()));
    }

    /// Draws the line as it is now. The cursor must be on an empty line.
    pub(crate) fn draw(&mut self, io: &mut Io<'_>) {
        let Some((_, what, since)) = self.waits.first().filter(|_| self.is_shown) else {
            return;
        };
        let more = match self.waits.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let text = format!("{what}{more} … {} s", since.elapsed().as_secs());
        let text = style::paint(&text, style::DIM, io.colour(Stream::Stderr));
        write(&status_line::replace(&text), io);
        self.is_drawn = true;
    }

    /// Erases the line, if it is there.
    pub(crate) fn erase(&mut self, io: &mut Io<'_>) {
        if std::mem::take(&mut self.is_drawn) {
            write(status_line::ERASE, io);
        }
    }
}

/// What cannot be written here could not be reported anywhere.
fn write(text: &str, io: &mut Io<'_>) {
    let _ = io.stderr.write_all(text.as_bytes());
    let _ = io.stderr.flush();
}
