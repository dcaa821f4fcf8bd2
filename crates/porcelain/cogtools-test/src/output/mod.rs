//! The formats of the report.

mod coverage;
mod human;
mod json;
mod junit;

use cogtools_core::Diagnostic;
use cogtools_program::terminal::{pluralize, sanitize};

use crate::failure::TestFailure;
use crate::suite::{Case, Suite};

/// How many lines of a program's output are shown.
const MAX_DETAIL_LINES: usize = 20;
/// How many characters of each.
const MAX_DETAIL_CHARS: usize = 500;

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Json,
    Junit,
}

impl Format {
    pub(crate) fn parse(name: &str) -> Self {
        match name {
            "json" => Self::Json,
            "junit" => Self::Junit,
            _ => Self::Human,
        }
    }
}

/// The report; the one for people is coloured if `colour` is set.
pub(crate) fn text(format: Format, suites: &[Suite], colour: bool) -> String {
    match format {
        Format::Human => human::text(suites, colour),
        Format::Json => json::text(suites),
        Format::Junit => junit::text(suites),
    }
}

/// One failure of `case` of the tool in `file`, or of the tool itself, for people.
pub(crate) fn failure(
    case: Option<&Case>,
    file: &str,
    failure: &TestFailure,
    colour: bool,
) -> String {
    let subject = case.map_or_else(|| file.to_owned(), |case| human::subject(case, file));
    human::failure(&subject, failure, colour)
}

/// The last lines of what a program wrote, each with a bar.
fn shown_details(diagnostic: &Diagnostic) -> Vec<String> {
    let lines: Vec<&str> = diagnostic.details.lines().collect();
    let left_out = lines.len().saturating_sub(MAX_DETAIL_LINES);
    let mut shown = Vec::new();
    if left_out > 0 {
        let lines = pluralize(left_out, "line");
        shown.push(format!("| [{lines} before this left out]"));
    }
    shown.extend(lines.iter().skip(left_out).map(|line| {
        // Programs indent with tabs, which would be escaped.
        let line: String = line
            .replace('\t', "    ")
            .chars()
            .take(MAX_DETAIL_CHARS)
            .collect();
        format!("| {}", sanitize(&line)).trim_end().to_owned()
    }));
    shown
}

/// The totals of all suites.
struct Totals {
    tools: usize,
    examples: usize,
    failures: usize,
    /// Tools without examples.
    without_examples: usize,
    written: usize,
    removed: usize,
}

impl Totals {
    fn new(suites: &[Suite]) -> Self {
        let sum = |each: fn(&Suite) -> usize| suites.iter().map(each).sum();
        Self {
            tools: sum(|suite| usize::from(suite.exists)),
            examples: sum(|suite| suite.cases.len()),
            failures: sum(|suite| suite.all_failures().count()),
            without_examples: sum(|suite| usize::from(suite.has_no_examples())),
            written: sum(|suite| suite.written().count()),
            removed: sum(|suite| suite.removed.len()),
        }
    }
}
