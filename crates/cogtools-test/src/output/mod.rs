//! The formats of the report.

mod human;
mod json;
mod junit;

use crate::suite::Suite;

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
