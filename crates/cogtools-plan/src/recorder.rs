//! What happens to a plan, as its session keeps it: each state of each step, with what it was
//! called with and what came out.

use std::time::Duration;

use cogtools_agent::Journal;
use cogtools_core::Diagnostic;
use cogtools_log::{EndStatus, Event, LogError, StepState, preview};
use cogtools_program::call::quote;
use cogtools_program::terminal::truncate;
use serde_json::Value;

use crate::contract::Contract;
use crate::intent::Intent;

/// How many lines of what a program writes to standard error are kept.
pub(crate) const MAX_LOG_LINES: usize = 100;
/// The longest of these, in characters.
const MAX_LOG_CHARS: usize = 500;

/// Writes to the session, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    journal: Option<Journal>,
    /// The command that goes on with the session.
    resume: String,
}

impl Recorder {
    /// Writes to `journal`, which is in `file` if the user has named one; without a journal, to
    /// nothing.
    pub(crate) fn new(journal: Option<Journal>, file: Option<&str>) -> Self {
        let file = file.map(|file| format!(" {}", quote(file)));
        let resume = format!("cogtools plan resume{}", file.unwrap_or_default());
        Self { journal, resume }
    }

    /// The command that goes on with the session, if there is one.
    pub(crate) fn resume(&self) -> Option<&str> {
        self.journal.is_some().then_some(self.resume.as_str())
    }

    /// A plan is about to run.
    pub(crate) fn plan(&mut self, contract: &Contract) -> Result<(), LogError> {
        self.append(|| Event::Plan {
            intent: Intent::of(contract).name().to_owned(),
            plan: contract.to_json(),
        })
    }

    /// A step begins: its tool is called with `args`.
    pub(crate) fn executing(
        &mut self,
        step: &str,
        tool: Option<&str>,
        args: &Value,
    ) -> Result<(), LogError> {
        self.append(|| Event::Step {
            step: step.to_owned(),
            state: StepState::Executing,
            tool: tool.map(str::to_owned),
            args: Some(args.clone()),
            result: None,
            blob: None,
            logs: Vec::new(),
            ms: None,
        })
    }

    /// A step has a result, and has written `log` to standard error.
    pub(crate) fn executed(
        &mut self,
        step: &str,
        result: &Value,
        log: &str,
        duration: Duration,
    ) -> Result<(), LogError> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let (preview, whole) = preview(result);
        let blob = whole.map(|whole| journal.write_blob(whole.as_bytes()));
        let event = Event::Step {
            step: step.to_owned(),
            state: StepState::Executed,
            tool: None,
            args: None,
            result: Some(preview),
            blob: blob.transpose()?,
            logs: lines(log),
            ms: Some(millis(duration)),
        };
        journal.append(event).map(drop)
    }

    /// A step has failed.
    pub(crate) fn failed(
        &mut self,
        step: &str,
        error: &Diagnostic,
        log: &str,
        duration: Duration,
    ) -> Result<(), LogError> {
        self.append(|| Event::Step {
            step: step.to_owned(),
            state: StepState::Failed {
                code: error.code.name().to_owned(),
                message: error.summary(),
            },
            tool: None,
            args: None,
            result: None,
            blob: None,
            logs: lines(log),
            ms: Some(millis(duration)),
        })
    }

    /// A step does not run.
    pub(crate) fn skipped(&mut self, step: &str) -> Result<(), LogError> {
        self.append(|| Event::Step {
            step: step.to_owned(),
            state: StepState::Skipped,
            tool: None,
            args: None,
            result: None,
            blob: None,
            logs: Vec::new(),
            ms: None,
        })
    }

    /// The reply, with results for its placeholders.
    pub(crate) fn reply(&mut self, text: &str) -> Result<(), LogError> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let (short, whole) = preview(&Value::from(text));
        let blob = whole.map(|whole| journal.write_blob(whole.as_bytes()));
        let event = Event::Reply {
            text: short.as_str().unwrap_or_default().to_owned(),
            blob: blob.transpose()?,
        };
        journal.append(event).map(drop)
    }

    /// The run has ended.
    pub(crate) fn end(&mut self, status: EndStatus) -> Result<(), LogError> {
        self.append(|| Event::End { status })?;
        self.journal.as_ref().map_or(Ok(()), Journal::sync)
    }

    fn append(&mut self, event: impl FnOnce() -> Event) -> Result<(), LogError> {
        match &mut self.journal {
            Some(journal) => journal.append(event()).map(drop),
            None => Ok(()),
        }
    }
}

/// How many milliseconds `duration` has.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn lines(log: &str) -> Vec<String> {
    let lines = log.lines().take(MAX_LOG_LINES);
    lines
        .map(|line| truncate(line, MAX_LOG_CHARS).into_owned())
        .collect()
}
