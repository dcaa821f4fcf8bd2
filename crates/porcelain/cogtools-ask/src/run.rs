//! A run: everything is put together, and one task, or a conversation, begins.

use std::sync::Arc;

use cogtools_agent::{
    Connection, Layers, Ledger, ModelFacts, Permissions, Settings, State, budget_of, call_rules,
    connect, diagnostic, runtime, stable_seed,
};
use cogtools_code::CodeTools;
use cogtools_core::environment::SHARED_MONEY;
use cogtools_core::todo::TodoList;
use cogtools_core::{AskConfig, Cancel, Code, Config, Diagnostic, Project, Target, Threshold};
use cogtools_log::{Entry, Event, Session};
use cogtools_model::{Content, Generation, ModelInfo, Part};
use cogtools_program::{EACH, Failure, Io, dirs, project};
use serde_json::json;

use crate::answer_schema::AnswerSchema;
use crate::args::{Action, AskArgs, OutputFormat};
use crate::conversation::Conversation;
use crate::decisions::Decider;
use crate::tools::{Agents, ProjectTools};
use crate::worker::{Materials, Worker};
use crate::{dry_run, prompt, tools, worker};

/// Does what the command line says.
pub(crate) fn run(mut args: AskArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project::project(io);
    let config = project::config(&project, io)?;
    args.model.configure(&config.ask)?;
    args.model.check_session(args.session.as_deref(), io)?;
    let args = &args;
    if args.action() == Action::Models {
        return list_models(args, io);
    }
    let agent = (args.action() == Action::Agent).then(|| tools::read_agent(io));
    let agent = agent.transpose()?;
    let task = match &agent {
        Some(agent) => vec![Part::text_of(agent.prompt.as_str())],
        // Standard input is the program.
        None if args.edit.is_some() => Vec::new(),
        None => prompt::task_parts(args, io)?,
    };
    let may_be_empty = args.is_answer() || args.resume || Conversation::is_possible(args, io);
    if task.is_empty() && !may_be_empty {
        return Err(no_task(io));
    }
    // The first signal stops the turn, and what there is of it is kept; the second one ends all.
    let cancel = io.signals.begin_with_second();
    let todos = TodoList::default();
    let tools = tools(args, (&config.ask, &project), &cancel, &todos, io)?;
    let materials = match &agent {
        Some(agent) => tools::agent_materials(agent, args, &config, &project, (tools, cancel), io)?,
        None => materials(args, &config, &project, (tools, cancel, todos), io)?,
    };
    if args.action() == Action::DryRun {
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
        api: args.model.provider.target(),
    }));
    if task.is_empty()
        && let Some(conversation) = Conversation::at_terminal(args, &materials, io)
    {
        return conversation.hold(args, materials, &connection, io);
    }
    let ledger = Ledger::new(args.model.budget);
    match agent {
        Some(agent) => {
            let ledger = match dirs::trusted_var(io, SHARED_MONEY) {
                Some(folder) => ledger.shared_in(folder),
                None => ledger,
            };
            let ledger = ledger.within(budget_of(agent.budget));
            let ended = answer_once(args, (task, ledger), materials, &connection, io);
            ended.map_err(tools::without_hints)
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
    if task.is_empty() && worker::existing(args, materials.project, io)?.is_none() {
        return Err(no_task(io));
    }
    let mut opened = worker::open_session(args, model, materials.project, io)?;
    if task.is_empty() && opened.journal.conversation().turns().is_empty() {
        return Err(no_task(io));
    }
    let is_done = !args.is_answer() && opened.journal.state().is_done();
    if task.is_empty() && is_done && !args.quiet {
        io.note("there is no task: this is the last answer");
    }
    Decider::new(args, &materials.tools, &mut opened).decide(io)?;
    let worker = Worker::new(materials, connection, opened, ledger)?;
    let (_, summary) = worker.work(args, task, io)?;
    summary.report(args, io)
}

/// The tools of the project, which share the list of `todos`.
fn tools(
    args: &AskArgs,
    (ask, project): (&AskConfig, &Project),
    cancel: &Cancel,
    todos: &TodoList,
    io: &mut Io<'_>,
) -> Result<ProjectTools, Failure> {
    let (registry, context) =
        project::registry_and_context(&args.registry, io, Some(Target::Gemini))?;
    let skills = project::skills(project, registry.plugins(), args.quiet, io);
    let registry = registry.with_skills(skills);
    let mut cx = context.context(io).ended_by(cancel);
    cx.call.todos = Some(todos.clone());
    cx.call.rules = Some(Arc::new(call_rules(ask, (&args.allow, &args.deny))));
    let api = args.model.provider.target();
    let (tools, diagnostics) = ProjectTools::load(registry, cx, api);
    if !args.quiet {
        io.warn(&diagnostics, &EACH);
    }
    // An agent has the tools that its file names.
    if args.action() == Action::Agent {
        return Ok(tools);
    }
    let mut threshold = args.code;
    if threshold.is_none() && has_programs(args, project, io)? {
        threshold = Some(Threshold::Tokens(0));
    }
    let threshold = threshold.or(ask.code);
    Ok(tools.in_code(threshold, ask, [&args.allow, &args.deny], api)?)
}

/// Returns true if the session that goes on has calls that run programs.
fn has_programs(args: &AskArgs, project: &Project, io: &Io<'_>) -> Result<bool, Failure> {
    let Some(file) = worker::existing(args, project, io)? else {
        return Ok(false);
    };
    let session = Session::read(&file).map_err(Box::<Diagnostic>::from)?;
    let state = State::new(&session, args.from);
    let mut open = state.conversation.open_calls().iter();
    let path = state.head.map(|head| session.path_to(head));
    let mut path = path.unwrap_or_default().into_iter();
    let is_run =
        |entry: &Entry| matches!(&entry.event, Event::Call(call) if call.tool == CodeTools::RUN);
    Ok(open.any(|open| open.tool == CodeTools::RUN) || path.any(is_run))
}

/// Collects the inputs of a run.
fn materials<'a>(
    args: &AskArgs,
    config: &Config,
    project: &'a Project,
    (tools, cancel, todos): (ProjectTools, Cancel, TodoList),
    io: &mut Io<'_>,
) -> Result<Materials<'a>, Failure> {
    let read = |path| AnswerSchema::read(path, io);
    let schema = args.schema.as_deref().map(read).transpose()?;
    let settings = settings(args, &config.ask, schema.as_ref(), &tools)?;
    let mut layers = Layers::load(config, project, args.quiet, io)?;
    layers.todos = todos;
    let project_system = layers.system()?;
    let texts = project_system.iter().map(|system| system.text());
    let system = tools.system(texts.chain(args.system.clone()).collect());
    Ok(Materials {
        project,
        system,
        tools: Arc::new(tools),
        layers,
        settings,
        schema,
        cancel,
    })
}

fn no_task(io: &Io<'_>) -> Failure {
    let mut diagnostic = Diagnostic::new(Code::Usage, "there is no task");
    if io.stdin.is_terminal() && !io.moves_cursor() {
        diagnostic = diagnostic.hint("TERM names no terminal in which a conversation can be held");
    }
    diagnostic
        .hint("cogtools ask \"Why does this fail?\"")
        .hint("git diff | cogtools ask \"Review this\"")
        .into()
}

/// The hint for a limit of money without prices.
const PRICES: &str = "name a file with prices in the key `ask.prices` of your own configuration";

/// Looks up `model`, whose prices a limit of money needs.
pub(crate) fn facts(args: &AskArgs, ask: &AskConfig, model: &str) -> Result<ModelFacts, Failure> {
    let facts = cogtools_agent::facts(ask, model)?;
    if args.model.budget.money.is_some() && facts.price.is_none() {
        let message = "a limit of money needs the prices of the model";
        let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(model);
        return Err(diagnostic.hint(PRICES).into());
    }
    Ok(facts)
}

/// The settings of a run. Each task has its own [`seed`].
pub(crate) fn settings(
    args: &AskArgs,
    ask: &AskConfig,
    schema: Option<&AnswerSchema>,
    tools: &ProjectTools,
) -> Result<Settings, Failure> {
    let model = args.model.model()?;
    let generation = Generation {
        response_json_schema: schema.map(AnswerSchema::to_value),
        include_thoughts: args.verbose,
        rest: args.generation()?,
        ..args.model.generation(|| None)
    };
    let facts = facts(args, ask, &model)?;
    Ok(Settings {
        permissions: permissions(args, ask, tools),
        ..Settings::new(model, generation, facts, ask)
    })
}

/// Which calls may run.
pub(crate) fn permissions(args: &AskArgs, ask: &AskConfig, tools: &ProjectTools) -> Permissions {
    Permissions::new(ask, &args.allow, &args.deny, tools.names())
}

/// The seed of the requests for `task`, or for the last one of `conversation` if that is empty.
/// The same task gets the same one: a hash of the model and the task (FNV-1a), unless the command
/// line names another.
pub(crate) fn seed(
    args: &AskArgs,
    model: &str,
    task: &[Part],
    conversation: &cogtools_agent::Conversation,
) -> i32 {
    let last = conversation.last_task().map(Content::parts);
    let task = if task.is_empty() {
        last.unwrap_or_default()
    } else {
        task
    };
    args.model.seed.unwrap_or_else(|| stable_seed(model, task))
}

/// Prints the models of the provider: names, one per line, or JSON.
pub(crate) fn list_models(args: &AskArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let model = connect(&args.model, io)?;
    let runtime = runtime().map_err(|error| *error)?;
    let models = runtime.block_on(model.models());
    let models = models
        .map_err(|error| Failure::from(diagnostic::diagnostic(&error, "the list of models")))?;
    if args.format() == OutputFormat::Text {
        let names = models.iter().map(|model| model.name.as_str());
        let lines: Vec<&str> = names.flat_map(|name| [name, "\n"]).collect();
        return io.show(&lines.concat());
    }
    let entry = |model: &ModelInfo| {
        json!({
            "name": model.name,
            "title": model.title,
            "inputTokens": model.input_tokens,
            "outputTokens": model.output_tokens,
        })
    };
    let entries: Vec<_> = models.iter().map(entry).collect();
    io.show_json(&format!("{}\n", json!({ "models": entries })))
}
