//! The end of a run: the summary, and what it means as an exit status.

use std::time::Duration;

use cogtools_agent::{RunEnd, Spent, WaitingCall, diagnostic};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::EndStatus;
use cogtools_model::Finish;
use cogtools_program::call::command;
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
    pub(crate) paused: Vec<WaitingCall>,
    /// The words of the command line about calls that were interrupted.
    pub(crate) decided: Vec<String>,
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
            "waiting": self.paused.iter().map(|one| &one.call).collect::<Vec<_>>(),
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
            if rejection.code == Code::ApprovalWanted {
                return Some(rejection);
            }
            let rejection = if self.end.is_cut_off() {
                rejection.hint(format!("it was cut off; {}", self.end.cut_hint()))
            } else {
                rejection.hint("change the task or the schema, or use another model")
            };
            let show = command(["cogtools", "session", "show", &self.session]);
            return Some(rejection.hint(format!("{show} shows the answer")));
        }
        if self.end.status == EndStatus::ApprovalWanted {
            return Some(self.waiting());
        }
        let failure = self.end.failure(&self.model)?;
        let resume = resume(&self.session);
        let hint = match &self.end.status {
            status if failure.code == Code::AnswerCut => {
                let is_answer = *status == EndStatus::Completed;
                let goes_on = format!("{resume} goes on");
                return Some(match &self.end.finish {
                    // It would be the whole conversation again.
                    Some(finish) if !is_answer || finish.is_full() => {
                        failure.hint(self.end.cut_hint())
                    }
                    Some(Finish::Cut(_)) => failure.hint(goes_on),
                    _ => failure.hint(self.end.cut_hint()).hint(goes_on),
                });
            }
            EndStatus::Refused => "change the task, or use another model".to_owned(),
            EndStatus::Budget { limit } => format!("{resume} --budget {limit}=NUMBER goes on"),
            EndStatus::Loop => format!("{resume} goes on; say what to do"),
            _ => match &self.end.error {
                // It would be refused again.
                Some(error) if diagnostic::is_refused_request(error) => {
                    format!("{resume} --dry-run prints the request")
                }
                Some(_) => format!("{resume} goes on"),
                None => format!("{resume} goes on; ask in another way"),
            },
        };
        Some(failure.hint(hint))
    }

    /// Says what the run waits for. A call that was interrupted needs another answer than one that has
    /// not begun.
    fn waiting(&self) -> Diagnostic {
        let calls: Vec<&str> = self.paused.iter().map(|one| one.call.as_str()).collect();
        let details: Vec<&str> = self.paused.iter().map(|one| one.about.as_str()).collect();
        let names = calls.join(", ");
        let with = |words: &[&str]| {
            let decided = self.decided.iter().map(String::as_str);
            let ask = ["cogtools", "ask", "--session", &self.session];
            command(ask.into_iter().chain(decided).chain(words.iter().copied()))
        };
        let first = calls.first().copied().unwrap_or("CALL");
        let is_interrupted = |one: &WaitingCall| one.code == Code::CodeInterrupted;
        let diagnostic = if self.paused.iter().any(is_interrupted) {
            let repeat: Vec<&str> = calls.iter().flat_map(|call| ["--repeat", call]).collect();
            let results: Vec<String> = calls.iter().map(|call| format!("{call}=JSON")).collect();
            let results = results.iter().flat_map(|result| ["--result", result]);
            let results = with(&results.collect::<Vec<_>>());
            let (it, them) = if calls.len() == 1 {
                ("it", "a result")
            } else {
                ("them", "results")
            };
            Diagnostic::new(
                Code::CodeInterrupted,
                format!("{names} may have had an effect"),
            )
            .hint(format!("find out whether {it} had"))
            .hint(format!("{} runs {it} again", with(&repeat)))
            .hint(format!("{results} goes on with {them}"))
        } else {
            let message = format!("waiting for an approval of {names}");
            Diagnostic::new(Code::ApprovalWanted, message)
                .hint(format!("{} runs it", with(&["--approve", first])))
                .hint(format!("{} goes on without it", with(&["--reject", first])))
        };
        diagnostic.with_details(details.join("\n"))
    }
}

/// The command that goes on with the session of that name: another may be the newest when the user
/// types it.
pub(crate) fn resume(session: &str) -> String {
    command(["cogtools", "ask", "--session", session, "--continue"])
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
