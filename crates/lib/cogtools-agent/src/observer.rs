//! The events of a run for those who watch it, and the scope that a running call shares with its agent.

use std::sync::mpsc::channel;
use std::time::Duration;

use cogtools_core::Cancel;
use cogtools_log::{
    Approval, CallEvent, Decision, Entry, Event, Id, LogError, ResultEvent, Session, Why,
};
use cogtools_model::{ModelError, Usage};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::journal::SharedLog;
use crate::{Journal, Ledger};

/// Something that happened.
#[derive(Debug)]
pub enum Activity<'a> {
    /// Nothing has happened for a second.
    Waiting,
    /// A request is sent; the number of the turn.
    Request(u64),
    /// A piece of the answer.
    Text(&'a str),
    /// A file in the answer.
    File {
        /// Its media type.
        mime_type: &'a str,
        /// Its size in bytes.
        bytes: usize,
    },
    /// A piece of a thought.
    Thought(&'a str),
    /// A response has ended.
    Response(&'a Usage),
    /// A call begins, or does not.
    Call(&'a CallEvent),
    /// A call has ended.
    Result {
        /// The tool.
        tool: &'a str,
        /// Its end, with the response for the model.
        result: &'a ResultEvent,
    },
    /// The request is sent again after a while.
    Retry {
        /// Duration of the wait.
        wait: Duration,
        /// Why.
        error: &'a ModelError,
    },
    /// A cache could not be used; the request is sent in full.
    CacheFailed(&'a ModelError),
    /// Old turns were replaced by a summary.
    Compacted {
        /// Number of tasks in them.
        tasks: usize,
    },
    /// Old turns stay as they are, for this reason.
    NotCompacted(&'a str),
    /// The model repeats the same calls, which it reads.
    Repetition,
}

/// Shows what happens, and answers questions.
pub trait Observer {
    /// Something happened.
    fn on(&mut self, activity: &Activity<'_>);

    /// Decides about a call. Called only if nothing else decides.
    fn ask(&mut self, question: &Question<'_>) -> Answer;

    /// Decides about a program before it starts. By default, each call is asked about when it comes.
    fn ask_program(&mut self, question: &ProgramQuestion) -> ProgramAnswer {
        let _ = question;
        ProgramAnswer::Ask
    }
}

/// A program that needs an answer before it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramQuestion {
    /// The code.
    pub code: String,
    /// The calls in it that need a yes, a line each.
    pub calls: Vec<String>,
    /// Why it cannot run, if the user has edited it.
    pub problem: Option<String>,
    /// The digest of the tools of these calls.
    pub digest: Option<String>,
}

/// The answer to the question about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramAnswer {
    /// It may run, with the calls that are shown.
    Run,
    /// It may run, and each call is asked about when it comes.
    Ask,
    /// The user has another program in mind, and is asked about it.
    Edit(String),
    /// It may not run, for a reason that the model reads.
    No(Option<String>),
    /// The run pauses until there is an answer.
    Pause,
}

/// A call that needs an answer.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The arguments, with defaults filled in.
    pub arguments: &'a Value,
    /// The command or the URL of the tool, if it has one.
    pub runs: Option<&'a str>,
    /// Why there is a question.
    pub approval: &'a Approval,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may run.
    Yes,
    /// It may, and further calls of the tool in this run.
    Always,
    /// It may not.
    No,
    /// It may not, for a reason that the model reads.
    NoBecause(String),
    /// There is no terminal to ask at.
    NoTerminal,
    /// The run pauses until there is an answer.
    Pause,
}

impl Answer {
    /// The decision that it is; none while the run pauses.
    pub fn approval(self) -> Option<Approval> {
        match self {
            Self::Yes | Self::Always => Some(Approval::new(Decision::Granted, Why::Answer)),
            Self::No => Some(Approval::denied(None)),
            Self::NoBecause(reason) => Some(Approval::denied(Some(reason))),
            Self::NoTerminal => Some(Approval::new(Decision::Denied, Why::NoTerminal)),
            Self::Pause => None,
        }
    }
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

/// The part of an agent that its running call shares.
#[derive(Clone, Debug)]
pub struct CallScope {
    /// Ends the call alone; the end of the run ends it as well.
    pub cancel: Cancel,
    /// The budget of the agent.
    pub ledger: Ledger,
    pub(crate) log: SharedLog,
    /// The entry of the call.
    pub(crate) call: Id,
    /// The decision about the call.
    pub approval: Approval,
    pub(crate) questions: UnboundedSender<Asked>,
}

/// Something that a running call shows to the observer of its agent, or asks it.
pub(crate) type Asked = Box<dyn FnOnce(&mut dyn Observer) + Send>;

/// The questions of the agents that an agent's calls run.
#[derive(Debug)]
pub(crate) struct Questions {
    pub(crate) sender: UnboundedSender<Asked>,
    pub(crate) receiver: UnboundedReceiver<Asked>,
}

/// Passes the questions of an agent or a program on to the agent that called it.
#[derive(Debug)]
pub struct Relay {
    sender: UnboundedSender<Asked>,
    /// True if the calls are shown as calls of the agent itself are.
    shows_calls: bool,
}

impl CallScope {
    /// Begins the log of an agent that the call of `tool` runs, below the call.
    pub fn begin_agent(&self, tool: &str) -> Result<Journal, LogError> {
        let mut journal = Journal::below(self.log.clone(), self.call);
        journal.append(Event::Agent {
            tool: tool.to_owned(),
        })?;
        Ok(journal)
    }

    /// The journal of a program that the call runs: below the call, or after the entry `last` of a
    /// run before.
    pub fn program(&self, last: Option<Id>) -> Journal {
        Journal::below(self.log.clone(), last.unwrap_or(self.call))
    }

    /// The lines of the call on the way to the root: one for each run that has begun it.
    pub fn lines(&self, session: &Session) -> Vec<Id> {
        let path = session.path_to(self.call);
        let Some(Event::Call(own)) = path.last().map(|entry| &entry.event) else {
            return Vec::new();
        };
        let is_same =
            |entry: &&&Entry| matches!(&entry.event, Event::Call(it) if it.call == own.call);
        path.iter().filter(is_same).map(|entry| entry.id).collect()
    }

    /// The agent whose call it is: its line, unless the session itself is the agent's.
    pub fn agent(&self, session: &Session) -> Option<Id> {
        let path = session.path_to(self.call);
        let mut agents = path.iter().rev();
        let agent = agents.find(|entry| matches!(entry.event, Event::Agent { .. }));
        agent.map(|entry| entry.id)
    }

    /// The scope of a call that a program makes, which has the line `call`.
    #[must_use]
    pub fn of_program(&self, call: Option<Id>, cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            call: call.unwrap_or(self.call),
            ..self.clone()
        }
    }

    /// Who answers the questions of an agent that the call runs.
    pub fn observer(&self) -> Relay {
        Relay {
            sender: self.questions.clone(),
            shows_calls: false,
        }
    }

    /// Who sees the calls of a program that the call runs, and answers its questions.
    pub fn program_observer(&self) -> Relay {
        Relay {
            shows_calls: true,
            ..self.observer()
        }
    }
}

impl Default for Questions {
    fn default() -> Self {
        let (sender, receiver) = unbounded_channel();
        Self { sender, receiver }
    }
}

impl Observer for Relay {
    fn on(&mut self, activity: &Activity<'_>) {
        let shown: Asked = match *activity {
            _ if !self.shows_calls => return,
            Activity::Call(call) => {
                let call = call.clone();
                Box::new(move |observer| observer.on(&Activity::Call(&call)))
            }
            Activity::Result { tool, result } => {
                let (tool, result) = (tool.to_owned(), result.clone());
                Box::new(move |observer| {
                    observer.on(&Activity::Result {
                        tool: &tool,
                        result: &result,
                    });
                })
            }
            _ => return,
        };
        let _ = self.sender.send(shown);
    }

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        let (answer, answers) = channel();
        let (tool, arguments) = (question.tool.to_owned(), question.arguments.clone());
        let (runs, approval) = (question.runs.map(str::to_owned), question.approval.clone());
        let _ = self.sender.send(Box::new(move |observer| {
            let _ = answer.send(observer.ask(&Question {
                tool: &tool,
                arguments: &arguments,
                runs: runs.as_deref(),
                approval: &approval,
            }));
        }));
        answers.recv().unwrap_or(Answer::NoTerminal)
    }

    fn ask_program(&mut self, question: &ProgramQuestion) -> ProgramAnswer {
        let (answer, answers) = channel();
        let question = question.clone();
        let _ = self.sender.send(Box::new(move |observer| {
            let _ = answer.send(observer.ask_program(&question));
        }));
        answers.recv().unwrap_or(ProgramAnswer::No(None))
    }
}
