//! What a rule finds, and where.

use std::path::PathBuf;

use cogtools_core::text::{Span, Text};
use cogtools_core::{Level, Location, invisible};

use crate::rule::Rule;
use crate::secret;

/// One thing that a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// What it weighs in this project; never [`Level::Off`].
    pub level: Level,
    /// Where it is. Secrets and invisible characters are masked in its line.
    pub location: Location,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub fix: String,
    /// The edits of the file that mend it; empty when a person must.
    pub edits: Vec<Edit>,
    /// Whether those edits have been made.
    pub fixed: bool,
}

/// Other text for a stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes.
    pub span: Span,
    /// Where that begins and where it ends: line and column, both from 1.
    pub region: [(usize, usize); 2],
    /// What comes in its place.
    pub text: String,
}

/// Takes what one rule finds in one file.
pub(crate) struct Findings<'f> {
    rule: &'static Rule,
    level: Level,
    text: &'f Text,
    found: &'f mut Vec<Finding>,
}

impl<'f> Findings<'f> {
    pub(crate) const fn new(
        rule: &'static Rule,
        level: Level,
        text: &'f Text,
        found: &'f mut Vec<Finding>,
    ) -> Self {
        Self {
            rule,
            level,
            text,
            found,
        }
    }

    /// Notes `message` at `span` of the file.
    pub(crate) fn at(&mut self, span: Span, message: impl Into<String>) -> FindingBuilder<'_> {
        self.location(self.text.location(span), message)
    }

    /// Notes `message` about the file as a whole.
    pub(crate) fn file(&mut self, message: impl Into<String>) -> FindingBuilder<'_> {
        self.at(Span { start: 0, end: 1 }, message)
    }

    /// Notes `message` at a place that may be in another file.
    pub(crate) fn location(
        &mut self,
        mut location: Location,
        message: impl Into<String>,
    ) -> FindingBuilder<'_> {
        location.text = invisible::mask(&secret::redact(&location.text)).into_owned();
        self.found.push(Finding {
            rule: self.rule,
            level: self.level,
            location,
            message: invisible::escape(&secret::redact(&message.into())).into_owned(),
            fix: self.rule.fix.to_owned(),
            edits: Vec::new(),
            fixed: false,
        });
        FindingBuilder {
            finding: self.found.last_mut(),
            text: self.text,
        }
    }
}

/// A finding that has just been reported, to be completed.
pub(crate) struct FindingBuilder<'f> {
    finding: Option<&'f mut Finding>,
    text: &'f Text,
}

impl FindingBuilder<'_> {
    /// Says what to do in words of its own instead of the rule's.
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        if let Some(finding) = &mut self.finding {
            finding.fix = invisible::escape(&secret::redact(&fix.into())).into_owned();
        }
        self
    }

    /// Adds an edit that mends it.
    pub(crate) fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        let region = [span.start, span.end].map(|at| {
            let location = self.text.location(Span { start: at, end: at });
            (location.line, location.column)
        });
        let text = text.into();
        if let Some(finding) = &mut self.finding {
            finding.edits.push(Edit { span, region, text });
        }
        self
    }
}

impl Finding {
    /// Where it stands among others: file, line, column.
    pub(crate) fn order(&self) -> (PathBuf, usize, usize) {
        (
            self.location.file.clone(),
            self.location.line,
            self.location.column,
        )
    }
}
