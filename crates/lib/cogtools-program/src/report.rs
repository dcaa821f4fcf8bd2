//! Printing of diagnostics and notes on standard error.

use std::borrow::Cow;
use std::fmt::Write as _;

use cogtools_core::json::object;
use cogtools_core::{Diagnostic, Hint};
use serde_json::{Value, json};

use crate::call::quote;
use crate::hint::command_line_in;
use crate::terminal::style::{CYAN, RED, Style, YELLOW};
use crate::terminal::{paint, sanitize, sanitize_json, sanitize_lines, truncate};

/// The maximum number of characters printed of a message or a hint.
const MAX_CHARS: usize = 4_000;

/// The format of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for people and models.
    Human,
    /// One JSON object per line.
    Json,
}

/// The effect of a diagnostic on the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The run failed.
    Error,
    /// The run continued without the failed item.
    Warning,
}

/// Formats the diagnostics of one program.
#[derive(Clone, Debug)]
pub struct Reporter {
    program: &'static str,
    format: Format,
    colour: bool,
    /// The directory of `-C`, for the command lines of hints.
    directory: Option<String>,
}

impl Reporter {
    /// A reporter for `program`.
    pub const fn new(program: &'static str, format: Format, colour: bool) -> Self {
        Self {
            program,
            format,
            colour,
            directory: None,
        }
    }

    /// Makes the commands in hints say `-C directory`: the user's shell is elsewhere.
    pub(crate) fn in_directory(self, directory: &str) -> Self {
        Self {
            directory: Some(quote(directory)),
            ..self
        }
    }

    /// The directory of `-C`, quoted for a shell.
    pub fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// The hint on one line.
    pub fn hint<'h>(&self, hint: &'h Hint) -> Cow<'h, str> {
        hint.render(|command| command_line_in(command, self.directory.as_deref()))
    }

    /// Returns true if it is for people.
    pub(crate) fn is_human(&self) -> bool {
        self.format == Format::Human
    }

    /// The complete diagnostic, ending with a line feed.
    pub fn render(&self, severity: Severity, diagnostic: &Diagnostic) -> String {
        match self.format {
            Format::Human => self.human(severity, diagnostic),
            Format::Json => json_line(&self.json(severity, diagnostic)),
        }
    }

    /// A note that is not a diagnostic, ending with a line feed.
    /// `details` is the output of another program, or empty.
    pub fn note(&self, message: &str, details: &str) -> String {
        match self.format {
            Format::Human => {
                let details = quote_details(details);
                format!("{}: {}\n{details}", self.program, sanitize_line(message))
            }
            Format::Json => {
                let mut note = json!({"program": self.program, "note": message});
                if !details.is_empty() {
                    note["details"] = details.into();
                }
                json_line(&note)
            }
        }
    }

    /// Lines that belong to a message, such as a diff; left out in JSON.
    pub fn quote_lines(&self, text: &str) -> String {
        let with_line_feed = |line: &str| format!("{}\n", sanitize_lines(line));
        match self.format {
            Format::Human => text.lines().map(with_line_feed).collect(),
            Format::Json => String::new(),
        }
    }

    fn human(&self, severity: Severity, diagnostic: &Diagnostic) -> String {
        let style = match severity {
            Severity::Error => RED,
            Severity::Warning => YELLOW,
        };
        let label = format!("{}[{}]", severity.name(), diagnostic.code.name());
        let label = self.paint(&label, style.bold());
        let line = sanitize_line(&diagnostic.summary());
        let mut text = format!("{}: {label}: {line}\n", self.program);
        if let Some(location) = &diagnostic.location {
            text.push_str(&location.excerpt());
        }
        text.push_str(&quote_details(&diagnostic.details));
        for log in diagnostic.logs.iter().flatten() {
            text.push_str(&quote_details(log));
        }
        let label = self.paint("hint:", CYAN.bold());
        for hint in &diagnostic.hints {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{label} {}", sanitize_line(&self.hint(hint)));
        }
        text
    }

    /// The diagnostic as the JSON object of a line.
    pub fn json(&self, severity: Severity, diagnostic: &Diagnostic) -> Value {
        let location = diagnostic.location.as_ref();
        let unless_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let hints = diagnostic.hints.iter().map(|hint| self.hint(hint));
        let fields = json!({
            "severity": severity.name(),
            "code": diagnostic.code.name(),
            "program": self.program,
            "subject": unless_empty(&diagnostic.subject),
            "file": location.map(|at| at.file.display().to_string()),
            "line": location.map(|at| at.line),
            "column": location.map(|at| at.column),
            "pointer": diagnostic.pointer.as_deref().map(shorten),
            "message": shorten(&diagnostic.message),
            "details": unless_empty(&diagnostic.details),
            "logs": diagnostic.logs,
            "hints": hints.map(|hint| shorten(&hint).into_owned()).collect::<Value>(),
        });
        let known = object(fields)
            .into_iter()
            .filter(|(_, value)| !value.is_null());
        known.collect()
    }

    fn paint(&self, text: &str, style: Style) -> String {
        paint(text, style, self.colour)
    }
}

/// The output of another program, each line prefixed with a bar, so that none can pass for a
/// line of cogtools.
fn quote_details(text: &str) -> String {
    let mut quotation = String::new();
    for line in text.lines() {
        // Programs indent with tabs, which would be escaped.
        let line = line.replace('\t', "    ");
        quotation.push_str("  | ");
        quotation.push_str(&sanitize_line(&line));
        quotation.truncate(quotation.trim_end().len());
        quotation.push('\n');
    }
    quotation
}

/// A text on one line, safe to print: names and values come from files and callers, and must
/// neither control a terminal nor look like lines of cogtools.
fn sanitize_line(text: &str) -> String {
    sanitize(&shorten(text)).into_owned()
}

/// One line of JSON, with unsafe characters escaped.
fn json_line(value: &Value) -> String {
    format!("{}\n", sanitize_json(&value.to_string()))
}

/// The beginning of a text that is too long to read.
fn shorten(text: &str) -> Cow<'_, str> {
    truncate(text, MAX_CHARS)
}

impl Severity {
    const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}
