//! The work on tasks: everything that a session needs, from its log to the tools.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use cogtools_agent::{
    Agent, AgentParts, Connection, Journal, Layers, Ledger, Requests, RunEnd, Settings, Tools as _,
    WaitingCall, check_session_owner, create_session, locate_session, log_options, session_named,
};
use cogtools_code::question_lines;
use cogtools_core::{Cancel, Code, Diagnostic, Project};
use cogtools_log::{EndStatus, Log, LogError, Session, SessionFile, SessionId, Store};
use cogtools_model::{Content, Part};
use cogtools_program::{Failure, Io, dirs};

use crate::answer_schema::{self, AnswerSchema};
use crate::args::{Action, AskArgs};
use crate::display::Display;
use crate::summary::{self, Summary};
use crate::tools::ProjectTools;

/// Inputs of a run that do not depend on the session.
pub(crate) struct Materials<'a> {
    pub(crate) project: &'a Project,
    pub(crate) tools: Arc<ProjectTools>,
    pub(crate) layers: Layers,
    /// Instructions.
    pub(crate) system: Option<Arc<Content>>,
    pub(crate) settings: Settings,
    pub(crate) schema: Option<AnswerSchema>,
    pub(crate) cancel: Cancel,
}

/// Works on the tasks of a session, one after the other.
pub(crate) struct Worker<'a> {
    pub(crate) materials: Materials<'a>,
    connection: Arc<Connection>,
    requests: Requests,
    pub(crate) journal: Journal,
    pub(crate) ledger: Ledger,
    session: String,
    /// True if old turns are replaced by a summary before the next task.
    pub(crate) is_compacting: bool,
    /// Tools that the user has approved for the whole run.
    approved: HashSet<String>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        materials: Materials<'a>,
        connection: &Arc<Connection>,
        session: OpenSession,
        ledger: Ledger,
    ) -> Result<Self, Failure> {
        Ok(Self {
            materials,
            connection: Arc::clone(connection),
            requests: Requests::new()?,
            journal: session.journal,
            ledger,
            session: session.name,
            is_compacting: false,
            approved: HashSet::new(),
        })
    }

    /// Sets the seed of the next tasks, and returns the one before.
    pub(crate) const fn set_seed(&mut self, seed: Option<i32>) -> Option<i32> {
        std::mem::replace(&mut self.materials.settings.request.generation.seed, seed)
    }

    /// The currency of the model's prices, if they are known.
    pub(crate) fn currency(&self) -> Option<&str> {
        let price = self.materials.settings.price.as_ref();
        price.map(|price| price.currency.as_str())
    }

    /// The session and what it has used, in a line.
    pub(crate) fn note(&self) -> String {
        summary::note(&self.session, &self.ledger.spent(), self.currency())
    }

    /// Goes on after a pause, which is not a part of the run's time.
    #[must_use]
    pub(crate) fn after_pause(self, pause: Duration) -> Self {
        Self {
            ledger: self.ledger.after_pause(pause),
            ..self
        }
    }

    /// Works on `task`, or goes on with what the session has begun if that is empty.
    pub(crate) fn work(
        mut self,
        args: &AskArgs,
        task: Vec<Part>,
        io: &mut Io<'_>,
    ) -> Result<(Self, Summary), Failure> {
        let materials = &self.materials;
        let now = self.connection.time(self.journal.log().now());
        let todos = self.journal.state().todos();
        materials.layers.todos.set(todos.to_vec());
        let dynamic = materials.layers.dynamic(now)?;
        let mut settings = materials.settings.clone();
        let model = settings.request.model.clone();
        let conversation = self.journal.conversation();
        let seed = &mut settings.request.generation.seed;
        *seed = seed.or_else(|| Some(crate::run::seed(args, &model, &task, conversation)));
        let is_waiting = task.is_empty() && self.journal.state().waits();
        let cancel = (materials.cancel.clone(), is_waiting);
        let mut display = Display::new(io, args, &mut self.approved, cancel);
        let mut agent = Agent::new(AgentParts {
            model: self.connection.model(),
            tools: Arc::clone(&materials.tools) as _,
            dynamic,
            journal: self.journal,
            system: materials.system.clone(),
            settings,
            ledger: self.ledger.clone(),
            observer: &mut display,
            cancel: materials.cancel.clone(),
        });
        let schema = materials.schema.as_ref();
        let is_compacting = std::mem::take(&mut self.is_compacting);
        let ended = self.requests.wait(async {
            if is_compacting {
                agent.compact().await?;
            }
            run(&mut agent, task, schema).await
        });
        let tools = materials.tools.list();
        let state = agent.journal.state();
        let mut open: Vec<_> = state.conversation.open_calls().iter().collect();
        if !agent.waiting.is_empty() {
            // The program itself has begun.
            open.retain(|call| !call.has_started);
        }
        let paused = open.into_iter().map(|call| {
            let id = call.id.as_str();
            let arguments = call.resolved.as_ref().unwrap_or(&call.arguments);
            let about = if let Some(program) = materials.tools.question(&call.tool, arguments) {
                let calls = program.calls.join("\n");
                format!("{id}: {}\n{}\n{calls}", call.tool, program.code.trim_end())
            } else {
                let runs = tools.iter().find(|tool| tool.name == call.tool);
                let runs = runs.and_then(|tool| tool.runs.as_deref());
                let question = question_lines(state.question(&call.id), runs);
                format!("{id}: {} {}{question}", call.tool, call.arguments)
            };
            WaitingCall {
                call: call.id.clone(),
                about,
                code: Code::ApprovalWanted,
            }
        });
        let waiting = agent.waiting.iter().map(|one| WaitingCall {
            about: format!("{}: {}", one.call, one.about),
            ..one.clone()
        });
        let paused: Vec<WaitingCall> = paused.chain(waiting).collect();
        self.journal = agent.journal;
        let ended = ended.transpose().map_err(Box::<Diagnostic>::from)?;
        let Some((end, rejection)) = ended else {
            return Err(Failure::Reported(1));
        };
        if end.status == EndStatus::Completed {
            display.answer(&end.text);
        }
        let collected = display.finish()?;
        self.connection.save()?;
        let summary = Summary {
            end,
            rejection,
            session: self.session.clone(),
            model,
            spent: self.ledger.spent(),
            calls: collected.calls,
            files: collected.files,
            paused,
            decided: args.decided(),
            has_schema: schema.is_some(),
            currency: self.currency().map(str::to_owned),
            elapsed: self.ledger.elapsed(),
        };
        Ok((self, summary))
    }
}

/// Works on `task`. An answer that does not match the schema goes back to the model once; returns
/// why the last one is of no use, if it is, or why the run cannot go on.
pub(crate) async fn run(
    agent: &mut Agent<'_>,
    task: Vec<Part>,
    schema: Option<&AnswerSchema>,
) -> Result<(RunEnd, Option<Diagnostic>), LogError> {
    let mut end = if task.is_empty() {
        agent.resume().await?
    } else {
        agent.run(task).await?
    };
    if let Some(stopped) = agent.stopped.take() {
        return Ok((end, Some(stopped)));
    }
    let violations = |end: &mut RunEnd| {
        let schema = schema.filter(|_| end.status == EndStatus::Completed);
        match schema.map(|schema| schema.accept(&end.text)) {
            Some(Err(violations)) => return violations,
            Some(Ok(answer)) => end.text = answer,
            None => {}
        }
        Vec::new()
    };
    let mut found = violations(&mut end);
    // What was cut off would be cut off again.
    if !found.is_empty() && !end.is_cut_off() {
        end = agent.correct(answer_schema::correction(&found)).await?;
        found = violations(&mut end);
    }
    if found.is_empty() {
        return Ok((end, None));
    }
    let diagnostic = answer_schema::diagnostic(&found, agent.model_name());
    end.status = agent.reject_answer(&diagnostic)?;
    Ok((end, Some(diagnostic)))
}

/// A session that was opened.
pub(crate) struct OpenSession {
    pub(crate) journal: Journal,
    /// The word for it on a command line: an identifier, or a path.
    pub(crate) name: String,
}

/// Opens the session that the command line names.
pub(crate) fn open_session(
    args: &AskArgs,
    model: &str,
    project: &Project,
    io: &Io<'_>,
) -> Result<OpenSession, Failure> {
    let (file, exists) = locate(args, project, io)?;
    let journal = if exists {
        check_session_owner(&file, project, io)?;
        let opened = Log::open(&file, log_options(io));
        let (log, session) = opened.map_err(Box::<Diagnostic>::from)?;
        check_branch(args, &session)?;
        let journal = Journal::resume(log, &session, args.from);
        // Whoever can write the file could have written that the user has approved a call.
        let path = file.path();
        if dirs::state_dir(io).is_some_and(|folder| path.starts_with(folder)) {
            journal
        } else {
            journal.without_grants()
        }
    } else {
        let of_tool = args.action() == Action::Agent;
        let log = create_session(&file, model, of_tool, io);
        Journal::new(log.map_err(Box::<Diagnostic>::from)?)
    };
    let name = file.name();
    Ok(OpenSession { journal, name })
}

/// The file of the session that goes on, if one does.
pub(crate) fn existing(
    args: &AskArgs,
    project: &Project,
    io: &Io<'_>,
) -> Result<Option<SessionFile>, Failure> {
    if args.session.is_none() && !args.goes_on() {
        return Ok(None);
    }
    let (file, exists) = locate(args, project, io)?;
    Ok(exists.then_some(file))
}

/// The file of the session, and whether it goes on. One that has to go on need not exist: reading it
/// says so. With `--continue` alone a file may be new.
fn locate(args: &AskArgs, project: &Project, io: &Io<'_>) -> Result<(SessionFile, bool), Failure> {
    if let Some(path) = &args.session {
        let may_be_new = args.from.is_none() && !args.is_answer();
        if args.goes_on()
            && let Some(name) = path.to_str()
            && !(may_be_new && SessionFile::is_path(name))
        {
            return Ok((locate_session(Some(name), io)?, true));
        }
        let file = session_named(path, io);
        let metadata = file.path().symlink_metadata();
        return Ok((file, metadata.is_ok_and(|metadata| metadata.len() > 0)));
    }
    let store = Store::of(dirs::state_dir(io).as_deref(), project.root());
    let store = store.map_err(|none| none.hint("or name a file with --session"))?;
    if !args.goes_on() {
        let (_, file) = store.new_file().map_err(Box::<Diagnostic>::from)?;
        return Ok((file, false));
    }
    let unreadable = |error| Failure::from(store.unreadable(&error));
    if args.is_answer() {
        check_alone(&store.waiting().map_err(unreadable)?)?;
    }
    match store.newest(Some("task")).map_err(unreadable)? {
        Some(stored) => Ok((store.file(&stored.id), true)),
        None => Err(
            Diagnostic::new(Code::SessionNotFound, "this project has no session yet")
                .hint("leave out --continue to begin one")
                .into(),
        ),
    }
}

/// Fails if more than one session waits for an answer: their calls may have the same names.
fn check_alone(waiting: &[SessionId]) -> Result<(), Failure> {
    if waiting.len() < 2 {
        return Ok(());
    }
    let message = format!("{} sessions wait for an answer", waiting.len());
    let names = waiting.iter().map(|id| format!("--session {id}"));
    let names = names.collect::<Vec<_>>().join(", ");
    let diagnostic = Diagnostic::new(Code::Usage, message);
    Err(diagnostic.hint(format!("say which one: {names}")).into())
}

fn check_branch(args: &AskArgs, session: &Session) -> Result<(), Failure> {
    let Some(from) = args.from.filter(|from| session.entry(*from).is_none()) else {
        return Ok(());
    };
    let message = format!("the session has no entry {from}");
    Err(Diagnostic::new(Code::Usage, message)
        .hint("cogtools session tree shows the entries")
        .into())
}
