//! Findings of rules, and their edits.

use std::ops::Range;
use std::path::PathBuf;

use cogtools_core::suggest::Suggestion;
use cogtools_core::text::{Span, Text};
use cogtools_core::{Diagnostic, Hint, Level, Location, invisible};
use cogtools_program::render_hints;

use crate::linter::Rule;
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
    /// The message: lower case, no full stop.
    pub message: String,
    /// The way to correct it.
    pub fix: String,
    /// The names that were probably meant, if it is about a name.
    pub suggestion: Option<Suggestion>,
    /// The edits that fix it; empty if a person must.
    pub edits: Vec<Edit>,
    /// True if those edits have been made.
    pub fixed: bool,
}

/// A replacement of a span of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The span to replace.
    pub span: Span,
    /// Its start and end: line and column, both from 1; none for those after the first 64 of
    /// one finding.
    pub region: Option<[(usize, usize); 2]>,
    /// The replacement.
    pub text: String,
}

/// Collects the findings of one rule in one file.
pub(crate) struct Findings<'f> {
    rule: &'static Rule,
    level: Level,
    text: &'f Text,
    sink: &'f mut Vec<Finding>,
    count: Count,
}

/// Counts findings, so that one line or file does not fill the report.
#[derive(Debug, Default)]
struct Count {
    in_file: usize,
    /// The line of the last finding, and how many are on it.
    line: Range<usize>,
    on_line: usize,
    left_out: usize,
}

/// The number of findings of one rule that are reported on a line.
const MAX_ON_LINE: usize = 8;
/// The number of findings of one rule that are reported in a file.
const MAX_IN_FILE: usize = 100;
/// The number of edits of a finding that have their lines and columns.
const MAX_REGIONS: usize = 64;

impl<'f> Findings<'f> {
    pub(crate) fn new(
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
            count: Count::default(),
        }
    }

    /// The name of the rule.
    pub(crate) fn rule(&self) -> &'static str {
        self.rule.name
    }

    /// Reports `message` at `span` of the file.
    pub(crate) fn report(&mut self, span: Span, message: impl Into<String>) -> FindingBuilder<'_> {
        if self.count.is_full_at(span.start, self.text.as_str()) {
            return self.more();
        }
        self.report_at(self.text.location(span), message)
    }

    /// Completes the last finding by an edit of one that is left out.
    fn more(&mut self) -> FindingBuilder<'_> {
        self.count.left_out += 1;
        FindingBuilder {
            finding: self.sink.last_mut(),
            text: self.text,
            is_left_out: true,
        }
    }

    /// Says how many findings are left out.
    pub(crate) fn finish(self) {
        let left_out = self.count.left_out;
        if let Some(last) = self.sink.last_mut().filter(|_| left_out > 0) {
            last.message = format!("{}; {left_out} more like this", last.message);
        }
    }

    /// Reports `message` about the file as a whole.
    pub(crate) fn report_file(&mut self, message: impl Into<String>) -> FindingBuilder<'_> {
        self.report(Span { start: 0, end: 1 }, message)
    }

    /// Reports a mistake of the loader, with its hints, at `otherwise` if it has no location.
    pub(crate) fn report_diagnostic(&mut self, diagnostic: &Diagnostic, otherwise: Span) {
        let location = diagnostic.location.clone();
        let location = location.unwrap_or_else(|| self.text.location(otherwise));
        let finding = self.report_at(location, diagnostic.message.clone());
        if !diagnostic.hints.is_empty() {
            finding.hints(&diagnostic.hints);
        }
    }

    /// Reports `message` at a location that may be in another file.
    pub(crate) fn report_at(
        &mut self,
        mut location: Location,
        message: impl Into<String>,
    ) -> FindingBuilder<'_> {
        if self.count.in_file >= MAX_IN_FILE {
            return self.more();
        }
        self.count.in_file += 1;
        let masked = |text: String| invisible::mask(&secret::redact(&text)).into_owned();
        location.text = location.text.map(masked);
        self.sink.push(Finding {
            rule: self.rule,
            level: self.level,
            location,
            message: invisible::escape(&secret::redact(&message.into())).into_owned(),
            fix: self.rule.fix.to_owned(),
            suggestion: None,
            edits: Vec::new(),
            fixed: false,
        });
        FindingBuilder {
            finding: self.sink.last_mut(),
            text: self.text,
            is_left_out: false,
        }
    }
}

impl Count {
    /// Counts a finding at an offset of `text`; whether there are too many already.
    fn is_full_at(&mut self, at: usize, text: &str) -> bool {
        if self.line.is_empty() || !self.line.contains(&at) {
            let at = text.floor_char_boundary(at);
            let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
            let end = text[at..].find('\n').map_or(text.len(), |it| at + it);
            self.line = start..end + 1;
            self.on_line = 0;
        }
        self.on_line += 1;
        self.on_line > MAX_ON_LINE || self.in_file >= MAX_IN_FILE
    }
}

/// A finding that has just been reported, to be completed.
pub(crate) struct FindingBuilder<'f> {
    finding: Option<&'f mut Finding>,
    text: &'f Text,
    /// Only its edits count.
    is_left_out: bool,
}

impl FindingBuilder<'_> {
    /// Replaces the rule's fix by a more specific one.
    pub(crate) fn fix(self, fix: impl Into<Hint>) -> Self {
        self.hints(&[fix.into()])
    }

    /// Replaces the rule's fix by these.
    pub(crate) fn hints(mut self, hints: &[Hint]) -> Self {
        if let Some(finding) = self.finding.as_mut().filter(|_| !self.is_left_out) {
            let fix = render_hints(hints).join("; ");
            finding.fix = invisible::escape(&secret::redact(&fix)).into_owned();
            finding.suggestion = hints.iter().find_map(|hint| match hint {
                Hint::Names(suggestion) => Some(suggestion.clone()),
                _ => None,
            });
        }
        self
    }

    /// Asks if the second name was meant where the first one is written, or else gives the hint.
    pub(crate) fn meant_or(self, names: Option<[&str; 2]>, hint: Option<impl Into<Hint>>) {
        let suggestion = names.and_then(|[name, near]| Suggestion::new(name, &[near]));
        let hint = hint.filter(|_| names.is_none()).map(Into::into);
        if let Some(fix) = suggestion.map(Hint::from).or(hint) {
            self.fix(fix);
        }
    }

    /// Asks if one of `known` was meant where `name` is written, if it is like one.
    pub(crate) fn meant_among<'n>(self, name: &str, known: impl IntoIterator<Item = &'n str>) {
        let find = || Suggestion::of(name, known);
        if let Some(suggestion) = (!self.is_left_out).then(find).flatten() {
            self.fix(suggestion);
        }
    }

    /// Adds an edit that fixes it.
    pub(crate) fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        if let Some(finding) = &mut self.finding {
            let has_region = finding.edits.len() < MAX_REGIONS;
            let region = has_region.then(|| {
                [span.start, span.end].map(|at| {
                    let location = self.text.location(Span::new(at, at));
                    (location.line, location.column)
                })
            });
            finding.edits.push(Edit { span, region, text });
        }
        self
    }
}

impl Finding {
    /// Returns true if `--fix` edits it. Advice changes a tool, so that a person decides.
    pub(crate) fn is_fixable(&self) -> bool {
        self.level > Level::Note && !self.edits.is_empty()
    }

    /// The sort key: file, line, column.
    pub(crate) fn position(&self) -> (PathBuf, usize, usize) {
        let Location {
            file, line, column, ..
        } = &self.location;
        (file.clone(), *line, *column)
    }
}
