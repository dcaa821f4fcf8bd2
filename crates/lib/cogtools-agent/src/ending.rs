//! How a run ends.

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{EndStatus, Event, LogError};
use cogtools_model::{Finish, ModelError, Response};

use crate::Conversation;
use crate::agent::{Agent, RunEnd};
use crate::diagnostic::code;

impl Agent<'_> {
    /// Writes to the log that the answer of a run that has completed cannot be used. Returns
    /// how the run ended instead.
    pub fn reject_answer(&mut self, why: &Diagnostic) -> Result<EndStatus, LogError> {
        let code = why.code.name().to_owned();
        self.journal.append(Event::Error {
            code: code.clone(),
            message: format!("{}:\n{}", why.message, why.details),
            subject: why.subject.clone(),
            hints: Vec::new(),
        })?;
        let status = EndStatus::Failed { code };
        self.journal.append(Event::End {
            status: status.clone(),
        })?;
        self.journal.sync()?;
        Ok(status)
    }

    /// Writes the end of the run to the log.
    pub(crate) fn end(
        &mut self,
        status: EndStatus,
        error: Option<ModelError>,
    ) -> Result<RunEnd, LogError> {
        if let Some(error) = &error {
            self.journal.append(Event::Error {
                code: code(error).name().to_owned(),
                message: error.to_string(),
                subject: String::new(),
                hints: Vec::new(),
            })?;
        }
        self.journal.append(Event::End {
            status: status.clone(),
        })?;
        self.journal.sync()?;
        Ok(RunEnd {
            status,
            text: std::mem::take(&mut self.last_text),
            finish: self.last_finish.take(),
            error,
        })
    }
}

impl Conversation {
    /// Whether there is nothing to go on with: the last task has its whole answer, or a refusal.
    pub fn is_finished(&self) -> bool {
        match self.finish() {
            _ if self.turns().is_empty() => true,
            Some(Finish::Refused(_)) => true,
            None | Some(Finish::MaxTokens) => false,
            Some(_) => self.open_calls().is_empty() && self.last_answer().is_some(),
        }
    }
}

/// How a run ends with a response; `None` if it has calls.
pub(crate) fn final_status(response: &Response) -> Option<EndStatus> {
    let is_refused = matches!(response.finish(), Some(Finish::Refused(_)));
    if response.block_reason().is_some() || (is_refused && response.calls().is_empty()) {
        return Some(EndStatus::Refused);
    }
    if !response.calls().is_empty() {
        return None;
    }
    let is_malformed = matches!(response.finish(), Some(Finish::MalformedCall(_)));
    if is_malformed || response.is_empty() {
        return Some(no_answer());
    }
    Some(EndStatus::Completed)
}

/// The end of a run in which the model gave no answer.
pub(crate) fn no_answer() -> EndStatus {
    EndStatus::Failed {
        code: Code::ModelFailed.name().to_owned(),
    }
}

/// How a run ends with an error.
pub(crate) fn status_of(error: &ModelError) -> EndStatus {
    if error.is_transient() {
        return EndStatus::Unavailable;
    }
    EndStatus::Failed {
        code: code(error).name().to_owned(),
    }
}
