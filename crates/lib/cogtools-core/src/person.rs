//! The person at the other end of a call, for questions that no model may answer.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Cancel, Code, Diagnostic};

/// A question that a node of a flow asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The flow.
    pub tool: String,
    /// The node.
    pub node: String,
    /// The question, as the flow words it.
    pub text: String,
    /// The schema of the answer, an object; without one, it is any text.
    pub reply: Option<Value>,
    /// The fault of the last answer, if there was one.
    pub fault: Option<String>,
}

impl Question {
    /// The failure of a call whose question has no answer.
    pub fn unanswered(&self) -> Diagnostic {
        let hint = "a person was asked, and has not answered; only a person can";
        let diagnostic = Diagnostic::new(Code::ToolFailed, self.text.as_str());
        diagnostic.with_subject(self.tool.as_str()).hint(hint)
    }
}

/// A call of a flow that waits for a person: the question, and the state that it resumes from.
#[derive(Clone, Debug, PartialEq)]
pub struct PausedFlow {
    /// The question that it waits for.
    pub question: Question,
    /// The digest of its file: it must not have changed when it goes on.
    pub digest: String,
    /// The results of the nodes that have run.
    pub results: Map<String, Value>,
    /// The answers that were given, by node.
    pub answers: BTreeMap<String, String>,
}

/// A function that asks a person, and blocks until there is an answer.
type Ask = dyn Fn(&PausedFlow, &Cancel) -> Option<String> + Send + Sync;

/// Asks the person whose client makes a call.
#[derive(Clone)]
pub struct Person(Arc<Ask>);

impl Person {
    /// Maximum time that a person may take for the answers of one call.
    pub const PATIENCE: Duration = Duration::from_mins(10);

    /// Asks by `ask`, which returns the answer as `--answer` of `cogtools flow resume` takes it.
    /// It returns nothing if the person does not answer, or the call is cancelled.
    pub fn new(
        ask: impl Fn(&PausedFlow, &Cancel) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(ask))
    }

    /// Asks the question of `paused`, until the person has answered or `cancel` ends the call.
    pub fn ask(&self, paused: &PausedFlow, cancel: &Cancel) -> Option<String> {
        (self.0)(paused, cancel)
    }
}

impl Debug for Person {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Person").finish_non_exhaustive()
    }
}
