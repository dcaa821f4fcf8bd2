//! A failure as it is shown: what every error turns into at last.
//!
//! Each operation has its own error type whose variants carry the names and
//! paths they speak of; `Diagnostic` is the one form that programs print, MCP
//! answers and JSON reports are made from.

use crate::{Code, Hint, Location};

/// One failure, worded for the one who can act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// What it is about: a tool's name, a file. Empty when nothing is to be named.
    pub subject: String,
    /// A JSON pointer into the arguments or the file's values, where one applies.
    pub pointer: Option<String>,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What somebody else said about it, in lines of its own: the standard error of
    /// a program, say. Empty when nobody did.
    pub details: String,
    /// What to do next, one line each.
    pub hints: Vec<Hint>,
    /// Where in a file it is wrong.
    pub location: Option<Location>,
}

impl Diagnostic {
    /// How many faults of one file or one call are told; with more of them, the
    /// rest would only hide the first.
    pub const MAX_SHOWN: usize = 50;

    /// The first of `diagnostics`, and a word on it when there are more.
    pub fn truncate(diagnostics: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut diagnostics: Vec<Self> =
            diagnostics.into_iter().take(Self::MAX_SHOWN + 1).collect();
        if diagnostics.len() > Self::MAX_SHOWN {
            diagnostics.truncate(Self::MAX_SHOWN);
            if let Some(last) = diagnostics.last_mut() {
                let most = Self::MAX_SHOWN;
                let hint = format!("there is more: only the first {most} are shown");
                last.hints.push(hint.into());
            }
        }
        diagnostics
    }

    /// A fault about nothing in particular.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            subject: String::new(),
            pointer: None,
            message: message.into(),
            details: String::new(),
            hints: Vec::new(),
            location: None,
        }
    }

    /// The same fault, about `subject`.
    #[must_use]
    pub fn with_subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// The same fault, at the argument (or value) that `pointer` names.
    #[must_use]
    pub fn with_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// The same fault with what somebody else said about it.
    #[must_use]
    pub fn with_details(mut self, details: impl Into<String>) -> Self {
        self.details = details.into();
        self
    }

    /// The same fault with one more hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The same fault at a place in a file.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// Location, subject, pointer and message on one line, without code and hints.
    pub fn summary(&self) -> String {
        let mut parts = Vec::with_capacity(4);
        if let Some(location) = &self.location {
            parts.push(format!(
                "{}:{}:{}",
                location.file.display(),
                location.line,
                location.column
            ));
        } else if !self.subject.is_empty() {
            parts.push(self.subject.clone());
        }
        if let Some(pointer) = self.pointer.as_ref().filter(|pointer| !pointer.is_empty()) {
            parts.push(pointer.clone());
        }
        parts.push(self.message.clone());
        parts.join(": ")
    }
}
