//! What happens during a run, for what shows it.

use std::time::Duration;

use cogtools_log::{Approval, CallId, Outcome};
use cogtools_model::{ModelError, Usage};
use serde_json::Value;

/// Something that happened.
#[derive(Debug)]
pub enum Activity<'a> {
    /// Nothing has happened for a second.
    Waiting,
    /// A request is sent; the number of the turn.
    Request(u64),
    /// A piece of the answer.
    Text(&'a str),
    /// A piece of a thought.
    Thought(&'a str),
    /// A response has ended.
    Response(&'a Usage),
    /// A call begins, or does not.
    Call {
        /// The call.
        id: &'a CallId,
        /// The tool.
        tool: &'a str,
        /// The arguments as they were sent.
        arguments: &'a Value,
        /// Whether it may run.
        approval: &'a Approval,
    },
    /// A call has ended.
    Result {
        /// The call.
        id: &'a CallId,
        /// The tool.
        tool: &'a str,
        /// How it ended.
        outcome: &'a Outcome,
        /// How long it took.
        duration: Duration,
        /// What goes back to the model.
        response: &'a Value,
    },
    /// The request is sent again after a while.
    Retry {
        /// How long that is.
        wait: Duration,
        /// Why.
        error: &'a ModelError,
    },
    /// A cache could not be used; the request is sent in full.
    CacheFailed(&'a ModelError),
    /// Old turns were replaced by a summary.
    Compacted {
        /// How many turns.
        turns: usize,
    },
    /// The model repeats the same calls, which it reads.
    Repetition,
}

/// Shows what happens, and answers questions.
pub trait Observer {
    /// Something happened.
    fn on(&mut self, activity: &Activity<'_>);

    /// Whether the call may run. Called only if nothing else decides.
    fn ask(&mut self, question: &Question<'_>) -> Answer;
}

/// A call that needs an answer.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The arguments, with defaults filled in.
    pub arguments: &'a Value,
    /// Why there is a question.
    pub approval: &'a Approval,
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may run.
    Yes,
    /// It may, and further calls of the tool in this run.
    Always,
    /// It may not.
    No,
    /// There is no terminal to ask at.
    NoTerminal,
    /// The run pauses until there is an answer.
    Pause,
}

/// Shows nothing, and has no terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on(&mut self, _: &Activity<'_>) {}

    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::NoTerminal
    }
}
