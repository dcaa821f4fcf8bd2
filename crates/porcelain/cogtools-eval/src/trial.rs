//! One trial: what was asked, what the model did, and whether that is what its case expects.

use std::collections::{BTreeMap, BTreeSet};

use cogtools_code::CodeTools;
use cogtools_core::{Code, Diagnostic, Pattern};
use cogtools_log::{
    BudgetLimit, EndStatus, Entry, Event, Outcome, ProgramStep, Session, rejected_arguments,
    response_text,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::calls::compare;
use crate::case::{AtMost, Case, Expect};
use crate::matcher::accepts;
use crate::statistics::float;
use crate::tools::{Declared, Rules};

/// Returns the mistakes that types show in the code of a program.
pub(crate) type Mistakes<'m> = &'m dyn Fn(&str) -> Vec<Diagnostic>;

/// Everything that a trial is judged by: a line of a recording.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) case: String,
    pub(crate) model: String,
    pub(crate) trial: u64,
    pub(crate) digests: Digests,
    /// Its end; none if it did not end.
    pub(crate) end: Option<EndStatus>,
    /// The limit at which it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<f64>,
    /// The tools whose calls the user's rules or approvals did not let run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) denied: Vec<String>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The contents of the responses, with deltas merged.
    pub(crate) responses: Vec<Value>,
    /// The calls, with their results.
    pub(crate) results: Vec<Call>,
    /// Unknown if a host did not say it, as tokens and money.
    pub(crate) turns: Option<u64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) money: Option<f64>,
    /// The opinions of the judge about statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) judged: Vec<Judged>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
}

/// The digests of everything that a trial depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Digests {
    pub(crate) task: String,
    pub(crate) files: String,
    pub(crate) with: String,
    pub(crate) settings: String,
    /// Of the declarations in scope.
    pub(crate) declarations: BTreeMap<String, String>,
    /// Of the files of tools that were called.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tools: BTreeMap<String, String>,
}

/// A call and its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// The arguments as sent.
    pub(crate) args: Value,
    /// The arguments with defaults, if that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resolved: Option<Value>,
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
    /// The content that the model got.
    pub(crate) content: Value,
    /// It is of a program or about tools, and of no tool of the project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_program: bool,
}

/// The opinion of a judge about a statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Judged {
    pub(crate) says: String,
    pub(crate) judge: String,
    pub(crate) holds: bool,
    pub(crate) quote: String,
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failed {
    /// The pointer into `expect`.
    pub(crate) expect: String,
    pub(crate) message: String,
}

impl Failed {
    pub(crate) fn new(expect: impl Into<String>, message: String) -> Self {
        let expect = expect.into();
        Self { expect, message }
    }
}

impl Call {
    /// A call that was sent with `args`, before anything came of it.
    pub(crate) fn sent(tool: &str, args: Value, resolved: Option<Value>) -> Self {
        Self {
            tool: tool.to_owned(),
            args,
            resolved,
            outcome: Outcome::Succeeded,
            content: Value::Null,
            is_program: false,
        }
    }

    /// Returns true if the tool took the arguments, whatever came of it.
    pub(crate) fn is_accepted(&self) -> bool {
        let over = [Code::BudgetSpent, Code::CodeTypes].map(Code::name);
        let is_over = matches!(&self.outcome, Outcome::Failed { code } if over.contains(&&**code));
        !is_over && !self.outcome.is_rejection()
    }

    /// The pointers of the arguments that were rejected, and the code.
    pub(crate) fn violations(&self) -> (Vec<String>, String) {
        let Outcome::Failed { code } = &self.outcome else {
            return (Vec::new(), String::new());
        };
        let rejected = rejected_arguments(&self.tool, &self.content).into_iter();
        let mut pointers: Vec<String> = rejected.map(|(pointer, _)| pointer).collect();
        if pointers.is_empty() {
            pointers.push(String::new());
        }
        (pointers, code.clone())
    }
}

impl Record {
    /// Reads the main conversation of a session, without the conversations of agents in it. The
    /// calls of programs are part of it; `mistakes` has those that their types show.
    pub(crate) fn read(mut self, session: &Session, mistakes: Option<Mistakes<'_>>) -> Self {
        let nested = session.nested();
        let (mut turns, mut tokens) = (0, 0);
        let mut has_error = None;
        let is_made = |place: &ProgramStep| mistakes.is_some() && place.program.is_some();
        let is_counted = |entry: &&Entry| match &entry.event {
            Event::Call(call) if is_made(&call.place) => true,
            Event::Result(result) if is_made(&result.place) => true,
            _ => !nested.contains(&entry.id),
        };
        let entries: Vec<&Entry> = session.nodes().filter(is_counted).collect();
        for entry in &entries {
            match &entry.event {
                Event::Request { .. } => turns += 1,
                Event::Response { content, .. } => self.responses.push(merged(content)),
                Event::Usage(usage) => {
                    let parts = usage.prompt + usage.candidates + usage.thoughts;
                    tokens += usage.total.max(parts);
                    if let Some(cost) = &usage.cost {
                        *self.money.get_or_insert(0.0) += cost.amount;
                    }
                }
                Event::Error { message, .. } => has_error = Some(message.clone()),
                Event::End { status } => self.end = Some(status.clone()),
                _ => {}
            }
        }
        for (call, result) in Session::calls(entries) {
            let outcome = result.map(|result| result.outcome.clone());
            let content = result.map(|result| result.content.clone());
            let call = Call {
                tool: call.tool.clone(),
                args: call.arguments.clone(),
                resolved: call.resolved.clone(),
                outcome: outcome.unwrap_or(Outcome::Cancelled),
                content: content.unwrap_or_default(),
                is_program: mistakes.is_some()
                    && !is_made(&call.place)
                    && CodeTools::NAMES.contains(&call.tool.as_str()),
            };
            if let Some(mistakes) = mistakes.filter(|_| call.is_program && !call.is_accepted()) {
                self.results.extend(refused(&call, mistakes));
            }
            self.results.push(call);
        }
        (self.turns, self.tokens) = (Some(turns), Some(tokens));
        let is_error =
            |end: &EndStatus| matches!(end, EndStatus::Failed { .. } | EndStatus::Unavailable);
        self.error = has_error.filter(|_| self.end.as_ref().is_some_and(is_error));
        self
    }

    /// Returns true if it is done, and would not go on otherwise now: it was not interrupted, is no
    /// error, the files of its tools are as they were, its limit is none that `case` has loosened, and
    /// what `rules` denied is still denied.
    pub(crate) fn is_done(&self, case: &Case, tools: &[Declared], rules: &Rules<'_>) -> bool {
        let find = |name: &str| tools.iter().find(|tool| tool.agent.name == name);
        let has_ended = match &self.end {
            None | Some(EndStatus::Cancelled) => false,
            Some(EndStatus::Budget { limit }) => {
                let now = case.expect.at_most.number(*limit);
                now.zip(self.limit).is_some_and(|(now, then)| now <= then)
            }
            Some(_) => true,
        };
        let is_broken = |call: &Call| matches!(&call.outcome, Outcome::Failed { code } if code == Code::InvalidConfig.name());
        let mut files = self.digests.tools.iter();
        let mut denied = self.denied.iter();
        has_ended
            && self.error.is_none()
            && files.all(|(name, file)| find(name).is_some_and(|tool| tool.file == *file))
            && denied.all(|name| find(name).is_some_and(|tool| rules.deny(tool, case)))
            && !self.calls().any(is_broken)
    }

    /// The text of the last response.
    pub(crate) fn answer(&self) -> String {
        self.responses.last().map(response_text).unwrap_or_default()
    }

    /// The calls of the project's tools.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.results.iter().filter(|call| !call.is_program)
    }

    /// The calls whose arguments the tools took.
    pub(crate) fn accepted(&self) -> Vec<&Call> {
        self.calls().filter(|call| call.is_accepted()).collect()
    }

    /// Returns whether the first call of `tool` was accepted; none if it was not called.
    pub(crate) fn first_try(&self, tool: &str) -> Option<bool> {
        let first = self.calls().find(|call| call.tool == tool)?;
        Some(first.is_accepted())
    }

    /// The tools whose first call counts for `expect`: of its calls, or all that were called.
    pub(crate) fn tried<'r>(&'r self, expect: &'r Expect) -> BTreeSet<&'r str> {
        match &expect.calls {
            Some(calls) => calls.iter().map(|call| call.tool.as_str()).collect(),
            None => self.calls().map(|call| call.tool.as_str()).collect(),
        }
    }

    /// Returns true if the first call of a tool was rejected, and a later one accepted.
    pub(crate) fn is_repaired(&self) -> bool {
        let mut accepted = self.accepted().into_iter();
        accepted.any(|call| self.first_try(&call.tool) == Some(false))
    }

    /// The figure that `limit` is about; none if a host did not say it.
    pub(crate) fn used(&self, limit: BudgetLimit) -> Option<f64> {
        match limit {
            BudgetLimit::Turns => self.turns.map(float),
            BudgetLimit::Calls => Some(float(self.accepted().len() as u64)),
            BudgetLimit::Tokens => self.tokens.map(float),
            BudgetLimit::Money => self.money,
            BudgetLimit::Seconds => Some(self.seconds),
        }
    }

    /// Says which figure `case` limits that is unknown, so that there is no verdict.
    pub(crate) fn unknown(&self, case: &Case) -> Option<String> {
        let is_limited = |limit: &BudgetLimit| case.expect.at_most.own(*limit).is_some();
        let mut limits = AtMost::ALL.into_iter().filter(is_limited);
        let unknown = limits.find(|limit| self.used(*limit).is_none())?;
        let model = &self.model;
        let message = format!("{model} does not say its {unknown}, which at_most limits");
        Some(message)
    }

    /// The expectations of `case` that do not hold.
    pub(crate) fn judge(&self, case: &Case) -> Vec<Failed> {
        let mut failed = Judge {
            record: self,
            failed: Vec::new(),
        };
        failed.end(case);
        failed.calls(case);
        failed.answer(case);
        failed.at_most(case);
        failed.failed
    }
}

/// The calls because of which a program did not begin: its types show that tools reject them.
fn refused(program: &Call, mistakes: Mistakes<'_>) -> Vec<Call> {
    let code = program.args["code"].as_str();
    let mut calls: Vec<(String, Vec<String>)> = Vec::new();
    for mistake in code.map(mistakes).unwrap_or_default() {
        if mistake.subject.is_empty() {
            continue;
        }
        let mistake = Diagnostic {
            location: None,
            ..mistake
        };
        let line = mistake.summary();
        match calls.iter_mut().find(|(tool, _)| *tool == mistake.subject) {
            Some((_, lines)) => lines.push(line),
            None => calls.push((mistake.subject, vec![line])),
        }
    }
    let call = |(tool, lines): (String, Vec<String>)| Call {
        tool,
        args: Value::Null,
        resolved: None,
        content: json!({"error": lines.join("\n")}),
        is_program: false,
        ..program.clone()
    };
    calls.into_iter().map(call).collect()
}

/// Joins the texts that a stream has cut.
fn merged(content: &Value) -> Value {
    let is_text = |part: &Value| {
        let keys = part.as_object().map(|part| part.keys());
        keys.is_some_and(|keys| keys.eq(["text"]))
    };
    let mut content = content.clone();
    if let Some(parts) = content.get_mut("parts").and_then(Value::as_array_mut) {
        parts.dedup_by(|part, last| {
            let are_texts = is_text(last) && is_text(part);
            if are_texts {
                let texts = [&*last, part].map(|part| part["text"].as_str().unwrap_or_default());
                *last = json!({"text": texts.concat()});
            }
            are_texts
        });
    }
    content
}

/// The judgement of a trial.
struct Judge<'r> {
    record: &'r Record,
    failed: Vec<Failed>,
}

impl Judge<'_> {
    fn fail(&mut self, expect: impl Into<String>, message: impl Into<String>) {
        self.failed.push(Failed::new(expect, message.into()));
    }

    fn end(&mut self, case: &Case) {
        match &self.record.end {
            Some(EndStatus::Budget { limit }) => {
                let most = &case.expect.at_most;
                let message = match (most.own(*limit), most.number(*limit)) {
                    (Some(_), _) => format!("stopped beyond the limit of {limit}"),
                    (None, Some(standard)) => format!("stopped after {standard} {limit}"),
                    (None, None) => "stopped after the limit".to_owned(),
                };
                self.fail(format!("/at_most/{limit}"), message);
            }
            Some(EndStatus::Refused) => self.fail("", "the model refused to answer"),
            Some(EndStatus::Loop) => self.fail("", "the model repeated the same calls"),
            Some(EndStatus::Failed { .. }) => self.fail("", "the model gave no answer"),
            Some(
                EndStatus::Completed
                | EndStatus::ApprovalWanted
                | EndStatus::Unavailable
                | EndStatus::Cancelled,
            )
            | None => {}
        }
    }

    fn calls(&mut self, case: &Case) {
        let (record, expect) = (self.record, &case.expect);
        if let Some(calls) = &expect.calls {
            self.failed
                .extend(compare(calls, expect.order, &record.accepted()));
        }
        for (index, never) in expect.never.iter().enumerate() {
            let pattern = Pattern::new(never);
            if let Some(call) = record.calls().find(|call| pattern.matches(&call.tool)) {
                self.fail(
                    format!("/never/{index}"),
                    format!("`{}` was called", call.tool),
                );
            }
        }
        let tried = expect.first_try.then(|| record.tried(expect));
        for tool in tried.into_iter().flatten() {
            if record.first_try(tool) == Some(false) {
                let message = format!("the first call of `{tool}` was rejected");
                self.fail("/first_try", message);
            }
        }
    }

    fn answer(&mut self, case: &Case) {
        let (answer, expect) = (self.record.answer(), &case.expect);
        let parts = expect.contains.iter();
        for part in parts.filter(|part| !answer.contains(part.as_str())) {
            self.fail(
                "/answer/contains",
                format!("the answer does not contain `{part}`"),
            );
        }
        if let Some(pattern) = &expect.matches
            && !pattern.is_match(&answer).unwrap_or(false)
        {
            self.fail(
                "/answer/matches",
                format!("the answer does not match `{}`", pattern.as_str()),
            );
        }
        if let Some(schema) = &expect.schema {
            match cogtools_lenient_json::last(&answer).map(|found| found.value.into()) {
                Ok(value) if accepts(schema, &value) => {}
                Ok(_) => self.fail(
                    "/answer/schema",
                    "the JSON of the answer does not match the schema",
                ),
                Err(_) => self.fail("/answer/schema", "the answer has no JSON"),
            }
        }
        for (index, says) in expect.says.iter().enumerate() {
            let mut judged = self.record.judged.iter();
            let judged = judged.find(|judged| judged.says == *says);
            let problem = match judged {
                None => "no judge has read the answer".to_owned(),
                Some(Judged {
                    holds: false,
                    judge,
                    ..
                }) => format!("{judge}: it does not say: {says}"),
                Some(Judged { quote, judge, .. })
                    if quote.trim().is_empty() || !answer.contains(quote.as_str()) =>
                {
                    format!("the quote of {judge} is not in the answer: {quote}")
                }
                Some(_) => continue,
            };
            self.fail(format!("/answer/says/{index}"), problem);
        }
    }

    /// Compares figures with their limits, unless that has failed already.
    fn at_most(&mut self, case: &Case) {
        for limit in AtMost::ALL {
            let most = case.expect.at_most.own(limit);
            let Some((most, used)) = most.zip(self.record.used(limit)) else {
                continue;
            };
            let expect = format!("/at_most/{limit}");
            if used > most && self.failed.iter().all(|failed| failed.expect != expect) {
                let decimals = match limit {
                    BudgetLimit::Turns | BudgetLimit::Calls | BudgetLimit::Tokens => 0,
                    BudgetLimit::Money | BudgetLimit::Seconds => 3,
                };
                self.fail(expect, format!("{used:.decimals$} {limit}, at most {most}"));
            }
        }
    }
}
