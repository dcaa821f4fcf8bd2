//! What a running call shares with the agent that made it: its cancellation, its budget, its log
//! and the user who answers its questions. A tool that is an agent itself needs all of them.

use std::sync::mpsc::{Sender, channel};

use cogtools_core::Cancel;
use cogtools_log::{Approval, Event, Id, LogError};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::journal::SharedLog;
use crate::observer::{Activity, Answer, Observer, Question};
use crate::{Journal, Ledger};

/// What a running call shares with the agent that made it.
#[derive(Clone, Debug)]
pub struct CallScope {
    /// Ends the call alone; the end of the run ends it as well.
    pub cancel: Cancel,
    /// The budget of the agent.
    pub ledger: Ledger,
    pub(crate) log: SharedLog,
    /// The entry of the call.
    pub(crate) call: Id,
    pub(crate) questions: UnboundedSender<Asked>,
}

/// A question of an agent that a call runs.
#[derive(Debug)]
pub(crate) struct Asked {
    tool: String,
    arguments: Value,
    approval: Approval,
    answer: Sender<Answer>,
}

/// The questions of the agents that an agent's calls run.
#[derive(Debug)]
pub(crate) struct Questions {
    sender: UnboundedSender<Asked>,
    receiver: UnboundedReceiver<Asked>,
}

/// Passes the questions of an agent on to the one that called it.
#[derive(Debug)]
pub struct Relay(UnboundedSender<Asked>);

impl CallScope {
    /// Begins the log of an agent that the call of `tool` runs, below the call.
    pub fn begin_agent(&self, tool: &str) -> Result<Journal, LogError> {
        let mut journal = Journal::below(self.log.clone(), self.call);
        journal.append(Event::Agent {
            tool: tool.to_owned(),
        })?;
        Ok(journal)
    }

    /// Who answers the questions of an agent that the call runs.
    pub fn observer(&self) -> Relay {
        Relay(self.questions.clone())
    }
}

impl Default for Questions {
    fn default() -> Self {
        let (sender, receiver) = unbounded_channel();
        Self { sender, receiver }
    }
}

impl Questions {
    /// Where calls send them.
    pub(crate) fn sender(&self) -> UnboundedSender<Asked> {
        self.sender.clone()
    }

    /// The next one.
    pub(crate) async fn next(&mut self) -> Option<Asked> {
        self.receiver.recv().await
    }
}

impl Asked {
    /// Asks `observer`, and passes its answer on.
    pub(crate) fn ask(self, observer: &mut dyn Observer) {
        let answer = observer.ask(&Question {
            tool: &self.tool,
            arguments: &self.arguments,
            approval: &self.approval,
        });
        // The agent that asked may have been cancelled meanwhile.
        let _ = self.answer.send(answer);
    }
}

impl Observer for Relay {
    fn on(&mut self, _: &Activity<'_>) {}

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        let (answer, answers) = channel();
        let asked = Asked {
            tool: question.tool.to_owned(),
            arguments: question.arguments.clone(),
            approval: question.approval.clone(),
            answer,
        };
        let _ = self.0.send(asked);
        // Without an answer, the agent that called has ended.
        answers.recv().unwrap_or(Answer::NoTerminal)
    }
}
