//! The findings, as text or JSON.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cogtools_program::terminal::style::{BOLD, CYAN, GREEN, RED, YELLOW};
use cogtools_program::terminal::{paint, pluralize, sanitize, truncate};
use serde_json::{Value, json};

use crate::check::{Result, count};
use crate::finding::{Finding, State};

/// The width of the column of states.
const STATE_WIDTH: usize = State::Problem.name().len();

/// The number of characters of a message that are shown.
const MAX_CHARS: usize = 600;

/// The findings, grouped by check.
pub(crate) fn human(results: &[Result], fixed: &[PathBuf], colour: bool) -> String {
    let mut text = String::new();
    for file in fixed {
        let _ = writeln!(text, "fixed {}", printable(&file.display().to_string()));
    }
    if !fixed.is_empty() {
        text.push('\n');
    }
    for result in results {
        let _ = writeln!(text, "{}", paint(result.name, BOLD, colour));
        for finding in Finding::summarize(&result.findings) {
            write_finding(&mut text, &finding, colour);
        }
    }
    text.push('\n');
    text.push_str(&summary(results));
    text
}

/// The report as one JSON object.
pub(crate) fn json(root: &Path, results: &[Result], fixed: &[PathBuf]) -> Value {
    let findings = results.iter().flat_map(|result| {
        let findings = result.findings.iter();
        findings.map(|finding| finding.json(result.name))
    });
    let fixed = fixed.iter().map(|file| file.display().to_string());
    json!({
        "project": root.display().to_string(),
        "findings": findings.collect::<Vec<Value>>(),
        "fixed": fixed.collect::<Vec<String>>(),
        "problems": count(results, State::Problem),
        "warnings": count(results, State::Warning),
    })
}

fn write_finding(text: &mut String, finding: &Finding, colour: bool) {
    let style = match finding.state {
        State::Ok => GREEN,
        State::Warning => YELLOW,
        State::Problem => RED,
    };
    let state = finding.state.name();
    let gap = " ".repeat(STATE_WIDTH - state.len());
    let label = paint(state, style, colour);
    let _ = writeln!(text, "  {label}{gap}  {}", printable(&finding.message));
    for line in &finding.details {
        let gap = " ".repeat(STATE_WIDTH);
        let _ = writeln!(text, "  {gap}    {}", printable(line));
    }
    if let Some(remedy) = &finding.remedy {
        let gap = " ".repeat(STATE_WIDTH);
        let label = paint(&format!("{}:", remedy.kind()), CYAN, colour);
        let _ = writeln!(text, "  {gap}  {label} {}", printable(remedy.text()));
    }
}

fn summary(results: &[Result]) -> String {
    let number = |count: usize, noun: &str| match count {
        0 => format!("no {noun}s"),
        count => pluralize(count, noun),
    };
    let problems = number(count(results, State::Problem), "problem");
    let warnings = number(count(results, State::Warning), "warning");
    let findings = results.iter().flat_map(|result| &result.findings);
    let fixable = match findings.filter(|finding| finding.fixable).count() {
        0 => String::new(),
        fixable => format!("; cogtools doctor --fix can fix {fixable}"),
    };
    format!("{problems}, {warnings}{fixable}\n")
}

/// `text` cut to its limit and without control characters, for a terminal.
fn printable(text: &str) -> String {
    sanitize(&truncate(text, MAX_CHARS)).into_owned()
}
