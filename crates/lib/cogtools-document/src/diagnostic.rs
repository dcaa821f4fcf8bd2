//! A failure as it is shown: every error is converted to it.
//!
//! Each operation has its own error type, whose variants carry names and paths.
//! `Diagnostic` is the common form for what programs print, MCP results and JSON
//! reports.

use serde_json::{Map, Value};

use crate::suggest::did_you_mean;
use crate::{Code, Hint, Location, Omission, OmissionReason};

/// One failure, worded for the reader who can act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// Its subject, such as a tool's name or a file. Empty if there is nothing to
    /// name.
    pub subject: String,
    /// A JSON pointer into the arguments or the file's values, if one applies.
    pub pointer: Option<String>,
    /// The message: lower case, no full stop.
    pub message: String,
    /// Output of another program about it, such as its standard error. May be empty or
    /// have several lines.
    pub details: String,
    /// The answer of an MCP server to `tools/call`, for clients that get it as it is.
    pub answer: Option<Box<FailedCall>>,
    /// The log of the code that failed, for a program whose errors contain it.
    pub logs: Option<Vec<String>>,
    /// Remedies, one line each.
    pub hints: Vec<Hint>,
    /// The location in a file.
    pub location: Option<Location>,
    /// The tool of a source that is left out because of it.
    pub omission: Option<Box<Omission>>,
}

/// The answer of an MCP server to a call that has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailedCall {
    /// A result with `isError`.
    Result(Map<String, Value>),
    /// An error of JSON-RPC that the client acts upon.
    Error(Map<String, Value>),
}

/// Fails with all `errors`, unless there are none.
pub fn fail_on<E>(errors: Vec<E>) -> Result<(), Vec<E>> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

impl Diagnostic {
    /// Maximum number of diagnostics of one file or call that are shown; more would only hide the
    /// first ones.
    pub const MAX_SHOWN: usize = 50;

    /// The first of `diagnostics`; if there are more, the last one shown has a hint.
    pub fn truncate(diagnostics: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut diagnostics: Vec<Self> =
            diagnostics.into_iter().take(Self::MAX_SHOWN + 1).collect();
        if diagnostics.len() > Self::MAX_SHOWN {
            diagnostics.truncate(Self::MAX_SHOWN);
            if let Some(last) = diagnostics.last_mut() {
                let max = Self::MAX_SHOWN;
                let hint = format!("there are more: only the first {max} are shown");
                last.hints.push(hint.into());
            }
        }
        diagnostics
    }

    /// The first of `diagnostics`, which are about the same call, with the others as hints.
    pub fn merge(diagnostics: Vec<Self>) -> Box<Self> {
        let mut diagnostics = diagnostics.into_iter();
        let first = diagnostics.next();
        let mut first = first.unwrap_or_else(|| Self::new(Code::Internal, "no reason"));
        let others = diagnostics.map(|other| other.summary().into());
        first.hints.extend(others);
        Box::new(first)
    }

    /// A diagnostic with only a code and a message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            subject: String::new(),
            pointer: None,
            message: message.into(),
            details: String::new(),
            answer: None,
            logs: None,
            hints: Vec::new(),
            location: None,
            omission: None,
        }
    }

    /// The failure in `json`, which a program has printed with `--error-format json`, maybe after
    /// lines with warnings and events. It has the code, the message, the details and the hints.
    pub fn from_json(json: &[u8]) -> Option<Self> {
        let mut lines = json.rsplit(|byte| *byte == b'\n');
        Self::from_value(json).or_else(|| lines.find_map(Self::from_value))
    }

    fn from_value(json: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(json.trim_ascii()).ok()?;
        let field = |key: &str| value.get(key).and_then(Value::as_str);
        if field("severity") == Some("warning") || value.get("kind").is_some() {
            return None;
        }
        let mut codes = Code::ALL.into_iter();
        let code = codes.find(|code| Some(code.name()) == field("code"))?;
        let mut diagnostic = Self::new(code, field("message")?);
        field("details")
            .unwrap_or_default()
            .clone_into(&mut diagnostic.details);
        let hints = value.get("hints").and_then(Value::as_array);
        let hints = hints.into_iter().flatten().filter_map(Value::as_str);
        diagnostic.hints = hints.map(Hint::from).collect();
        Some(diagnostic)
    }

    /// Sets the subject.
    #[must_use]
    pub fn with_subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// Sets the JSON pointer to the argument or value.
    #[must_use]
    pub fn with_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Sets the output of another program.
    #[must_use]
    pub fn with_details(mut self, details: impl Into<String>) -> Self {
        self.details = details.into();
        self
    }

    /// Asks if one of `known` was meant by `name`, if one is similar.
    #[must_use]
    pub fn meant<'n>(mut self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        let meant = did_you_mean(name, known);
        self.hints.extend(meant.map(Hint::from));
        self
    }

    /// Asks if one of `known` was meant by `name`, or adds the hint `otherwise` if none is similar.
    #[must_use]
    pub fn meant_or<'n>(
        self,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
        otherwise: impl Into<Hint>,
    ) -> Self {
        let meant = did_you_mean(name, known);
        self.hint(meant.map_or_else(|| otherwise.into(), Hint::from))
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Sets the location.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// Says which tool of a source is left out, and why.
    #[must_use]
    pub fn omitting(
        mut self,
        source: impl Into<String>,
        tool: impl Into<String>,
        reason: OmissionReason,
    ) -> Self {
        self.omission = Some(Box::new(Omission {
            source: source.into(),
            tool: tool.into(),
            reason,
        }));
        self
    }

    /// Joins the diagnostics of all tools of a source that are left out for the same
    /// reason to one, and cuts long output of programs to the line that says most. The last of
    /// these has the hint `each`, which shows all.
    pub fn summarize(diagnostics: &[Self], each: &Hint) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let (mut hints, mut last, mut cut) = (Vec::new(), None, None);
        let omissions = diagnostics.iter().map(|one| one.omission.as_deref());
        for places in Omission::groups(omissions) {
            if let [at] = places[..] {
                let mut one = diagnostics[at].clone();
                if let Some(line) = main_line(&one.details) {
                    one.details = line.into();
                    cut = Some(all.len());
                }
                all.push(one);
                continue;
            }
            let group: Vec<&Self> = places.iter().map(|at| &diagnostics[*at]).collect();
            for hint in group.iter().flat_map(|it| &it.hints) {
                if !hints.contains(hint) {
                    hints.push(hint.clone());
                }
            }
            last = Some(all.len());
            all.push(Self::of_group(&group));
        }
        if let Some(last) = last.and_then(|at| all.get_mut(at)) {
            last.hints = hints;
        }
        if let Some(end) = last.max(cut).and_then(|at| all.get_mut(at)) {
            end.hints.push(each.clone());
        }
        all
    }

    /// One for all of `group`, which have the same source and reason.
    fn of_group(group: &[&Self]) -> Self {
        let omissions = group.iter().filter_map(|one| one.omission.as_deref());
        let omissions: Vec<&Omission> = omissions.collect();
        let code = group.first().map_or(Code::Internal, |one| one.code);
        let source = omissions.first().map(|one| one.source.as_str());
        Self::new(code, Omission::summary(&omissions)).with_subject(source.unwrap_or_default())
    }

    /// Location, subject, pointer and message on one line, without code and hints.
    pub fn summary(&self) -> String {
        let mut parts = Vec::with_capacity(4);
        if let Some(location) = &self.location {
            parts.push(format!(
                "{}:{}:{}",
                location.file.display(),
                location.line,
                location.column
            ));
        } else if !self.subject.is_empty() {
            parts.push(self.subject.clone());
        }
        if let Some(pointer) = self.pointer.as_ref().filter(|pointer| !pointer.is_empty()) {
            parts.push(pointer.clone());
        }
        parts.push(self.message.clone());
        parts.join(": ")
    }
}

/// The most lines of a program's output in a summary.
const MAX_LINES: usize = 3;

/// The line of a program's output that says why it failed, if the output is longer than a summary:
/// the first one with an error, or else the last one.
fn main_line(details: &str) -> Option<&str> {
    let lines: Vec<&str> = details.lines().filter(|it| !it.trim().is_empty()).collect();
    if lines.len() <= MAX_LINES {
        return None;
    }
    let is_error = |line: &&str| line.contains("rror:") && !line.trim_start().starts_with("at ");
    let line = lines.iter().copied().find(is_error);
    line.or(lines.last().copied()).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_found_after_warnings_and_events() {
        let warning = r#"{"severity":"warning","code":"SANDBOX_UNAVAILABLE","message":"w"}"#;
        let failure = r#"{"severity":"error","code":"TIMEOUT","message":"m","hints":["h"]}"#;
        let pretty = failure.replace(',', ",\n");
        let event = r#"{"kind":"end","code":"DENIED","message":"e"}"#;
        for (printed, expected) in [
            (failure.to_owned(), true),
            (pretty, true),
            (format!("{warning}\n{failure}\n"), true),
            (format!("{event}\n{warning}\n{failure}\n"), true),
            (format!("{failure}\n{warning}\n"), true),
            (format!("{warning}\n"), false),
            (format!("{event}\n"), false),
            ("no JSON\n".to_owned(), false),
        ] {
            let found = Diagnostic::from_json(printed.as_bytes());
            let found = found.map(|it| (it.code, it.message));
            let failure = (Code::Timeout, "m".to_owned());
            assert_eq!(found, expected.then_some(failure), "{printed}");
        }
    }
}
