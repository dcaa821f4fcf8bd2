//! The calls of a model, and what is known about each call.

use cogtools_log::{Approval, Decision, Event, Outcome, Why, result_text};
use serde_json::Value;

use super::board::{End, failed};
use super::turn::{Badge, Detail};
use super::turns::{At, Turns};
use crate::cut;

/// The argument with the code of `run_js`.
const CODE: &str = "code";
/// What the remarks of a guard in a log begin with.
const GUARD: &str = "[guard]";

impl Turns {
    /// A call, or its result.
    pub(super) fn call_event(&mut self, at: At<'_>) {
        match &at.entry.event {
            Event::Call {
                call,
                tool,
                arguments,
                resolved,
                approval,
            } => {
                self.start(at, call.as_str(), tool, arguments, true);
                let turn = self.current(at);
                if let Some(detail) = turn.detail(call.as_str()) {
                    detail.approval = approval_text(approval);
                    if let Some(resolved) = resolved {
                        detail.resolved = cut::text(&cut::value(resolved));
                    }
                }
            }
            Event::Result {
                call,
                outcome,
                content,
                blob,
                ms,
            } => {
                let (badge, message) = match outcome {
                    Outcome::Succeeded => (Badge::Executed, String::new()),
                    Outcome::Failed { code } => (failed(code), code.clone()),
                    Outcome::Denied => (Badge::Skipped, "denied".to_owned()),
                    Outcome::TimedOut => (Badge::Failed, "timed out".to_owned()),
                    Outcome::Cancelled => (Badge::Skipped, "cancelled".to_owned()),
                };
                let end = End {
                    badge,
                    message,
                    result: Some(content),
                    blob: blob.as_ref(),
                    logs: &[],
                    ms: Some(*ms),
                };
                self.end(at, call.as_str(), &end);
            }
            _ => {}
        }
    }
}

impl Detail {
    /// A call that begins.
    pub(super) fn new(line: usize, key: &str, tool: &str, arguments: &Value) -> Self {
        let code = arguments.get(CODE).and_then(Value::as_str);
        let arguments = match arguments {
            Value::Null => String::new(),
            arguments => cut::text(&cut::value(arguments)),
        };
        Self {
            key: key.to_owned(),
            line,
            tool: tool.to_owned(),
            badge: Badge::Executing,
            code: code.map(cut::text).unwrap_or_default(),
            arguments,
            ..Self::default()
        }
    }

    /// The call has ended.
    pub(super) fn end(&mut self, line: usize, end: &End<'_>) {
        self.badge = end.badge;
        self.result_line = line;
        self.time = cut::time(end.ms);
        self.message = cut::text(&end.message);
        self.blob = end.blob.map(ToString::to_string).unwrap_or_default();
        if let Some(result) = end.result {
            let text = result_text(result);
            self.result = cut::text(&text);
            self.result_is_cut = cut::is_cut(&text);
            if result.get("stringified") == Some(&Value::Bool(true)) {
                let note = "the result was no JSON, and became text";
                self.notes.push(note.to_owned());
            }
        }
        for line in end.logs {
            let list = if line.starts_with(GUARD) {
                &mut self.notes
            } else {
                &mut self.logs
            };
            list.push(cut::row(line));
        }
    }
}

/// Why a call may run.
fn approval_text(approval: &Approval) -> String {
    let decision = match approval.decision {
        Decision::Allowed => "allowed",
        Decision::Asked => "asked",
        Decision::Granted => "granted",
        Decision::Denied => "denied",
    };
    let why = match &approval.why {
        Why::Rule => "a rule",
        Why::Answer => "the user's answer",
        Why::Pure => "it is pure",
        Why::ReadOnly => "it changes nothing",
        Why::Destructive => "it may destroy something",
        Why::OpenWorld => "it reaches an open world",
        Why::Foreign => "it is a program of others",
        Why::Default => "by default",
        Why::NoTerminal => "there is no terminal",
        Why::Other(other) => other,
    };
    let rule = approval.rule.as_ref().map(|rule| format!(" {rule}"));
    format!("{decision}: {why}{}", rule.unwrap_or_default())
}
