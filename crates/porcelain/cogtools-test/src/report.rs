//! The reports of a run: for people, and as one JSON object for programs.

use std::fmt::Write as _;

use clap::ValueEnum;
use cogtools_core::Diagnostic;
use cogtools_core::tool::Coverage;
use cogtools_program::render_hints;
use cogtools_program::terminal::style::{self, PLAIN, Style};
use cogtools_program::terminal::{paint, pluralize, sanitize};
use serde::Serialize;
use serde_json::{Value, json};

use crate::suite::{Case, Suite, TestFailure};

/// The maximum number of lines shown of a program's output.
const MAX_DETAIL_LINES: usize = 20;
/// The maximum number of characters of each.
const MAX_DETAIL_CHARS: usize = 500;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
    Junit,
}

/// One failure of `case` of the tool in `file`, or of the tool itself, for people.
pub(crate) fn failure(
    case: Option<&Case>,
    file: &str,
    failure: &TestFailure,
    colour: bool,
) -> String {
    let subject = case.map_or_else(|| file.to_owned(), |case| subject(case, file));
    let mut report = Report {
        text: String::new(),
        colour,
    };
    report.failure(&subject, failure);
    report.text
}

/// The last lines of a program's output, each with a bar.
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
#[derive(Serialize)]
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

const RED: Style = style::RED.bold();
const GREEN: Style = style::GREEN.bold();
const YELLOW: Style = style::YELLOW.bold();
const CYAN: Style = style::CYAN.bold();

struct Report {
    text: String,
    colour: bool,
}

/// The report for people, coloured if `colour`.
pub(crate) fn human(suites: &[Suite], colour: bool) -> String {
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
    if let Some(covered) = Covered::of(suites) {
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
        let written = suite.written().map(|file| ("wrote", file));
        let removed = suite.removed.iter().map(|file| ("removed", file));
        for (action, file) in written.chain(removed) {
            let file = file.display().to_string();
            self.line(2, &format!("{action} {}", sanitize(&file)));
        }
        let file = suite.file.display().to_string();
        for failure in &suite.failures {
            self.failure(&file, failure);
        }
        if let Some(coverage) = &suite.coverage {
            for line in coverage_lines(coverage, &file) {
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

/// The example and its location.
fn subject(case: &Case, file: &str) -> String {
    let line = case.location.as_ref().map_or_else(String::new, |location| {
        format!(":{}:{}", location.line, location.column)
    });
    format!("{file}{line}: example {}", case.label())
}

/// The report for programs.
pub(crate) fn json(suites: &[Suite]) -> String {
    let mut report = json!({
        "tools": suites.iter().map(suite_json).collect::<Vec<_>>(),
        "summary": Totals::new(suites),
    });
    if let Some(covered) = Covered::of(suites) {
        report["summary"]["coverage"] = json!(covered);
    }
    format!("{report:#}\n")
}

fn suite_json(suite: &Suite) -> Value {
    let status = match () {
        () if !suite.passed() => "failed",
        () if suite.has_no_examples() => "empty",
        () => "passed",
    };
    let removed = suite.removed.iter().map(|file| file.display().to_string());
    let mut value = json!({
        "name": suite.name,
        "file": suite.file.display().to_string(),
        "status": status,
        "examples": suite.cases.iter().map(case_json).collect::<Vec<_>>(),
        "failures": suite.failures.iter().map(failure_json).collect::<Vec<_>>(),
        "removed": removed.collect::<Vec<_>>(),
    });
    if let Some(coverage) = &suite.coverage {
        value["coverage"] = json!(coverage);
    }
    value
}

fn case_json(case: &Case) -> Value {
    let mut value = json!({"number": case.number});
    if let Some(name) = &case.name {
        value["name"] = name.clone().into();
    }
    if let Some(location) = &case.location {
        value["file"] = location.file.display().to_string().into();
        value["line"] = location.line.into();
        value["column"] = location.column.into();
    }
    if let Some(golden) = &case.golden {
        value["golden"] = golden.display().to_string().into();
    }
    value["status"] = if case.failures.is_empty() {
        "passed"
    } else {
        "failed"
    }
    .into();
    value["written"] = case.written.into();
    value["failures"] = case.failures.iter().map(failure_json).collect();
    value
}

fn failure_json(failure: &TestFailure) -> Value {
    json!({
        "at": failure.kind.as_str(),
        "message": failure.message,
        "detail": failure.detail,
        "faults": failure.diagnostics.iter().map(diagnostic_json).collect::<Vec<_>>(),
        "hints": failure.hints,
    })
}

fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let mut value = json!({"code": diagnostic.code.name()});
    if let Some(location) = &diagnostic.location {
        value["file"] = location.file.display().to_string().into();
        value["line"] = location.line.into();
        value["column"] = location.column.into();
    }
    if let Some(pointer) = &diagnostic.pointer {
        value["pointer"] = pointer.clone().into();
    }
    value["message"] = diagnostic.message.clone().into();
    if !diagnostic.details.is_empty() {
        value["details"] = diagnostic.details.clone().into();
    }
    value["hints"] = render_hints(&diagnostic.hints).into();
    value
}

/// Numbers of branches and properties, and of those that the examples reach.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Covered {
    branches: usize,
    taken: usize,
    properties: usize,
    set: usize,
    values: usize,
    used: usize,
}

impl Covered {
    /// The figures of all suites; none if they were not wanted.
    fn of(suites: &[Suite]) -> Option<Self> {
        let mut all = suites
            .iter()
            .filter_map(|suite| suite.coverage.as_ref())
            .peekable();
        all.peek()?;
        Some(all.fold(Self::default(), Self::plus))
    }

    fn plus(self, coverage: &Coverage) -> Self {
        Self {
            branches: self.branches + coverage.branches.len(),
            taken: self.taken + coverage.branches.iter().filter(|it| it.is_taken).count(),
            properties: self.properties + coverage.properties.len(),
            set: self.set + coverage.properties.iter().filter(|it| it.is_set).count(),
            values: self.values + coverage.values.len(),
            used: self.used + coverage.values.iter().filter(|it| it.is_used).count(),
        }
    }

    /// The figures as a line for people.
    fn line(self) -> String {
        format!(
            "branches taken: {} of {}; optional properties set: {} of {}; values of enums used: {} of {}\n",
            self.taken, self.branches, self.set, self.properties, self.used, self.values
        )
    }
}

/// Branches and properties of a tool in `file` that no example reaches, one line each.
fn coverage_lines(coverage: &Coverage, file: &str) -> Vec<String> {
    let missed = coverage.branches.iter().filter(|branch| !branch.is_taken);
    let branches = missed.map(|branch| {
        let location = &branch.location;
        let (path, line) = (location.file.display(), location.line);
        format!("{path}:{line}: no example takes `{}`", branch.condition)
    });
    let unset = coverage
        .properties
        .iter()
        .filter(|property| !property.is_set);
    let properties = unset.map(|it| format!("{file}: no example sets `{}`", it.path));
    let unused = coverage.values.iter().filter(|value| !value.is_used);
    let values = unused.map(|it| format!("{file}: no example has {} as `{}`", it.value, it.path));
    branches.chain(properties).chain(values).collect()
}
