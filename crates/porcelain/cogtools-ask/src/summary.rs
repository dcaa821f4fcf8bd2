//! The end of a run: the summary, and what it means as an exit status.

use std::time::Duration;

use cogtools_agent::{RunEnd, Spent, diagnostic};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{CallId, EndStatus};
use cogtools_model::Finish;
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::args::{AskArgs, OutputFormat};

/// The exit status of a process that Ctrl-C has ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// The summary of a run.
pub(crate) struct Summary {
    pub(crate) end: RunEnd,
    /// Why the answer cannot be used, although there is one.
    pub(crate) rejection: Option<Diagnostic>,
    /// Name of the session for the user.
    pub(crate) session: String,
    pub(crate) model: String,
    pub(crate) spent: Spent,
    pub(crate) calls: Vec<Value>,
    /// Files in answers, which are not shown.
    pub(crate) files: Vec<Value>,
    /// Calls that wait for an answer, each with everything that the user decides about.
    pub(crate) paused: Vec<(CallId, String)>,
    /// True if the answer has to match a schema.
    pub(crate) has_schema: bool,
    /// The currency of the prices, if they are known.
    pub(crate) currency: Option<String>,
    pub(crate) elapsed: Duration,
}

impl Summary {
    /// Prints the summary, and fails unless the model is done.
    pub(crate) fn report(self, args: &AskArgs, io: &mut Io<'_>) -> Result<(), Failure> {
        let error = self.error();
        let error = error
            .as_ref()
            .map(|error| json!({"code": error.code.name(), "message": error.summary()}));
        let answer = self.answer_value();
        let mut summary = json!({
            "text": self.end.text,
            "session": self.session,
            "status": self.end.status.name(),
            "finish": self.end.finish.as_ref().map(Finish::as_str),
            "turns": self.spent.turns,
            "calls": self.calls,
            "usage": self.spent.usage,
            "waiting": self.paused.iter().map(|(call, _)| call).collect::<Vec<_>>(),
            "model": self.model,
            "ms": u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            "cost": self.cost(),
            "error": error,
        });
        if let Some(answer) = answer {
            summary["answer"] = answer;
        }
        if !self.files.is_empty() {
            summary["files"] = self.files.clone().into();
        }
        match args.format() {
            OutputFormat::Text => {}
            OutputFormat::Json => io.show_json(&format!("{summary}\n"))?,
            OutputFormat::StreamJson => {
                io.show_json(&format!(
                    "{}\n",
                    json!({"event": "end", "summary": summary})
                ))?;
            }
        }
        if !args.quiet {
            io.note(&note(&self.session, &self.spent, self.currency.as_deref()));
        }
        self.failure().map_or(Ok(()), Err)
    }

    /// The failure of the run, unless the model is done.
    pub(crate) fn failure(self) -> Option<Failure> {
        match self.end.status {
            EndStatus::Cancelled => Some(Failure::Reported(INTERRUPTED)),
            _ => Some(self.error()?.into()),
        }
    }

    /// The answer as a value, if it matches a schema.
    fn answer_value(&self) -> Option<Value> {
        let is_valid = self.has_schema && self.end.status == EndStatus::Completed;
        serde_json::from_str(&self.end.text)
            .ok()
            .filter(|_| is_valid)
    }

    fn cost(&self) -> Option<Value> {
        let currency = self.currency.as_ref()?;
        Some(json!({"amount": self.spent.money, "currency": currency}))
    }

    /// Why the model is not done; `None` if it is, or if the user has ended the run.
    fn error(&self) -> Option<Diagnostic> {
        if let Some(rejection) = self.rejection.clone() {
            let rejection = if self.end.is_cut_off() {
                rejection.hint(format!("it was cut off; {}", self.cut_hint()))
            } else {
                rejection.hint("change the task or the schema, or use another model")
            };
            let session = cogtools_program::call::quote(&self.session);
            let hint = format!("cogtools session show {session} shows the answer");
            return Some(rejection.hint(hint));
        }
        let resume = format!("cogtools ask {}--continue", self.session_option());
        let fail = |code, message: String| Diagnostic::new(code, message);
        let failure = match &self.end.status {
            EndStatus::Completed if self.end.is_cut_off() => {
                let message = match &self.end.finish {
                    Some(Finish::Cut(reason)) => format!("the answer was cut off: {reason}"),
                    _ => "the answer was cut off at the limit of tokens".to_owned(),
                };
                let resume = format!("{resume} goes on");
                let fail = fail(Code::AnswerCut, message).with_subject(self.model.as_str());
                match &self.end.finish {
                    // It would be the whole conversation again.
                    Some(finish) if finish.is_full() => fail.hint(self.cut_hint()),
                    Some(Finish::Cut(_)) => fail.hint(resume),
                    _ => fail.hint(self.cut_hint()).hint(resume),
                }
            }
            EndStatus::Completed | EndStatus::Cancelled => return None,
            EndStatus::Refused => {
                let reason = self.end.finish.as_ref().map(Finish::as_str);
                let reasons = reason.into_iter().chain(self.end.explanation.as_deref());
                let mut message = "the model refused to answer".to_owned();
                for reason in reasons {
                    message.push_str(": ");
                    message.push_str(reason.trim());
                }
                fail(Code::ModelRefused, message).hint("change the task, or use another model")
            }
            EndStatus::Budget { limit } => {
                fail(Code::BudgetSpent, format!("the budget of {limit} is spent"))
                    .hint(format!("{resume} --budget {limit}=NUMBER goes on"))
            }
            EndStatus::Loop => {
                let message = "the model repeats the same calls".to_owned();
                fail(Code::Repetition, message).hint(format!("{resume} goes on; say what to do"))
            }
            EndStatus::ApprovalWanted => {
                let paused = self.paused.iter();
                let (calls, details): (Vec<&str>, Vec<&str>) = paused
                    .map(|(call, about)| (call.as_str(), about.as_str()))
                    .unzip();
                let message = format!("waiting for an approval of {}", calls.join(", "));
                let first = calls.first().copied().unwrap_or("CALL");
                let session = self.session_option();
                fail(Code::ApprovalWanted, message)
                    .with_details(details.join("\n"))
                    .hint(format!("cogtools ask {session}--approve {first} runs it"))
                    .hint(format!(
                        "cogtools ask {session}--reject {first} goes on without it"
                    ))
            }
            EndStatus::Unavailable | EndStatus::Failed { .. } => match &self.end.error {
                // It would be refused again.
                Some(error) if diagnostic::is_refused_request(error) => {
                    diagnostic::diagnostic(error, &self.model)
                        .hint(format!("{resume} --dry-run prints the request"))
                }
                Some(error) => {
                    diagnostic::diagnostic(error, &self.model).hint(format!("{resume} goes on"))
                }
                None if self.end.is_cut_off() => {
                    let message = match &self.end.finish {
                        Some(Finish::Cut(reason)) => format!("the model gave no answer: {reason}"),
                        _ => "the model used all its tokens before it answered".to_owned(),
                    };
                    fail(Code::AnswerCut, message)
                        .with_subject(self.model.as_str())
                        .hint(self.cut_hint())
                }
                None => fail(Code::ModelFailed, "the model gave no answer".to_owned())
                    .with_subject(self.model.as_str())
                    .hint(format!("{resume} goes on; ask in another way")),
            },
        };
        Some(failure)
    }

    /// Says what helps against an answer that was cut off.
    fn cut_hint(&self) -> &'static str {
        match &self.end.finish {
            Some(finish) if finish.is_full() => {
                "begin another session, or use a model that reads more tokens"
            }
            Some(Finish::Cut(_)) => "ask for less",
            _ => "raise --max-tokens",
        }
    }

    /// The option that names the session on the command line; the newest one needs none.
    fn session_option(&self) -> String {
        if self.session.contains(['/', '.']) {
            format!(
                "--session {} ",
                cogtools_program::call::quote(&self.session)
            )
        } else {
            String::new()
        }
    }
}

/// A run in a line.
pub(crate) fn note(session: &str, spent: &Spent, currency: Option<&str>) -> String {
    let usage = spent.usage;
    let cached = (usage.cached * 100).checked_div(usage.prompt).unwrap_or(0);
    let cost = currency.map(|currency| format!(", {:.4} {currency}", spent.money));
    let cost = cost.unwrap_or_default();
    format!(
        "session {session}: {}, {}, {} ({cached} % cached){cost}",
        pluralize(spent.turns, "turn"),
        pluralize(spent.calls, "call"),
        pluralize(usage.total, "token"),
    )
}
