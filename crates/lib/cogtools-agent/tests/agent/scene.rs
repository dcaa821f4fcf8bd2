//! An agent with a script, tools and a log in a scratch project.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cogtools_agent::{
    Activity, Agent, AgentParts, AgentTool, Answer, Budget, CallResult, CallScope, Journal, Ledger,
    Observer, Question, ReadyCall, RunEnd, Settings, Situation, ToolTraits, Tools, render_dynamic,
};
use cogtools_core::tool::Annotations;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_log::{Event, Header, Log, Options, Session, SessionFile, SessionId, Timestamp};
use cogtools_model::{Part, RetryPolicy};
use cogtools_test_support::Project;
use serde_json::{Map, Value, json};

use crate::script::{Reply, Script};

/// Behaviour of a tool.
type Work = Arc<dyn Fn(&Map<String, Value>, &Cancel) -> CallResult + Send + Sync>;

/// The tools of a scene.
#[derive(Clone, Default)]
pub(crate) struct Kit {
    tools: Vec<(AgentTool, Work)>,
    /// The arguments of all calls that ran, in the order of their begin.
    pub(crate) ran: Arc<Mutex<Vec<Value>>>,
}

/// An agent and its surroundings.
pub(crate) struct Scene {
    pub(crate) project: Project,
    pub(crate) model: Script,
    pub(crate) kit: Kit,
    pub(crate) settings: Settings,
    pub(crate) budget: Budget,
    /// The ledger of whatever runs it.
    pub(crate) caller: Option<Ledger>,
    /// The state of the world at the next task.
    pub(crate) situation: Situation,
    pub(crate) watcher: Watcher,
    pub(crate) cancel: Cancel,
}

/// Notes what happens, and answers questions in turn.
#[derive(Default)]
pub(crate) struct Watcher {
    pub(crate) answers: Vec<Answer>,
    pub(crate) questions: Vec<String>,
    /// The commands that questions name.
    pub(crate) commands: Vec<String>,
    pub(crate) text: String,
    pub(crate) repetitions: usize,
    pub(crate) retries: usize,
    /// The numbers of tasks that summaries replaced, and the reasons why none did.
    pub(crate) compactions: Vec<String>,
    /// Cancels the run at the first text.
    pub(crate) cancel_at_text: Option<Cancel>,
    /// Cancels the run at the first question without an answer.
    pub(crate) cancel_at_pause: Option<Cancel>,
}

impl Observer for Watcher {
    fn on(&mut self, activity: &Activity<'_>) {
        match activity {
            Activity::Text(text) => {
                self.text.push_str(text);
                if let Some(cancel) = &self.cancel_at_text {
                    cancel.cancel();
                }
            }
            Activity::Repetition => self.repetitions += 1,
            Activity::Retry { .. } => self.retries += 1,
            Activity::Compacted { tasks } => self.compactions.push(format!("replaced {tasks}")),
            Activity::NotCompacted(reason) => self.compactions.push((*reason).to_owned()),
            _ => {}
        }
    }

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        self.questions
            .push(format!("{} {}", question.tool, question.arguments));
        self.commands.extend(question.runs.map(str::to_owned));
        if self.answers.is_empty() {
            return Answer::NoTerminal;
        }
        let answer = self.answers.remove(0);
        if let Some(cancel) = self.cancel_at_pause.take_if(|_| answer == Answer::Pause) {
            cancel.cancel();
        }
        answer
    }
}

impl Tools for Kit {
    fn list(&self) -> Vec<AgentTool> {
        self.tools.iter().map(|(tool, _)| tool.clone()).collect()
    }

    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let found = self.tools.iter().find(|(tool, _)| tool.name == name);
        let Some((_, work)) = found else {
            let diagnostic = Diagnostic::new(Code::ToolNotFound, "there is no tool of that name");
            return Err(vec![diagnostic.with_subject(name)]);
        };
        if arguments.contains_key("wrong") {
            let diagnostic = Diagnostic::new(Code::SchemaViolation, "unknown argument `wrong`");
            return Err(vec![diagnostic.with_subject(name).hint("leave it out")]);
        }
        let (work, ran) = (Arc::clone(work), Arc::clone(&self.ran));
        let resolved = Value::Object(arguments.clone());
        let run = move |scope: &CallScope| {
            let value = Value::Object(arguments.clone());
            ran.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(value);
            work(&arguments, &scope.cancel)
        };
        Ok((Box::new(run), resolved))
    }
}

/// A tool that changes nothing.
pub(crate) const PURE: ToolTraits = ToolTraits {
    annotations: Annotations {
        read_only: None,
        destructive: None,
        idempotent: None,
        open_world: None,
    },
    is_pure: true,
    is_foreign: false,
    is_program: false,
    is_uncounted: false,
    asks: false,
};

/// A program.
pub(crate) const PROGRAM: ToolTraits = ToolTraits {
    is_pure: false,
    ..PURE
};

impl Scene {
    /// A model that plays `replies`; a pure tool `echo` and a program `act`, which both return
    /// their argument `x`.
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let settings = Settings {
            retry: RetryPolicy {
                max_attempts: 3,
                first_wait: Duration::from_millis(1),
                max_wait: Duration::from_millis(1),
            },
            ..Settings::default()
        };
        let echo = |arguments: &Map<String, Value>, _: &Cancel| {
            CallResult::Output(arguments.get("x").cloned().unwrap_or_default())
        };
        Self {
            project: Project::new(),
            model: Script::new(replies),
            kit: Kit::default(),
            settings,
            budget: Budget::default(),
            caller: None,
            situation: Situation::default(),
            watcher: Watcher::default(),
            cancel: Cancel::default(),
        }
        .tool("echo", PURE, echo)
        .tool("act", PROGRAM, echo)
    }

    /// Adds a tool.
    pub(crate) fn tool(
        mut self,
        name: &str,
        traits: ToolTraits,
        work: impl Fn(&Map<String, Value>, &Cancel) -> CallResult + Send + Sync + 'static,
    ) -> Self {
        let tool = AgentTool {
            name: name.to_owned(),
            declaration: json!({"name": name, "description": name}),
            traits,
            runs: Some(format!("run {name}")),
        };
        self.kit.tools.push((tool, Arc::new(work)));
        self
    }

    /// Gives a task, in a new session or in the one that there is.
    pub(crate) fn run(&mut self, task: &str) -> RunEnd {
        self.with_agent(async |agent| agent.run(vec![Part::text_of(task)]).await)
    }

    /// Goes on without a task.
    pub(crate) fn resume(&mut self) -> RunEnd {
        self.with_agent(async |agent| agent.resume().await)
    }

    fn with_agent(
        &mut self,
        work: impl AsyncFnOnce(&mut Agent<'_>) -> Result<RunEnd, cogtools_log::LogError>,
    ) -> RunEnd {
        let journal = self.journal();
        let mut agent = Agent::new(AgentParts {
            model: &self.model,
            tools: Arc::new(self.kit.clone()),
            journal,
            system: None,
            dynamic: render_dynamic(None, &self.situation).expect("JSON"),
            settings: self.settings.clone(),
            ledger: match &self.caller {
                Some(caller) => caller.within(self.budget),
                None => Ledger::new(self.budget),
            },
            observer: &mut self.watcher,
            cancel: self.cancel.clone(),
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime
            .block_on(work(&mut agent))
            .expect("the log is written")
    }

    fn journal(&self) -> Journal {
        let file = self.file();
        if file.path().exists() {
            let (log, session) = Log::open(&file, Options::default()).expect("a session");
            return Journal::resume(log, &session, None);
        }
        let time = Timestamp::from_millis(0);
        let header = Header::new(SessionId::random(), time, "project", "model");
        Journal::new(Log::create(&file, &header, Options::default()).expect("a new session"))
    }

    pub(crate) fn file(&self) -> SessionFile {
        let root = self.project.root();
        SessionFile::named(&root, &root, Path::new("session.jsonl"))
    }

    /// Appends an event to the log, as a program does that answers a question.
    pub(crate) fn append(&self, event: Event) {
        self.journal().append(event).expect("the log is written");
    }

    /// All events of the log.
    pub(crate) fn events(&self) -> Vec<Event> {
        let session = Session::read(&self.file()).expect("a session");
        session
            .entries
            .into_iter()
            .map(|entry| entry.event)
            .collect()
    }

    /// The responses of all results in the log, with their outcome.
    pub(crate) fn results(&self) -> Vec<Value> {
        let results = self.events().into_iter().filter_map(|event| match event {
            Event::Result(ended) => {
                let mut result = json!(ended.outcome);
                result["content"] = ended.content;
                Some(result)
            }
            _ => None,
        });
        results.collect()
    }

    /// The arguments of the calls that ran.
    pub(crate) fn ran(&self) -> Vec<Value> {
        let ran = self.kit.ran.lock();
        ran.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The contents of the last request.
    pub(crate) fn last_contents(&self) -> Value {
        self.model.contents().pop().unwrap_or_default()
    }
}
