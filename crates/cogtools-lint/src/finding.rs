//! Findings of rules, and their edits.

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
    /// Its level in this project; never [`Level::Off`].
    pub level: Level,
    /// Where it is. Secrets and invisible characters are masked in its line.
    pub location: Location,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub fix: String,
    /// The edits that fix it; empty if a person must.
    pub edits: Vec<Edit>,
    /// Whether those edits have been made.
    pub fixed: bool,
}

/// A replacement of a span of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The span to replace.
    pub span: Span,
    /// Its start and end: line and column, both from 1.
    pub region: [(usize, usize); 2],
    /// The replacement.
    pub text: String,
}

/// Collects the findings of one rule in one file.
pub(crate) struct Findings<'f> {
    rule: &'static Rule,
    level: Level,
    text: &'f Text,
    sink: &'f mut Vec<Finding>,
}

impl<'f> Findings<'f> {
    pub(crate) const fn new(
        rule: &'static Rule,
        level: Level,
        text: &'f Text,
        sink: &'f mut Vec<Finding>,
    ) -> Self {
        Self {
            rule,
            level,
            text,
            sink,
        }
    }

    /// Reports `message` at `span` of the file.
    pub(crate) fn report(&mut self, span: Span, message: impl Into<String>) -> FindingBuilder<'_> {
        self.report_at(self.text.location(span), message)
    }

    /// Reports `message` about the file as a whole.
    pub(crate) fn report_file(&mut self, message: impl Into<String>) -> FindingBuilder<'_> {
        self.report(Span { start: 0, end: 1 }, message)
    }

    /// Reports `message` at a location that may be in another file.
    pub(crate) fn report_at(
        &mut self,
        mut location: Location,
        message: impl Into<String>,
    ) -> FindingBuilder<'_> {
        location.text = location
            .text
            .map(|text| invisible::mask(&secret::redact(&text)).into_owned());
        self.sink.push(Finding {
            rule: self.rule,
            level: self.level,
            location,
            message: invisible::escape(&secret::redact(&message.into())).into_owned(),
            fix: self.rule.fix.to_owned(),
            edits: Vec::new(),
            fixed: false,
        });
        FindingBuilder {
            finding: self.sink.last_mut(),
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
    /// Replaces the rule's fix by a more specific one.
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        if let Some(finding) = &mut self.finding {
            finding.fix = invisible::escape(&secret::redact(&fix.into())).into_owned();
        }
        self
    }

    /// Adds an edit that fixes it.
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
    /// The sort key: file, line, column.
    pub(crate) fn position(&self) -> (PathBuf, usize, usize) {
        (
            self.location.file.clone(),
            self.location.line,
            self.location.column,
        )
    }
}
