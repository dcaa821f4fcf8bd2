//! The report for people.

use std::fmt::Write as _;

use cogtools_core::Diagnostic;
use cogtools_program::render_hints;
use cogtools_program::terminal::style::{self, PLAIN, Style};
use cogtools_program::terminal::{paint, pluralize, sanitize};

use super::{Totals, coverage, shown_details};
use crate::failure::TestFailure;
use crate::suite::{Case, Suite};

const RED: Style = style::RED.bold();
const GREEN: Style = style::GREEN.bold();
const YELLOW: Style = style::YELLOW.bold();
const CYAN: Style = style::CYAN.bold();

struct Report {
    text: String,
    colour: bool,
}

/// The report, coloured if `colour`.
pub(super) fn text(suites: &[Suite], colour: bool) -> String {
    let mut report = Report {
        text: String::new(),
        colour,
    };
    for suite in suites {
        report.suite(suite);
    }
    if !suites.is_empty() {
        report.text.push('\n');
    }
    report.text.push_str(&summary(&Totals::new(suites)));
    if let Some(covered) = coverage::Covered::of(suites) {
        report.text.push_str(&covered.line());
    }
    report.text
}

fn summary(totals: &Totals) -> String {
    let mut text = format!(
        "{}, {}: ",
        pluralize(totals.tools, "tool"),
        pluralize(totals.examples, "example")
    );
    text.push_str(&match totals.failures {
        0 if totals.examples == 0 => "nothing to test".to_owned(),
        0 => "all passed".to_owned(),
        failures => pluralize(failures, "failure"),
    });
    match totals.without_examples {
        0 => {}
        number => {
            let have = if number == 1 { "has" } else { "have" };
            let tools = pluralize(number, "tool");
            let _ = write!(text, "; {tools} {have} no examples");
        }
    }
    for (number, action) in [(totals.written, "written"), (totals.removed, "removed")] {
        if number > 0 {
            let _ = write!(text, "; {} {action}", pluralize(number, "golden file"));
        }
    }
    text.push('\n');
    text
}

impl Report {
    fn suite(&mut self, suite: &Suite) {
        let (status, style) = match () {
            () if !suite.passed() => ("FAILED", RED),
            () if suite.has_no_examples() => ("none", YELLOW),
            () => ("ok", GREEN),
        };
        let content = match suite.cases.len() {
            _ if !suite.exists => "no tool".to_owned(),
            0 => "no examples".to_owned(),
            cases => pluralize(cases, "example"),
        };
        let status = self.paint(status, style);
        self.line(
            0,
            &format!("{status} {} ({content})", sanitize(&suite.name)),
        );
        for file in suite.written() {
            self.line(
                2,
                &format!("wrote {}", sanitize(&file.display().to_string())),
            );
        }
        for file in &suite.removed {
            self.line(
                2,
                &format!("removed {}", sanitize(&file.display().to_string())),
            );
        }
        let file = suite.file.display().to_string();
        for failure in &suite.failures {
            self.failure(&file, failure);
        }
        if let Some(coverage) = &suite.coverage {
            for line in coverage::lines(coverage, &file) {
                let line = sanitize(&line).into_owned();
                self.line(2, &line);
            }
        }
        for case in &suite.cases {
            for failure in &case.failures {
                self.failure(&subject(case, &file), failure);
            }
        }
    }

    fn failure(&mut self, subject: &str, failure: &TestFailure) {
        let kind = self.paint(failure.kind.as_str(), RED);
        let (subject, message) = (sanitize(subject), sanitize(&failure.message));
        self.line(2, &format!("{subject}: {kind}: {message}"));
        for diagnostic in &failure.diagnostics {
            self.diagnostic(diagnostic);
        }
        for line in failure.detail.lines() {
            let style = match line.as_bytes().first() {
                Some(b'-') => RED,
                Some(b'+') => GREEN,
                Some(b'@') => CYAN,
                _ => PLAIN,
            };
            let line = self.paint(&sanitize(line), style);
            self.line(4, &line);
        }
        self.hints(&failure.hints);
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.line(4, &sanitize(&diagnostic.summary()));
        if let Some(location) = &diagnostic.location {
            for line in location.excerpt().lines() {
                self.line(4, line);
            }
        }
        for line in shown_details(diagnostic) {
            self.line(4, &line);
        }
        self.hints(&render_hints(&diagnostic.hints));
    }

    fn hints(&mut self, hints: &[impl AsRef<str>]) {
        let label = self.paint("hint:", CYAN);
        for hint in hints {
            self.line(4, &format!("{label} {}", sanitize(hint.as_ref())));
        }
    }

    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn paint(&self, text: &str, style: Style) -> String {
        paint(text, style, self.colour && style != PLAIN)
    }
}

/// One failure of `subject`, as the report has it.
pub(super) fn failure(subject: &str, failure: &TestFailure, colour: bool) -> String {
    let mut report = Report {
        text: String::new(),
        colour,
    };
    report.failure(subject, failure);
    report.text
}

/// The example and its location.
pub(super) fn subject(case: &Case, file: &str) -> String {
    let line = case.location.as_ref().map_or_else(String::new, |location| {
        format!(":{}:{}", location.line, location.column)
    });
    format!("{file}{line}: example {}", case.label())
}
