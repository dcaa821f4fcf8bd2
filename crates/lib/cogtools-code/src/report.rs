//! The report on a program that has ended: for a person, and as JSON.

use cogtools_core::javascript::Answer;
use cogtools_core::{Code, Diagnostic, Hint, pluralize};
use cogtools_log::{EndStatus, ProgramStatus};
use serde_json::{Value, json};

/// The end of a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The end.
    pub status: ProgramStatus,
    /// The lines that it printed, and the value that it returned.
    pub output: Vec<String>,
    /// The value that it returned.
    pub result: Option<Value>,
    /// Its calls, in order.
    pub calls: Vec<CallReport>,
    /// Its name in the session.
    pub program: String,
    /// The duration in milliseconds.
    pub ms: u64,
    /// Why it did not complete.
    pub errors: Vec<Diagnostic>,
    /// The steps that wait for the user, and what is decided about each.
    pub waiting: Vec<(String, String)>,
    /// The members of `store`, if it has changed them.
    pub store: Option<Value>,
}

/// A call of a program.
#[derive(Clone, Debug)]
pub struct CallReport {
    /// Its place.
    pub step: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// Its end in a word.
    pub status: &'static str,
    /// The duration in milliseconds.
    pub ms: u64,
    /// True if the result is an example, because the tool did not run.
    pub is_example: bool,
    /// The result or the failure.
    pub end: Answer,
}

impl Report {
    pub(crate) fn new(program: &str) -> Self {
        Self {
            program: program.to_owned(),
            ..Self::default()
        }
    }

    /// The end of a program that did not run, for these reasons.
    pub fn of_mistakes(program: &str, errors: Vec<Diagnostic>) -> Self {
        let mut report = Self::new(program);
        report.fail(errors);
        report
    }

    pub(crate) fn fail(&mut self, errors: Vec<Diagnostic>) {
        self.status = ProgramStatus::Failed;
        self.errors = errors;
    }

    /// The end of a run that is nothing but this program.
    pub(crate) fn end_status(&self, is_cancelled: bool) -> EndStatus {
        match self.error().map(|error| error.code) {
            None => EndStatus::Completed,
            Some(Code::ApprovalWanted) => EndStatus::ApprovalWanted,
            Some(_) if is_cancelled => EndStatus::Cancelled,
            Some(code) => EndStatus::failed(code),
        }
    }

    /// The first reason why it did not complete.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.errors.first()
    }

    /// The output as one text, which says so if a program that completed has none.
    pub fn text(&self) -> String {
        if self.output.is_empty() && self.status == ProgramStatus::Completed {
            let calls = pluralize(self.calls.len(), "call");
            return format!("(nothing printed; {calls})");
        }
        self.output.join("\n")
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        let calls = self.calls.iter().map(|call| {
            json!({
                "step": call.step, "tool": call.tool, "arguments": call.arguments,
                "status": call.status, "ms": call.ms,
            })
        });
        let mut report = json!({
            "status": self.status,
            "output": self.text(),
            "result": self.result,
            "calls": calls.collect::<Vec<_>>(),
            "program": self.program,
            "ms": self.ms,
        });
        if let Some(error) = self.error() {
            let location = error.location.as_ref();
            report["error"] = json!({
                "code": error.code.name(),
                "message": self.errors.iter().map(|it| it.message.as_str()).collect::<Vec<_>>().join("\n"),
                "line": location.map(|it| it.line),
                "column": location.map(|it| it.column),
                "hints": self.errors.iter().flat_map(hints).collect::<Vec<_>>(),
            });
        }
        report
    }

    /// The calls as a trace, a line each: `1 tax {"amount":100} -> "119" (example)`.
    pub fn trace(&self) -> String {
        let lines = self.calls.iter().map(|call| {
            let begin = format!("{} {} {}", call.step, call.tool, call.arguments);
            let end = match &call.end {
                Answer::Value(json) => json.clone(),
                Answer::Error(failure) => format!("{}: {}", failure.code, failure.message),
            };
            let example = if call.is_example { " (example)" } else { "" };
            format!("{begin} -> {end}{example}\n")
        });
        lines.collect()
    }
}

/// Hints as text; commands are for people.
fn hints(diagnostic: &Diagnostic) -> Vec<String> {
    let texts = diagnostic.hints.iter().filter_map(Hint::text);
    texts.map(str::to_owned).collect()
}
