//! A run of a program: its calls are checked, approved, recorded and run; on a replay they have the
//! results that the session has.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cogtools_agent::{Journal, Ledger, Observer, ToolTraits};
use cogtools_core::javascript::{Request, ScriptError, ScriptErrorKind, ToolFailure, Toolbox};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Event, ProgramStatus, Timestamp};
use serde_json::{Map, Value, json};

use crate::calls::Runner;
use crate::record::{Lines, Recorder};
use crate::replay::{Recorded, RecordedCall};
use crate::report::Report;
use crate::worker::End;
use crate::{Consent, Explanation, FlowTape, Scope};

/// A program, and how it runs.
pub struct Program {
    /// The body of an async function.
    pub code: String,
    /// The value of `args`.
    pub args: Map<String, Value>,
    /// The name in its session.
    pub name: String,
    /// The session as a command line names it, for hints.
    pub session: Option<String>,
    /// The values that earlier programs of the session kept.
    pub store: Value,
    /// The time that it may take, without the time that a person takes to answer.
    pub timeout: Duration,
    /// The number of calls that it may make.
    pub max_calls: usize,
    /// The budget of the agent that runs it: each call that runs counts.
    pub ledger: Option<Ledger>,
    /// The calls that the user agreed to before.
    pub consent: Consent,
    /// Its explanation, if the caller has read it.
    pub explanation: Option<Explanation>,
    /// True if nothing is recorded, and only templates and JavaScript run.
    pub is_dry: bool,
    /// The lines of the run that this one goes on from.
    pub recorded: Option<Recorded>,
    /// The user's decisions about calls of that run.
    pub decisions: Decisions,
}

/// The user's decisions about calls that were interrupted or wait, by step.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Calls that run again, without a question if they are approved as well.
    pub repeat: Vec<String>,
    /// Results of calls that do not run again.
    pub results: BTreeMap<String, Value>,
    /// Calls that may run.
    pub approve: Vec<String>,
    /// Calls that may not run, with reasons for the program.
    pub reject: BTreeMap<String, Option<String>>,
}

impl Program {
    /// Maximum number of UTF-16 units of the code.
    pub const MAX_CODE_UNITS: usize = 32_768;
    /// The time that a program may take by default.
    pub const TIMEOUT: Duration = Duration::from_mins(1);
    /// The number of calls that a program may make by default.
    pub const MAX_CALLS: usize = 1_000;

    /// Goes on from `recorded`, of which the calls run again that were interrupted: the user has
    /// been asked about the program.
    pub fn go_on(&mut self, recorded: Recorded) {
        self.decisions = Decisions {
            repeat: recorded.calls().map(|call| call.step.to_owned()).collect(),
            ..Decisions::default()
        };
        self.recorded = Some(recorded);
    }

    /// A program with the default limits.
    pub fn new(code: String, args: Map<String, Value>) -> Self {
        Self {
            code,
            args,
            name: "p1".to_owned(),
            session: None,
            store: json!({}),
            timeout: Self::TIMEOUT,
            max_calls: Self::MAX_CALLS,
            ledger: None,
            consent: Consent::default(),
            explanation: None,
            is_dry: false,
            recorded: None,
            decisions: Decisions::default(),
        }
    }

    /// The program that `recorded` is.
    ///
    /// # Errors
    /// It cannot go on like this: see [`Recorded::check`].
    pub fn resumed(recorded: Recorded, decisions: Decisions) -> Result<Self, Box<Diagnostic>> {
        recorded.check(&decisions)?;
        let args = recorded.args.as_object().cloned().unwrap_or_default();
        let mut program = Self::new(recorded.code.clone(), args);
        program.name.clone_from(&recorded.name);
        program.store.clone_from(&recorded.store);
        program.decisions = decisions;
        program.recorded = Some(recorded);
        Ok(program)
    }

    /// Fails if the code is empty or too long.
    ///
    /// # Errors
    /// `SCHEMA_VIOLATION`.
    pub fn check_length(code: &str) -> Result<(), Box<Diagnostic>> {
        let units = code.encode_utf16().count();
        let message = match units {
            _ if code.trim().is_empty() => "empty".to_owned(),
            units if units > Self::MAX_CODE_UNITS => {
                let max = Self::MAX_CODE_UNITS;
                format!("{units} UTF-16 units long, {max} at most")
            }
            _ => return Ok(()),
        };
        let diagnostic = Diagnostic::new(Code::SchemaViolation, message);
        Err(Box::new(diagnostic.with_pointer("/code")))
    }

    /// Runs it with the tools of `scope`. Questions go to `observer`, lines to `session`.
    pub fn run(
        mut self,
        scope: &Scope,
        session: Option<&mut dyn Lines>,
        observer: &mut dyn Observer,
    ) -> Report {
        let start = Instant::now();
        scope.start_worker();
        let recorder = Recorder::new(session, self.name.clone());
        let recorded = self.recorded.take();
        let mut report = Report::new(&self.name);
        let tape = scope.cx.call.tape.as_ref().filter(|_| !self.is_dry);
        let tapes = match tape.map(FlowTape::open).transpose() {
            Ok(tapes) => tapes,
            Err(error) => {
                report.fail(vec![*error]);
                return report;
            }
        };
        let open = recorded.as_ref();
        let open = open.map(|recorded| interrupted(recorded, scope, &self.decisions));
        let open = open.unwrap_or_default();
        let summary = |(step, open): &(String, Diagnostic)| (step.clone(), open.summary());
        report.waiting = open.iter().map(summary).collect();
        let begun = if open.is_empty() {
            begin(&self, scope, recorded.as_ref(), &recorder)
        } else {
            Err(open.into_iter().map(|(_, open)| open).collect())
        };
        let (seed, time) = match begun {
            Ok(begun) => begun,
            Err(diagnostics) => {
                report.fail(diagnostics);
                return report;
            }
        };
        let (calls, prints) = recorded.map(|it| (it.calls, it.prints)).unwrap_or_default();
        let request = Request {
            code: self.code.clone(),
            now: Some(millis(time)),
            is_tool: true,
            tools: Some(Toolbox {
                names: scope.names.clone(),
                aliases: scope.aliases.clone(),
                seed,
                store: self.store.to_string(),
            }),
        };
        let args = Value::Object(self.args.clone()).to_string();
        let mut runner = Runner {
            deadline: start.checked_add(self.timeout).unwrap_or(start),
            now: millis(time),
            recorded: calls.into_iter().collect(),
            program: &self,
            scope,
            recorder: &recorder,
            tapes: tapes.as_ref(),
            observer,
            report: &mut report,
            last_failure: None,
            prints,
        };
        let cancel = scope.cx.cancel.clone();
        let end = match scope.take_worker() {
            Ok(worker) => worker.evaluate(&request, &args, &cancel, &mut runner),
            Err(reason) => End::Failed(reason.into()),
        };
        let failure = runner.last_failure.take();
        let skipped = runner.recorded.pop_first();
        finish(&mut report, end, failure, &self.code);
        if report.status == ProgramStatus::Completed
            && let Some((step, call)) = skipped
        {
            report.fail(vec![diverged(&step, &call, "the program ended")]);
        }
        let saved = tapes.map_or(Ok(()), |tapes| tapes.save(&scope.cx.root));
        if let Err(error) = saved {
            report.fail(vec![*error]);
        }
        report.ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let code = report.error().map(|error| error.code.name().to_owned());
        let numbers = (report.calls.len(), report.ms);
        if !self.is_dry
            && let Err(error) = recorder.end(report.status, code, report.result.as_ref(), numbers)
        {
            report.fail(vec![*error]);
        }
        report
    }

    /// Runs it as the whole of a run of the session in `journal`, whose end is recorded, too.
    pub fn run_in(
        self,
        scope: &Scope,
        journal: &mut Journal,
        observer: &mut dyn Observer,
    ) -> Report {
        let mut report = self.run(scope, Some(journal), observer);
        let status = report.end_status(scope.cancel().is_cancelled());
        if let Err(error) = journal.append(Event::End { status }) {
            report.fail(vec![error.diagnostic()]);
        }
        report
    }
}

/// Records the beginning, unless a run before has. Returns the seed and the time.
fn begin(
    program: &Program,
    scope: &Scope,
    recorded: Option<&Recorded>,
    recorder: &Recorder<'_>,
) -> Result<(u64, Timestamp), Vec<Diagnostic>> {
    if let Some(recorded) = recorded {
        return Ok((recorded.seed, recorded.time));
    }
    let seed = seed();
    if program.is_dry {
        return Ok((seed, Timestamp::now()));
    }
    let tools = match &program.explanation {
        Some(explanation) => explanation.named_tools(scope),
        None => Explanation::of(&program.code, scope).named_tools(scope),
    };
    let begun = recorder.begin(&program.code, &program.args, seed, tools);
    begun.map(|time| (seed, time)).map_err(|error| vec![*error])
}

/// A number that no other program has, exact in JSON.
fn seed() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    RandomState::new().build_hasher().finish() >> 11
}

pub(crate) fn millis(time: Timestamp) -> f64 {
    // A time in milliseconds has fewer digits than a float is exact for.
    let number = serde_json::Number::from(time.as_millis());
    number.as_f64().unwrap_or_default()
}

/// The calls that were interrupted, and about which the user has to decide, by step.
fn interrupted(
    recorded: &Recorded,
    scope: &Scope,
    decisions: &Decisions,
) -> Vec<(String, Diagnostic)> {
    let is_decided =
        |step: &String| decisions.repeat.contains(step) || decisions.results.contains_key(step);
    let is_repeatable = |call: &RecordedCall| {
        let tool = scope.find(&call.tool);
        tool.is_ok_and(|tool| ToolTraits::of(&tool).is_repeatable())
    };
    let calls = recorded.calls.iter();
    let open =
        calls.filter(|(step, call)| call.is_open() && !is_decided(step) && !is_repeatable(call));
    let mut open: Vec<(&String, &RecordedCall)> = open.collect();
    let numbers = |step: &str| -> Vec<u64> {
        let parts = step.split('.');
        parts.filter_map(|part| part.parse().ok()).collect()
    };
    open.sort_by_key(|(step, _)| numbers(step));
    let diagnostics = open.iter().map(|(step, call)| {
        let message = if call.is_masked {
            "its result has a secret, which is masked, and it may have had an effect"
        } else {
            "the program ended while this call was running; it may have had an effect"
        };
        let subject = format!("step {step}: {} {}", call.tool, call.arguments);
        let diagnostic = Diagnostic::new(Code::CodeInterrupted, message)
            .with_subject(subject)
            .hint("find out whether it had")
            .hint(format!("`--repeat {step}` runs it again"))
            .hint(format!("`--result {step}=JSON` goes on with a result"));
        ((*step).clone(), diagnostic)
    });
    diagnostics.collect()
}

/// The failure of a program that took another way than before.
pub(crate) fn diverged(step: &str, recorded: &RecordedCall, now: &str) -> Diagnostic {
    let message = format!(
        "the program took another way: the session has step {step} as {}({}), and now {now}",
        recorded.tool, recorded.arguments
    );
    Diagnostic::new(Code::CodeDiverged, message)
        .hint("run the program anew: its code, its tools or what it reads have changed")
}

/// Reports the end of the code. `failure` is the last call that failed, which an error may be about.
fn finish(report: &mut Report, end: End, failure: Option<ToolFailure>, code: &str) {
    match end {
        End::Returned(json) => {
            report.status = ProgramStatus::Completed;
            match json.map(|json| serde_json::from_str::<Value>(&json)) {
                None => {}
                Some(Ok(value)) => {
                    report.output.push(match &value {
                        Value::String(text) => text.clone(),
                        value => value.to_string(),
                    });
                    report.result = Some(value);
                }
                Some(Err(error)) => {
                    let message = format!("the result cannot be read: {error}");
                    report.fail(vec![Diagnostic::new(Code::JsResult, message)]);
                }
            }
        }
        End::Failed(error) => {
            let is_stop = matches!(
                error.kind,
                ScriptErrorKind::Timeout(_) | ScriptErrorKind::Memory | ScriptErrorKind::Cancelled
            );
            let hints = hints_of(&error, failure);
            let mut diagnostic = error.diagnostic(code);
            // What it logged is printed.
            diagnostic.logs = None;
            diagnostic.hints.extend(hints.into_iter().map(Into::into));
            report.fail(vec![diagnostic]);
            if is_stop {
                report.status = ProgramStatus::Stopped;
            }
        }
        End::Stopped(diagnostic) => {
            let status = match diagnostic.code {
                Code::ApprovalWanted => ProgramStatus::Waiting,
                Code::BudgetSpent | Code::JsTimeout => ProgramStatus::Stopped,
                _ => ProgramStatus::Failed,
            };
            report.fail(vec![*diagnostic]);
            report.status = status;
        }
    }
}

/// The hints of a failed call that nothing in the code caught.
fn hints_of(error: &ScriptError, failure: Option<ToolFailure>) -> Vec<String> {
    let thrown = match &error.kind {
        ScriptErrorKind::Runtime(text) => text.strip_prefix("ToolError: "),
        _ => None,
    };
    let failure = failure.filter(|it| thrown.is_some_and(|text| it.message.starts_with(text)));
    failure.map(|it| it.hints).unwrap_or_default()
}
