//! The plan in a session, and how far it came.

use std::collections::BTreeMap;

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{BlobId, Event, Session, SessionFile, StepState};
use cogtools_program::Failure;
use serde_json::Value;

use crate::contract::Contract;

/// A plan with the states of its steps.
#[derive(Clone, Debug)]
pub(crate) struct LoggedPlan {
    pub(crate) contract: Contract,
    /// The steps that are more than planned, by name.
    steps: BTreeMap<String, LoggedStep>,
}

/// A step, as the session has it.
#[derive(Clone, Debug)]
pub(crate) struct LoggedStep {
    pub(crate) state: StepState,
    pub(crate) ms: Option<u64>,
    result: Option<Value>,
    blob: Option<BlobId>,
}

impl LoggedPlan {
    /// A plan that has not run.
    pub(crate) const fn new(contract: Contract) -> Self {
        Self {
            contract,
            steps: BTreeMap::new(),
        }
    }

    /// The last plan on the branch of `session`, in `file`, that was written to last.
    pub(crate) fn read(session: &Session, file: &SessionFile) -> Result<Self, Failure> {
        let path = session.head().map(|head| session.path_to(head));
        let mut found: Option<Self> = None;
        for entry in path.unwrap_or_default() {
            match (&entry.event, &mut found) {
                (Event::Plan { plan, .. }, _) => {
                    let contract = Contract::check(plan).map_err(|violations| {
                        let diagnostics = violations
                            .into_iter()
                            .map(|violation| violation.diagnostic(Code::InvalidSession));
                        Diagnostic::truncate(diagnostics)
                    })?;
                    found = Some(Self::new(contract));
                }
                (
                    Event::Step {
                        step,
                        state,
                        result,
                        blob,
                        ms,
                        ..
                    },
                    Some(plan),
                ) => {
                    let logged = LoggedStep {
                        state: state.clone(),
                        ms: *ms,
                        result: result.clone(),
                        blob: blob.clone(),
                    };
                    plan.steps.insert(step.clone(), logged);
                }
                _ => {}
            }
        }
        found.ok_or_else(|| {
            let message = format!("the session `{}` has no plan", session.header.session);
            Diagnostic::new(Code::SessionNotFound, message)
                .with_subject(file.display_path().display().to_string())
                .hint("`cogtools session list` shows the sessions of this project")
                .into()
        })
    }

    /// A step; `None` if it is only planned.
    pub(crate) fn step(&self, save_as: &str) -> Option<&LoggedStep> {
        self.steps.get(save_as)
    }

    /// The results of all steps that have one.
    pub(crate) fn results(&self, file: &SessionFile) -> Result<BTreeMap<String, Value>, Failure> {
        let mut results = BTreeMap::new();
        for step in self.contract.steps() {
            let Some(logged) = self.steps.get(step.save_as()) else {
                continue;
            };
            if logged.state == StepState::Executed {
                let result = logged.whole(file).map_err(|reason| {
                    let message = format!("its result cannot be read: {reason}");
                    Diagnostic::new(Code::InvalidSession, message)
                        .with_subject(step.save_as())
                        .hint("`cogtools session verify` checks the session")
                })?;
                results.insert(step.save_as().to_owned(), result);
            }
        }
        Ok(results)
    }
}

impl LoggedStep {
    /// Its result; of a long one the beginning and the end, as text.
    pub(crate) const fn result(&self) -> Option<&Value> {
        self.result.as_ref()
    }

    /// The whole result.
    fn whole(&self, file: &SessionFile) -> Result<Value, String> {
        let Some(blob) = &self.blob else {
            return self
                .result
                .clone()
                .ok_or_else(|| "there is none".to_owned());
        };
        let bytes = file.blobs().read(blob).map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    }
}
