//! `cogtools session rerun`: the tasks of a session, given to another model.

use std::sync::{Arc, Mutex, PoisonError};

use clap::{ArgMatches, Args};
use cogtools_agent::{
    Agent, AgentParts, AgentTool, CallResult, CallScope, Journal, Layers, Ledger, ModelArgs,
    ModelOptions, Permissions, ReadyCall, Requests, RunEnd, Settings, Silent, ToolTraits, Tools,
    begin_session, call_rules, connect, facts, load_tools, not_found, ready_call, stable_seed,
    task_of_user,
};
use cogtools_core::arguments::Arguments;
use cogtools_core::{Code, Context, Diagnostic, Registry, Target, Tool};
use cogtools_log::{
    CallEvent, EndStatus, Event, LogError, Outcome, ResultEvent, Session, Store, Timestamp,
};
use cogtools_model::Part;
use cogtools_program::args::{EnvArgs, LockedArg, RegistryArgs};
use cogtools_program::{EACH, Failure, Io, project};
use serde_json::{Map, Value, json};

use crate::locate::SessionArg;

#[derive(Args)]
#[group(skip)]
pub(crate) struct RerunArgs {
    #[command(flatten)]
    session: SessionArg,
    #[command(flatten)]
    _model: ModelArgs,
    /// Answer calls with the results in the session, or run the tools
    #[arg(long, value_name = "SOURCE", value_parser = ["recorded", "live"])]
    #[arg(default_value = "recorded")]
    tools: String,
    /// Run calls of these tools without a question
    #[arg(long, value_name = "PATTERN")]
    allow: Vec<String>,
    #[command(flatten)]
    env: EnvArgs,
    #[command(flatten)]
    locked: LockedArg,
}

/// Gives the tasks of a session to the model of the command line, in a new session, and prints the
/// name of that.
pub(crate) fn rerun(
    args: &RerunArgs,
    matches: &ArgMatches,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let project = project::project(io);
    let config = project::config(&project, io)?;
    let mut options = ModelOptions::of_model(matches)?;
    options.configure(&config.ask)?;
    let model = options.model()?;
    let opened = args.session.read(io)?;
    let tasks = tasks(&opened.session);
    if tasks.is_empty() {
        return Err(opened.lacks("task").into());
    }
    io.keep_sessions();
    let cancel = io.signals.begin_with_second();
    let registry = RegistryArgs {
        env: args.env,
        locked: args.locked,
        ..RegistryArgs::default()
    };
    let (registry, context) = project::registry_and_context(&registry, io, Some(Target::Gemini))?;
    let layers = Layers::load(&config, &project, true, io)?;
    let mut cx = context.context(io).ended_by(&cancel);
    cx.call.todos = Some(layers.todos.clone());
    cx.call.rules = Some(Arc::new(call_rules(&config.ask, (&args.allow, &[]))));
    let recorded = (args.tools == "recorded").then(|| Mutex::new(recorded(&opened.session)));
    let api = options.provider.target();
    let (tools, diagnostics) = RerunTools::load(&registry, cx, recorded, api);
    io.warn(&diagnostics, &EACH);
    let facts = facts(&config.ask, &model)?;
    let names = tools.all.iter().map(|(_, declared)| declared.name.as_str());
    let generation = options.generation(|| Some(stable_seed(&model, &tasks[0])));
    let settings = Settings {
        permissions: Permissions::new(&config.ask, &args.allow, &[], names),
        ..Settings::new(model.clone(), generation, facts, &config.ask)
    };
    let source = connect(&options, io)?;
    let begun = begin_session(None, &model, io)?;
    let (log, new) = begun.ok_or_else(Store::missing)?;
    let requests = Requests::new()?;
    let mut silent = Silent;
    let mut agent = Agent::new(AgentParts {
        model: &*source,
        tools: Arc::new(tools),
        journal: Journal::new(log),
        system: layers.system()?,
        dynamic: layers.dynamic(Timestamp::now().to_string())?,
        settings,
        ledger: Ledger::new(options.budget),
        observer: &mut silent,
        cancel,
    });
    let ended = requests.wait(async {
        let mut last = None;
        for task in tasks {
            let end = agent.run(task).await?;
            let is_completed = end.status == EndStatus::Completed;
            last = Some(end);
            if !is_completed {
                break;
            }
        }
        Ok(last)
    });
    io.show(&format!("{}\n", new.name()))?;
    let ended: Result<_, LogError> = ended.transpose();
    let ended = ended.map_err(Box::<Diagnostic>::from)?;
    ended.flatten().map_or(Ok(()), |end| failure(&end, &model))
}

/// The failure of a run that the model did not complete.
fn failure(end: &RunEnd, model: &str) -> Result<(), Failure> {
    match end.failure(model) {
        _ if end.status == EndStatus::Cancelled => Err(Failure::Reported(130)),
        Some(failure) if failure.code == Code::AnswerCut => {
            Err(failure.hint(end.cut_hint()).into())
        }
        Some(failure) => Err(failure.into()),
        None => Ok(()),
    }
}

/// The tasks of the branch that was written to last.
fn tasks(session: &Session) -> Vec<Vec<Part>> {
    let branch = session.branch(session.head());
    let tasks = branch.iter().filter_map(|entry| match &entry.event {
        Event::Task { parts } => Some(task_of_user(parts)),
        _ => None,
    });
    tasks.collect()
}

/// A call with its result.
type Recorded = (CallEvent, ResultEvent);

/// The calls of a session that reached a tool, in order, with the calls of programs.
fn recorded(session: &Session) -> Vec<Recorded> {
    let calls = Session::calls(session.nodes()).into_iter();
    let calls = calls.filter_map(|(call, result)| {
        let outcome = &result?.outcome;
        let has_run = *outcome != Outcome::Cancelled && !outcome.is_rejection();
        has_run.then_some((call.clone(), result?.clone()))
    });
    calls.collect()
}

/// A recorded result as the model gets it.
fn result_of(recorded: &ResultEvent) -> CallResult {
    let content = &recorded.content;
    let code = match &recorded.outcome {
        Outcome::Failed { code } => code.as_str(),
        Outcome::TimedOut => Code::Timeout.name(),
        Outcome::Denied => Code::Denied.name(),
        Outcome::Succeeded | Outcome::Cancelled => {
            return CallResult::new(content["output"].clone(), recorded.files.clone().into());
        }
    };
    let failed = json!({"code": code, "message": content["error"]});
    let failed = Diagnostic::from_json(failed.to_string().as_bytes());
    let unknown = || Diagnostic::new(Code::ToolFailed, content.to_string());
    CallResult::Failed(vec![failed.unwrap_or_else(unknown)])
}

/// The tools of the project, whose results may come from a session.
struct RerunTools {
    all: Vec<(Arc<Tool>, AgentTool)>,
    cx: Context,
    /// The calls whose results are not used yet; none if the tools run.
    recorded: Option<Mutex<Vec<Recorded>>>,
}

impl RerunTools {
    fn load(
        registry: &Registry,
        cx: Context,
        recorded: Option<Mutex<Vec<Recorded>>>,
        api: Target,
    ) -> (Self, Vec<Diagnostic>) {
        let (all, diagnostics) = load_tools(registry, |tool| {
            let mut declared = AgentTool::declare(&tool, api)?;
            if recorded.is_some() {
                declared.traits = ToolTraits {
                    is_pure: true,
                    ..ToolTraits::default()
                };
            }
            Ok((Arc::new(tool), declared))
        });
        (Self { all, cx, recorded }, diagnostics)
    }
}

impl Tools for RerunTools {
    fn list(&self) -> Vec<AgentTool> {
        self.all
            .iter()
            .map(|(_, declared)| declared.clone())
            .collect()
    }

    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let found = self.all.iter().find(|(_, declared)| declared.name == name);
        let Some((tool, _)) = found else {
            let names = self.all.iter().map(|(_, declared)| declared.name.as_str());
            return Err(vec![not_found(name, names)]);
        };
        let sent = Value::Object(arguments.clone());
        let accepted = tool
            .accept(Arguments::from(arguments))
            .map_err(|error| error.diagnostics(tool))?;
        let resolved = Value::Object(accepted.as_object().clone());
        let Some(recorded) = &self.recorded else {
            let run = ready_call(Arc::clone(tool), accepted, &self.cx, self.cx.clone())?;
            return Ok((run, resolved));
        };
        let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |(call, _): &Recorded| {
            call.tool == name && (call.arguments == sent || *call.resolved() == resolved)
        };
        let result = match recorded.iter().position(is_same) {
            Some(index) => result_of(&recorded.remove(index).1),
            None => CallResult::Failed(vec![
                Diagnostic::new(Code::ToolFailed, "no recorded result").with_subject(name),
            ]),
        };
        Ok((Box::new(move |_: &CallScope| result), resolved))
    }
}
