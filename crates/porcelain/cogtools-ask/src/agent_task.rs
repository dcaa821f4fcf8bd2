//! Tools that are agents: what their files say, as settings of a run, and their calls by another
//! agent.

use std::sync::Arc;
use std::time::Duration;

use cogtools_agent::{
    Agent, AgentParts, Budget, CallScope, Permissions, RequestOptions, RunEnd, Settings,
};
use cogtools_agent::{Connection, budget_of, facts, limit_name, recorded_model, stable_seed};
use cogtools_core::tool::AgentTask;
use cogtools_core::{
    AskConfig, Cancel, Code, Config, Context, Diagnostic, Limit, Project, Registry,
};
use cogtools_log::{BudgetLimit, EndStatus};
use cogtools_model::{Content, Generation, Part};
use cogtools_program::call::input_diagnostic;
use cogtools_program::{Failure, Io};
use tokio::runtime::Handle;

use crate::answer_schema::AnswerSchema;
use crate::args::AskArgs;
use crate::project_tools::ProjectTools;
use crate::prompt::Layers;
use crate::worker::{self, Materials};
use crate::{configuration, settings};

/// What the agents that tools are have in common with the one that calls them.
pub(crate) struct Agents {
    pub(crate) connection: Arc<Connection>,
    pub(crate) registry: Registry,
    pub(crate) config: AskConfig,
    pub(crate) permissions: Permissions,
    /// The model of those that name none.
    pub(crate) model: String,
}

impl Agents {
    /// Runs an agent for a call within `limit`, and returns its answer.
    pub(crate) fn run(
        self: &Arc<Self>,
        task: &AgentTask,
        cx: Context,
        limit: &Limit,
        (scope, handle): (&CallScope, &Handle),
    ) -> Result<String, Box<Diagnostic>> {
        let named = |diagnostic: Box<Diagnostic>| Box::new(diagnostic.with_subject(&*task.tool));
        let depth = AgentTask::depth_below(AgentTask::depth(&cx)).map_err(named)?;
        let environment = cx
            .environment
            .with_variable(AgentTask::DEPTH, &depth.to_string());
        let cx = Context { environment, ..cx };
        let cancel = cx.cancel.clone();
        let (tools, _) = ProjectTools::load(self.registry.clone(), cx);
        let tools = tools.only(&task.tools);
        tools.set_agents(Arc::clone(self));
        let settings = settings(task, &self.model, &self.config, self.permissions.clone());
        let settings = settings.map_err(|failure| named(first(&failure)))?;
        let schema = schema(task).map_err(|failure| named(first(&failure)))?;
        let journal = scope.begin_agent(&task.tool);
        let mut observer = scope.observer();
        let own = budget_of(task.budget);
        let limits = Budget {
            time: Some(
                own.time
                    .map_or(limit.timeout(), |time| time.min(limit.timeout())),
            ),
            ..own
        };
        let mut agent = Agent::new(AgentParts {
            model: self.connection.model(),
            tools: Arc::new(tools),
            journal: journal.map_err(|error| named(Box::new(error.diagnostic())))?,
            system: system(task),
            dynamic: None,
            settings,
            ledger: scope.ledger.within(limits),
            observer: &mut observer,
            cancel,
        });
        let parts = vec![Part::text_of(&*task.prompt)];
        let ended = handle.block_on(worker::run(&mut agent, parts, schema.as_ref()));
        let (end, rejection) = ended.map_err(|error| named(Box::new(error.diagnostic())))?;
        match rejection {
            Some(rejection) => Err(named(Box::new(Diagnostic {
                code: Code::ToolFailed,
                ..rejection
            }))),
            None if is_late(&end, own.time, limit) => Err(Box::new(limit.diagnostic())),
            None => answer(end).map_err(named),
        }
    }
}

/// The agent on standard input.
pub(crate) fn read(io: &mut Io<'_>) -> Result<AgentTask, Failure> {
    let bytes = io
        .stdin
        .read()
        .map_err(|error| input_diagnostic(&error, "the agent", || None, "cogtools ask --agent"))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("standard input is not an agent: {error}");
        let diagnostic = Diagnostic::new(Code::Usage, message);
        diagnostic
            .hint("this is for cogtools-call; call the tool instead")
            .into()
    })
}

/// `failure` without what a user at a command line could do about it.
pub(crate) fn without_hints(failure: Failure) -> Failure {
    match failure {
        Failure::Diagnostics(mut diagnostics) => {
            for diagnostic in &mut diagnostics {
                diagnostic.hints.clear();
            }
            Failure::Diagnostics(diagnostics)
        }
        failure => failure,
    }
}

/// Whether a run has ended because its call timed out, and not at a limit of its own.
fn is_late(end: &RunEnd, own: Option<Duration>, limit: &Limit) -> bool {
    let is_time = matches!(
        end.status,
        EndStatus::Budget {
            limit: BudgetLimit::Seconds
        }
    );
    is_time && own.is_none_or(|own| own >= limit.timeout())
}

/// The answer of an agent that has ended.
fn answer(end: RunEnd) -> Result<String, Box<Diagnostic>> {
    let reason = match &end.status {
        EndStatus::Completed => return Ok(end.text),
        EndStatus::Budget { limit } => format!("its budget of {} is spent", limit_name(*limit)),
        EndStatus::Refused => "the model refused to answer".to_owned(),
        EndStatus::Loop => "the model repeats the same calls".to_owned(),
        EndStatus::ApprovalWanted => "it waits for an approval".to_owned(),
        EndStatus::Cancelled => "it was cancelled".to_owned(),
        _ => match &end.error {
            Some(error) => error.to_string(),
            None => "the model gave no answer".to_owned(),
        },
    };
    let message = format!("the agent gave no answer: {reason}");
    Err(Box::new(
        Diagnostic::new(Code::ToolFailed, message).with_details(end.text),
    ))
}

/// What the agent `task` works with, which another program has called.
pub(crate) fn materials<'a>(
    task: &AgentTask,
    args: &AskArgs,
    config: &Config,
    project: &'a Project,
    (tools, cancel): (ProjectTools, Cancel),
    io: &Io<'_>,
) -> Result<Materials<'a>, Failure> {
    let tools = tools.only(&task.tools);
    let model = match (&task.model, &args.model.replay) {
        (Some(model), _) => model.clone(),
        // What a recording answers does not depend on who replays it.
        (None, Some(tape)) => recorded_model(tape, io)?,
        (None, None) => args.model.model()?,
    };
    let permissions = settings::permissions(args, &config.ask, &tools);
    let settings = settings(task, &model, &config.ask, permissions)?;
    Ok(Materials {
        project,
        fixed: worker::fixed(system(task), &tools, &settings),
        tools: Arc::new(tools),
        layers: Layers::of_agent(),
        settings,
        schema: schema(task)?,
        cancel,
    })
}

/// The schema of its answer.
fn schema(task: &AgentTask) -> Result<Option<AnswerSchema>, Failure> {
    let schema = task.schema.clone().map(AnswerSchema::new).transpose();
    schema.map_err(|message| {
        let message = format!("the schema of the answer cannot be used: {message}");
        Diagnostic::new(Code::InvalidTool, message)
            .with_subject(&*task.tool)
            .into()
    })
}

/// The instructions of an agent: what it is, how it works, and the rules, which win.
pub(crate) fn system(task: &AgentTask) -> Option<Arc<Content>> {
    let texts = task.system.iter().chain(&task.behaviour);
    let mut texts: Vec<String> = texts
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    let rules = task.rules.iter().map(|rule| rule.trim());
    let rules: Vec<String> = rules
        .filter(|rule| !rule.is_empty())
        .map(|rule| format!("- {}", rule.replace('\n', "\n  ")))
        .collect();
    if !rules.is_empty() {
        let title = "# Rules\n\nThese rules take precedence over everything above.";
        texts.push(format!("{title}\n\n{}", rules.join("\n")));
    }
    (!texts.is_empty()).then(|| Arc::new(Content::system(texts.join("\n\n"))))
}

/// The settings of an agent whose model is `model` unless it names another one.
pub(crate) fn settings(
    task: &AgentTask,
    model: &str,
    ask: &AskConfig,
    permissions: Permissions,
) -> Result<Settings, Failure> {
    let model = task.model.as_deref().unwrap_or(model).to_owned();
    let parts = [Part::text_of(&*task.prompt)];
    let generation = Generation {
        temperature: task.temperature,
        seed: Some(task.seed.unwrap_or_else(|| stable_seed(&model, &parts))),
        max_output_tokens: task.max_tokens,
        stop_sequences: task.stop.clone(),
        response_json_schema: task.schema.clone().filter(|_| !task.answers_by_call),
        ..Generation::default()
    };
    let facts = facts(ask, &model)?;
    Ok(Settings {
        request: RequestOptions {
            model,
            generation,
            ..RequestOptions::default()
        },
        permissions,
        price: facts.price,
        history: configuration::history(ask.history, facts.context),
        answer_call: task.schema.clone().filter(|_| task.answers_by_call),
        ..Settings::default()
    })
}

fn first(failure: &Failure) -> Box<Diagnostic> {
    let diagnostic = failure.diagnostics().first().cloned();
    Box::new(diagnostic.unwrap_or_else(|| Diagnostic::new(Code::Internal, "no reason")))
}
