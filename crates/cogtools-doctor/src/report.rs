//! The findings, for people and for programs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cogtools_program::terminal::style::{BOLD, CYAN, GREEN, RED, YELLOW};
use cogtools_program::terminal::{paint, pluralize, sanitize, truncate};
use serde_json::{Value, json};

use crate::check::{Result, count};
use crate::finding::{Finding, State};

/// How wide the column of states is.
const WIDTH: usize = State::Problem.name().len();

/// How many characters of a message are shown.
const MAX_CHARS: usize = 600;

/// The findings, grouped by check.
pub(crate) fn human(results: &[Result], fixed: &[PathBuf], colour: bool) -> String {
    let mut text = String::new();
    for file in fixed {
        let _ = writeln!(text, "fixed {}\n", shown(&file.display().to_string()));
    }
    for result in results {
        let _ = writeln!(text, "{}", paint(result.name, BOLD, colour));
        for finding in &result.findings {
            line(&mut text, finding, colour);
        }
    }
    text.push('\n');
    text.push_str(&summary(results));
    text
}

/// All of it as one object.
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

fn line(text: &mut String, finding: &Finding, colour: bool) {
    let style = match finding.state {
        State::Ok => GREEN,
        State::Warning => YELLOW,
        State::Problem => RED,
    };
    let word = finding.state.name();
    let gap = " ".repeat(WIDTH - word.len());
    let word = paint(word, style, colour);
    let _ = writeln!(text, "  {word}{gap}  {}", shown(&finding.message));
    if let Some(fix) = &finding.fix {
        let gap = " ".repeat(WIDTH);
        let label = paint("fix:", CYAN, colour);
        let _ = writeln!(text, "  {gap}  {label} {}", shown(fix));
    }
}

fn summary(results: &[Result]) -> String {
    let number = |count: usize, word: &str| match count {
        0 => format!("no {word}s"),
        count => pluralize(count, word),
    };
    let problems = number(count(results, State::Problem), "problem");
    let warnings = number(count(results, State::Warning), "warning");
    let findings = results.iter().flat_map(|result| &result.findings);
    let fixable = match findings.filter(|finding| finding.fixable).count() {
        0 => String::new(),
        fixable => format!("; cogtools doctor --fix mends {fixable}"),
    };
    format!("{problems}, {warnings}{fixable}\n")
}

/// A text on one line: names and outputs of others must not steer a terminal.
fn shown(text: &str) -> String {
    sanitize(&truncate(text, MAX_CHARS)).into_owned()
}
