//! A run: everything is put together, and one task, or a conversation, begins.

use std::sync::Arc;

use cogtools_agent::{Connection, budget_of};
use cogtools_agent::{Journal, Ledger};
use cogtools_core::todo::TodoList;
use cogtools_core::{Cancel, Code, Config, Context, Diagnostic, Project, Target};
use cogtools_log::{Approval, CallId, Decision, Event, Why};
use cogtools_model::Part;
use cogtools_program::{EACH, Failure, Io, project};

use crate::agent_task::{self, Agents};
use crate::answer_schema::AnswerSchema;
use crate::args::{Action, AskArgs};
use crate::conversation::Conversation;
use crate::project_tools::ProjectTools;
use crate::prompt::Layers;
use crate::worker::{self, Materials, Worker};
use crate::{dry_run, models, session, settings, task};

/// Does what the command line says.
pub(crate) fn run(mut args: AskArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project::project(io);
    let config = project::config(&project, io)?;
    args.model.configure(&config.ask)?;
    let args = &args;
    if args.action == Action::Models {
        return models::list(args, io);
    }
    let agent = (args.action == Action::Agent).then(|| agent_task::read(io));
    let agent = agent.transpose()?;
    let task = match &agent {
        Some(agent) => vec![Part::text_of(agent.prompt.as_str())],
        None => task::parts(args, io)?,
    };
    let may_be_empty = args.is_answer() || args.resume || Conversation::is_possible(args, io);
    if task.is_empty() && !may_be_empty {
        return Err(no_task());
    }
    // The first signal stops the turn, and what there is of it is kept; the second one ends all.
    let cancel = io.signals.begin_with_second();
    let todos = TodoList::default();
    let tools = tools(args, &cancel, &todos, io)?;
    let materials = match &agent {
        Some(agent) => agent_task::materials(agent, args, &config, &project, (tools, cancel), io)?,
        None => materials(args, &config, &project, (tools, cancel, todos), io)?,
    };
    if args.action == Action::DryRun {
        return dry_run::print(args, task, materials, io);
    }
    let model = materials.settings.request.model.clone();
    let connection = Arc::new(Connection::open(&args.model, &model, &project, io)?);
    materials.tools.set_agents(Arc::new(Agents {
        connection: Arc::clone(&connection),
        registry: materials.tools.registry().clone(),
        config: config.ask.clone(),
        permissions: materials.settings.permissions.clone(),
        model: model.clone(),
    }));
    if task.is_empty()
        && let Some(conversation) = Conversation::at_terminal(args, &materials, io)
    {
        return conversation.hold(args, materials, &connection, io);
    }
    let ledger = Ledger::new(args.model.budget);
    match agent {
        Some(agent) => {
            let ledger = ledger.within(budget_of(agent.budget));
            let ended = answer_once(args, (task, ledger), materials, &connection, io);
            ended.map_err(agent_task::without_hints)
        }
        None => answer_once(args, (task, ledger), materials, &connection, io),
    }
}

/// Works on one task, or goes on with what the session has begun.
fn answer_once(
    args: &AskArgs,
    (task, ledger): (Vec<Part>, Ledger),
    materials: Materials<'_>,
    connection: &Arc<Connection>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let model = &materials.settings.request.model;
    let secrets = io.secrets();
    let mut opened = session::open(args, model, materials.project, secrets, io)?;
    if task.is_empty() && opened.journal.conversation().turns().is_empty() {
        return Err(no_task());
    }
    decide(&mut opened.journal, args)?;
    let worker = Worker::new(materials, connection, opened, ledger)?;
    let (_, summary) = worker.work(args, task, io)?;
    summary.report(args, io)
}

/// The tools of the project, which share the list of `todos`.
fn tools(
    args: &AskArgs,
    cancel: &Cancel,
    todos: &TodoList,
    io: &mut Io<'_>,
) -> Result<ProjectTools, Failure> {
    let (registry, context) =
        project::registry_and_context(&args.registry, io, Some(Target::Gemini))?;
    let cx = Context {
        cancel: cancel.clone(),
        todos: Some(todos.clone()),
        ..context.context(io)
    };
    let (tools, diagnostics) = ProjectTools::load(registry, cx);
    if !args.quiet {
        io.warn(&diagnostics, &EACH);
    }
    Ok(tools)
}

/// What a task is worked on with.
fn materials<'a>(
    args: &AskArgs,
    config: &Config,
    project: &'a Project,
    (tools, cancel, todos): (ProjectTools, Cancel, TodoList),
    io: &mut Io<'_>,
) -> Result<Materials<'a>, Failure> {
    let schema = args.schema.as_deref();
    let schema = schema
        .map(|path| AnswerSchema::read(path, io))
        .transpose()?;
    let settings = settings::settings(args, &config.ask, schema.as_ref(), &tools)?;
    let mut layers = Layers::load(config, project, args.quiet, io)?;
    layers.todos = todos;
    Ok(Materials {
        project,
        fixed: worker::fixed(layers.system()?, &tools, &settings),
        tools: Arc::new(tools),
        layers,
        settings,
        schema,
        cancel,
    })
}

/// Writes the user's answers to the log.
fn decide(journal: &mut Journal, args: &AskArgs) -> Result<(), Failure> {
    let granted = args.approve.iter().map(|call| (call, Decision::Granted));
    let denied = args.reject.iter().map(|call| (call, Decision::Denied));
    for (call, decision) in granted.chain(denied) {
        let id = CallId::new(call.as_str());
        let mut open = journal.conversation().open_calls().iter();
        if !open.any(|open| open.id == id) {
            let diagnostic =
                Diagnostic::new(Code::Usage, "the session does not wait for this call");
            return Err(diagnostic.with_subject(call.as_str()).into());
        }
        let approval = Approval::new(decision, Why::Answer);
        let event = Event::Decision { call: id, approval };
        journal
            .append(event)
            .map_err(|error| session::failure(&error))?;
    }
    Ok(())
}

fn no_task() -> Failure {
    Diagnostic::new(Code::Usage, "there is no task")
        .hint("cogtools ask \"Why does this fail?\"")
        .hint("git diff | cogtools ask \"Review this\"")
        .into()
}
