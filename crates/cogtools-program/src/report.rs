//! The one place that puts a fault into words on standard error.

use std::borrow::Cow;

use cogtools_core::Diagnostic;
use serde_json::{Map, Value, json};

use crate::hint::render_hint;
use crate::terminal::style::{CYAN, RED, Style, YELLOW};
use crate::terminal::{paint, sanitize, sanitize_json, sanitize_lines, truncate};

/// How many characters of a message or a hint are shown.
const MAX_CHARS: usize = 4_000;

/// How failures are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for people and models.
    Human,
    /// One JSON object a line.
    Json,
}

/// Whether a fault ended the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It did.
    Error,
    /// It did not: the rest went on without it.
    Warning,
}

/// Words faults for one program.
#[derive(Clone, Debug)]
pub struct Reporter {
    program: &'static str,
    format: Format,
    colour: bool,
}

impl Reporter {
    /// A reporter in the name of `program`.
    pub const fn new(program: &'static str, format: Format, colour: bool) -> Self {
        Self {
            program,
            format,
            colour,
        }
    }

    /// The fault in full, ending with a line feed.
    pub fn render(&self, severity: Severity, diagnostic: &Diagnostic) -> String {
        match self.format {
            Format::Human => self.human(severity, diagnostic),
            Format::Json => json_line(&self.json(severity, diagnostic)),
        }
    }

    /// A remark that is no fault, ending with a line feed.
    /// `details` are lines that somebody else wrote, or empty.
    pub fn note(&self, message: &str, details: &str) -> String {
        match self.format {
            Format::Human => {
                let details = quoted(details);
                format!("{}: {}\n{details}", self.program, shown(message))
            }
            Format::Json if details.is_empty() => {
                json_line(&json!({"program": self.program, "note": message}))
            }
            Format::Json => {
                let note = json!({"program": self.program, "note": message, "details": details});
                json_line(&note)
            }
        }
    }

    /// Lines that belong to a message, such as a diff; JSON has no place for them.
    pub fn quote_lines(&self, text: &str) -> String {
        let ended = |line: &str| format!("{}\n", sanitize_lines(line));
        match self.format {
            Format::Human => text.lines().map(ended).collect(),
            Format::Json => String::new(),
        }
    }

    fn human(&self, severity: Severity, diagnostic: &Diagnostic) -> String {
        let label = format!("{}[{}]", severity.name(), diagnostic.code.name());
        let label = match severity {
            Severity::Error => self.paint(&label, RED.bold()),
            Severity::Warning => self.paint(&label, YELLOW.bold()),
        };
        let line = diagnostic.summary();
        let line = shown(&line);
        let mut text = format!("{}: {label}: {line}\n", self.program);
        if let Some(location) = &diagnostic.location {
            text.push_str(&location.excerpt());
        }
        text.push_str(&quoted(&diagnostic.details));
        for hint in &diagnostic.hints {
            text.push_str(&self.paint("hint:", CYAN.bold()));
            text.push(' ');
            text.push_str(&shown(&render_hint(hint)));
            text.push('\n');
        }
        text
    }

    fn json(&self, severity: Severity, diagnostic: &Diagnostic) -> Value {
        let mut object = Map::new();
        object.insert("severity".into(), severity.name().into());
        object.insert("code".into(), diagnostic.code.name().into());
        object.insert("program".into(), self.program.into());
        if !diagnostic.subject.is_empty() {
            object.insert("subject".into(), diagnostic.subject.clone().into());
        }
        if let Some(location) = &diagnostic.location {
            object.insert("file".into(), location.file.display().to_string().into());
            object.insert("line".into(), location.line.into());
            object.insert("column".into(), location.column.into());
        }
        if let Some(pointer) = &diagnostic.pointer {
            object.insert("pointer".into(), cut(pointer).into());
        }
        object.insert("message".into(), cut(&diagnostic.message).into());
        if !diagnostic.details.is_empty() {
            object.insert("details".into(), diagnostic.details.clone().into());
        }
        object.insert(
            "hints".into(),
            diagnostic
                .hints
                .iter()
                .map(|hint| cut(&render_hint(hint)).into_owned())
                .collect(),
        );
        Value::Object(object)
    }

    fn paint(&self, text: &str, style: Style) -> String {
        paint(text, style, self.colour)
    }
}

/// Lines that somebody else wrote, each behind a bar, so that none of them looks
/// like one of ours.
fn quoted(text: &str) -> String {
    let mut quotation = String::new();
    for line in text.lines() {
        // Tabs are readable, and programs indent with them.
        let line = line.replace('\t', "    ");
        quotation.push_str("  | ");
        quotation.push_str(&shown(&line));
        quotation.truncate(quotation.trim_end().len());
        quotation.push('\n');
    }
    quotation
}

/// A text on one line, as it can be shown: names and values come from files and
/// callers, and must neither steer a terminal nor look like lines of ours.
fn shown(text: &str) -> String {
    sanitize(&cut(text)).into_owned()
}

/// One line of JSON, which shows every character that it may not.
fn json_line(value: &Value) -> String {
    format!("{}\n", sanitize_json(&value.to_string()))
}

/// The beginning of a text that nobody would read to its end.
fn cut(text: &str) -> Cow<'_, str> {
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
