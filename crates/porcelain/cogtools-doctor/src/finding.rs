//! A finding of a check.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cogtools_core::{Diagnostic, Hint, Omission};
use cogtools_program::terminal::style::{BOLD, CYAN, GREEN, RED, YELLOW};
use cogtools_program::terminal::{paint, pluralize, sanitize, truncate};
use cogtools_program::{fixing_command, render_hint};
use serde_json::{Value, json};

use crate::command::{CheckResult, count};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// Nothing is wrong.
    Ok,
    /// Tools work, but not everywhere, or at a cost.
    Warning,
    /// A host does not see a tool, cannot call it, or does not start.
    Problem,
}

/// One result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) state: State,
    /// The finding, in one line.
    pub(crate) message: String,
    /// Its details, one line each.
    pub(crate) details: Vec<String>,
    pub(crate) remedy: Option<Remedy>,
    /// True if `--fix` can fix it.
    pub(crate) fixable: bool,
    /// The tool of a source that is left out because of it.
    pub(crate) omission: Option<Omission>,
}

/// The command that shows findings which are summarized in one.
const EACH: &str = "`cogtools doctor --format json` shows each of them";

/// The command for everything that `--fix` can fix.
const FIX: &str = "cogtools doctor --fix";

impl State {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Finding {
    pub(crate) fn ok(message: impl Into<String>) -> Self {
        Self::new(State::Ok, message)
    }

    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self::new(State::Warning, message)
    }

    pub(crate) fn problem(message: impl Into<String>) -> Self {
        Self::new(State::Problem, message)
    }

    fn new(state: State, message: impl Into<String>) -> Self {
        Self {
            state,
            message: message.into(),
            details: Vec::new(),
            remedy: None,
            fixable: false,
            omission: None,
        }
    }

    /// Says which tool of a source is left out, if one is.
    pub(crate) fn omitting(self, omission: Option<&Omission>) -> Self {
        Self {
            omission: omission.cloned(),
            ..self
        }
    }

    /// Summarizes the findings, with one for all tools of a source that are left out for the same
    /// reason.
    pub(crate) fn summarize(findings: &[Self]) -> Vec<Cow<'_, Self>> {
        let groups = Omission::groups(findings.iter().map(|it| it.omission.as_ref()));
        let one_of = |places: Vec<usize>| {
            let first = &findings[places[0]];
            let group = places
                .iter()
                .filter_map(|at| findings[*at].omission.as_ref());
            let group: Vec<&Omission> = group.collect();
            match group[..] {
                [omission, _, ..] => {
                    let message = format!("{}: {}", omission.source, Omission::summary(&group));
                    Cow::Owned(Self::new(first.state, message).hint(EACH))
                }
                _ => Cow::Borrowed(first),
            }
        };
        groups.into_iter().map(one_of).collect()
    }

    /// Adds lines that belong to it.
    pub(crate) fn with_details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }

    /// Adds the command after which the finding is gone.
    pub(crate) fn fix(self, command: impl Into<String>) -> Self {
        self.remedy(Remedy::Command(command.into()))
    }

    /// Adds what to change, where no program can know what is right.
    pub(crate) fn hint(self, advice: impl Into<String>) -> Self {
        self.remedy(Remedy::Advice(advice.into()))
    }

    /// Adds what to do about it, if that is known.
    pub(crate) fn remedy(self, remedy: impl Into<Option<Remedy>>) -> Self {
        Self {
            remedy: remedy.into().or(self.remedy),
            ..self
        }
    }

    /// Marks it as something that `--fix` can fix.
    pub(crate) fn fixable(self) -> Self {
        Self {
            fixable: true,
            ..self.fix(FIX)
        }
    }

    /// Marks it as something that `--fix` can fix if it `is_fixable`, or else says what to change.
    pub(crate) fn fixable_or(self, is_fixable: bool, advice: impl Into<String>) -> Self {
        if is_fixable {
            self.fixable()
        } else {
            self.hint(advice)
        }
    }

    /// The finding as JSON, with the name of its `check`.
    pub(crate) fn json(&self, check: &str) -> Value {
        let state = self.state.name();
        let mut object = json!({"check": check, "state": state, "message": self.message});
        if !self.details.is_empty() {
            object["details"] = self.details.as_slice().into();
        }
        if let Some(remedy) = &self.remedy {
            object[remedy.kind()] = remedy.text().into();
        }
        object["fixable"] = self.fixable.into();
        object
    }
}

/// The remedy of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// A command line; after it, the finding is gone.
    Command(String),
    /// The change to make.
    Advice(String),
}

impl Remedy {
    /// The name of the kind, as a label and as a key of JSON.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => "fix",
            Self::Advice(_) => "hint",
        }
    }

    /// The command line or the advice.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Command(text) | Self::Advice(text) => text,
        }
    }

    /// The remedy that the first hint of `diagnostic` names.
    pub(crate) fn of(diagnostic: &Diagnostic) -> Option<Self> {
        diagnostic.hints.first().map(Self::from)
    }
}

impl From<&Hint> for Remedy {
    fn from(hint: &Hint) -> Self {
        match fixing_command(hint) {
            Some(line) => Self::Command(line),
            None => Self::Advice(render_hint(hint).into_owned()),
        }
    }
}

/// The width of the column of states.
const STATE_WIDTH: usize = State::Problem.name().len();

/// The number of characters of a message that are shown.
const MAX_CHARS: usize = 600;

/// The findings, grouped by check. The commands of remedies are for the project's `directory`, which
/// is named if the shell is elsewhere.
pub(crate) fn human(
    results: &[CheckResult],
    fixed: &[PathBuf],
    directory: Option<&str>,
    colour: bool,
) -> String {
    let mut text = String::new();
    if let Some(directory) = directory {
        let directory = printable(directory);
        let _ = writeln!(text, "to run the commands below: cd {directory}\n");
    }
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
pub(crate) fn json(root: &Path, results: &[CheckResult], fixed: &[PathBuf]) -> Value {
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

fn summary(results: &[CheckResult]) -> String {
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
