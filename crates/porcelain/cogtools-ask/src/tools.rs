//! The tools of the project for an agent; some of them are agents, too.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cogtools_agent::{
    Agent, AgentParts, AgentTool, Budget, CallResult, CallScope, Connection, Layers, Permissions,
    ProgramQuestion, ReadyCall, RunEnd, Settings, Tools, budget_of, facts, load_tools, not_found,
    recorded_model, stable_seed,
};
use cogtools_code::{CodeMode, CodeTools, RunAgent, Scope};
use cogtools_core::approval::approve;
use cogtools_core::arguments::Arguments;
use cogtools_core::source::Skills;
use cogtools_core::tool::{AgentTask, Author, FlowTask};
use cogtools_core::{
    AskConfig, Cancel, Code, Config, Context, Diagnostic, FindError, Limit, Pattern, Project,
    Registry, Target, Threshold, Tool, estimate_tokens,
};
use cogtools_log::{BudgetLimit, EndStatus};
use cogtools_model::{Content, Generation, Part};
use cogtools_program::call::command;
use cogtools_program::{Failure, Io, call_timeout, text_input};
use serde_json::{Map, Value};
use tokio::runtime::Handle;

use crate::answer_schema::AnswerSchema;
use crate::args::AskArgs;
use crate::worker::Materials;
use crate::{run, worker};

/// The tools of a project.
pub(crate) struct ProjectTools {
    registry: Registry,
    cx: Context,
    tools: Vec<AgentTool>,
    /// The runner of the tools that are agents.
    agents: OnceLock<Arc<Agents>>,
    /// The model calls the tools in programs alone.
    pub(crate) code: Option<CodeMode>,
}

impl ProjectTools {
    /// The tools of `registry` that `api` accepts, which run in `cx`; and the diagnostics of what is
    /// left out.
    pub(crate) fn load(registry: Registry, cx: Context, api: Target) -> (Self, Vec<Diagnostic>) {
        let (tools, mut diagnostics) = load_tools(&registry, |tool| {
            let declared = AgentTool::declare(&tool, api)?;
            Ok((declared, tool.agent_tools().to_vec()))
        });
        diagnostics.extend(unmatched(&tools));
        let tools = tools.into_iter().map(|(tool, _)| tool).collect();
        let project = Self {
            registry,
            cx,
            tools,
            agents: OnceLock::new(),
            code: None,
        };
        (project, diagnostics)
    }

    /// The model gets `run_code` instead of the tools, if they cost as many tokens as `threshold`.
    ///
    /// # Errors
    /// A tool that runs code cannot be declared, which would be a bug.
    pub(crate) fn in_code(
        mut self,
        threshold: Option<Threshold>,
        config: &AskConfig,
        rules: [&[String]; 2],
        api: Target,
    ) -> Result<Self, Vec<Diagnostic>> {
        if is_reached(threshold, &self.tools) {
            let names = Scope::all_names(&self.registry);
            let [allow, deny] = rules;
            let known = names.iter().map(String::as_str);
            let permissions = Permissions::new(config, allow, deny, known);
            self.code = Some(self.code_mode(names, permissions, api)?);
        }
        Ok(self)
    }

    /// The model of an agent that lists `run_code` among `patterns` gets it instead of its other
    /// tools. A tool of the project with that name is meant by it.
    ///
    /// # Errors
    /// A tool that runs code cannot be declared, which would be a bug.
    pub(crate) fn in_code_of_agent(
        mut self,
        patterns: &[String],
        permissions: &Permissions,
        api: Target,
    ) -> Result<Self, Vec<Diagnostic>> {
        let is_run = |name: &String| name == CodeTools::RUN;
        if patterns.iter().any(is_run) && !Scope::all_names(&self.registry).iter().any(is_run) {
            let names = self.names().map(str::to_owned).collect();
            self.code = Some(self.code_mode(names, permissions.clone(), api)?);
        }
        Ok(self)
    }

    fn code_mode(
        &self,
        names: Vec<String>,
        permissions: Permissions,
        api: Target,
    ) -> Result<CodeMode, Vec<Diagnostic>> {
        let (registry, cx) = (self.registry.clone(), self.cx.clone());
        let scope = move |cancel: Cancel| {
            let cx = cx.clone().ended_by(&cancel);
            Scope::new(registry.clone(), cx, names.clone(), permissions.clone())
        };
        CodeMode::new(scope, api)
    }

    /// The tools of the project, however the model calls them.
    pub(crate) fn all(&self) -> &[AgentTool] {
        &self.tools
    }

    /// Only those whose names match one of `patterns`.
    pub(crate) fn only(mut self, patterns: &[String]) -> Self {
        self.tools.retain(|tool| {
            let mut patterns = patterns.iter();
            patterns.any(|pattern| Pattern::new(pattern).matches(&tool.name))
        });
        self
    }

    /// From now on, `agents` run the tools that are agents.
    pub(crate) fn set_agents(&self, agents: Arc<Agents>) {
        if let Some(code) = &self.code {
            let (own, connection) = (Arc::clone(&agents), Arc::clone(&agents.connection));
            let run = move |call: &CallScope| -> Arc<RunAgent> {
                let (agents, call, handle) = (Arc::clone(&own), call.clone(), Handle::current());
                Arc::new(move |task, cx, limit, line| {
                    let call = call.of_program(line, &cx.cancel);
                    agents.run(task, cx, limit, (&call, &handle))
                })
            };
            code.set_agents(run, connection);
        }
        // They are set once, when the provider is known.
        let _ = self.agents.set(agents);
    }

    /// All tools of the project.
    pub(crate) const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The instructions of an agent that has these tools: `texts`, and the skills that it may read.
    pub(crate) fn system(&self, texts: Vec<String>) -> Option<Arc<Content>> {
        let may_read = self.names().any(|name| name == Skills::READ);
        // A tool of the project with that name takes its place.
        let read = self.registry.find(Skills::READ).ok().filter(|_| may_read);
        let is_ours = read.is_some_and(|tool| tool.provenance.author == Author::BuiltIn);
        let skills = self.registry.skills().filter(|_| is_ours);
        let texts: Vec<String> = texts
            .into_iter()
            .chain(skills.and_then(Skills::index))
            .collect();
        (!texts.is_empty()).then(|| Arc::new(Content::system(texts.join("\n\n"))))
    }

    /// The names of all tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    fn find(&self, name: &str) -> Result<Tool, Vec<Diagnostic>> {
        // The reserved tools call others, past the rules for their names.
        if !self.tools.iter().any(|tool| tool.name == name) {
            return Err(vec![not_found(name, self.names())]);
        }
        self.registry.find(name).map_err(FindError::diagnostics)
    }
}

impl Tools for ProjectTools {
    fn list(&self) -> Vec<AgentTool> {
        let code = self.code.as_ref().map(CodeMode::declared);
        code.unwrap_or(&self.tools).clone()
    }

    fn digest(&self, name: &str, arguments: &Value) -> Option<String> {
        if self.code.is_some() {
            return self.question(name, arguments)?.digest;
        }
        let tool = self.find(name).ok()?;
        Some(FlowTask::digest(&tool))
    }

    fn types_for(&self, task: &str) -> Option<String> {
        self.code.as_ref()?.types_for(task)
    }

    fn question(&self, name: &str, arguments: &Value) -> Option<ProgramQuestion> {
        let code = self.code.as_ref().filter(|_| name == CodeTools::RUN)?;
        code.question(arguments)
    }

    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        if let Some(code) = &self.code {
            return code.prepare(name, arguments);
        }
        let tool = self.find(name)?;
        let accepted = tool
            .accept(Arguments::from(arguments))
            .map_err(|error| error.diagnostics(&tool))?;
        let limit = Limit::of(&tool);
        let approved = approve(tool, &self.cx).map_err(|diagnostic| vec![*diagnostic])?;
        let resolved = Value::Object(accepted.as_object().clone());
        let (tool_name, recorded) = (name.to_owned(), resolved.clone());
        let cx = self.cx.clone();
        let agents = self.agents.get().cloned();
        let run = move |scope: &CallScope| {
            let (scope, cancel) = (scope.clone(), scope.cancel.clone());
            let cx = cx.ended_by(&cancel);
            let within = limit.clone();
            let handle = Handle::current();
            let connection = agents.as_ref().map(|agents| Arc::clone(&agents.connection));
            let is_agent = approved.agent(&accepted).is_some();
            let work = move || {
                let agent = agents.zip(approved.agent(&accepted));
                let output = match agent {
                    Some((agents, task)) => task
                        .and_then(|task| agents.run(&task, cx, &within, (&scope, &handle)))
                        .and_then(|text| approved.accept_answer(text)),
                    None => approved.run(accepted, &cx),
                };
                output.map_err(|diagnostic| vec![*diagnostic])
            };
            let run = || match call_timeout::run_within(&limit, &cancel, work) {
                Ok(output) => output.into(),
                Err(diagnostics) => CallResult::Failed(diagnostics),
            };
            // The requests of an agent are on the tape themselves.
            match connection.filter(|_| !is_agent) {
                Some(connection) => connection.call(&tool_name, recorded, run),
                None => run(),
            }
        };
        Ok((Box::new(run), resolved))
    }
}

/// Returns true if `tools` cost as many tokens as `threshold`.
fn is_reached(threshold: Option<Threshold>, tools: &[AgentTool]) -> bool {
    let Some(Threshold::Tokens(limit)) = threshold else {
        return false;
    };
    let costs = tools.iter();
    let costs = costs.map(|tool| estimate_tokens(&tool.declaration.to_string()));
    u64::try_from(costs.sum::<usize>()).is_ok_and(|tokens| tokens >= limit)
}

/// Reports the patterns of agents that match none of `tools`: the model is never offered those.
/// Each tool is with the patterns of its agent.
fn unmatched(tools: &[(AgentTool, Vec<String>)]) -> Vec<Diagnostic> {
    let is_unmatched = |pattern: &&String| {
        if [CodeTools::RUN, Skills::READ, Skills::RUN].contains(&pattern.as_str()) {
            return false;
        }
        let pattern = Pattern::new(pattern);
        !tools.iter().any(|(tool, _)| pattern.matches(&tool.name))
    };
    let report = |agent: &str, pattern: &String| {
        let message = format!("`{pattern}` in `tools` of the agent matches no tool");
        Diagnostic::new(Code::InvalidTool, message)
            .with_subject(agent)
            .hint("correct the name, or write the tool")
    };
    let all = tools.iter().flat_map(|(agent, patterns)| {
        let unmatched = patterns.iter().filter(is_unmatched);
        unmatched.map(move |pattern| report(&agent.name, pattern))
    });
    all.collect()
}

/// The context that agents which are tools share with their caller.
pub(crate) struct Agents {
    pub(crate) connection: Arc<Connection>,
    pub(crate) registry: Registry,
    pub(crate) config: AskConfig,
    pub(crate) permissions: Permissions,
    /// The model of those that name none.
    pub(crate) model: String,
    /// The API whose rules their declarations follow.
    pub(crate) api: Target,
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
        let (tools, _) = ProjectTools::load(self.registry.clone(), cx, self.api);
        let tools = tools.only(&task.tools);
        let tools = tools.in_code_of_agent(&task.tools, &self.permissions, self.api);
        let tools = tools.map_err(|errors| named(Diagnostic::merge(errors)))?;
        tools.set_agents(Arc::clone(self));
        let settings = agent_settings(task, &self.model, &self.config, self.permissions.clone());
        let settings = settings.map_err(|failure| named(first(&failure)))?;
        let schema = schema(task).map_err(|failure| named(first(&failure)))?;
        let journal = scope.begin_agent(&task.tool);
        let mut observer = scope.observer();
        let own = budget_of(task.budget);
        let limits = Budget {
            time: Some(
                own.time
                    .map_or(limit.timeout, |time| time.min(limit.timeout)),
            ),
            ..own
        };
        let mut agent = Agent::new(AgentParts {
            model: self.connection.model(),
            system: tools.system(system(task)),
            tools: Arc::new(tools),
            journal: journal.map_err(|error| named(Box::new(error.diagnostic())))?,
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
            Some(stopped) if stopped.code == Code::ApprovalWanted => Err(Box::new(stopped)),
            Some(rejection) => Err(named(Box::new(Diagnostic {
                code: Code::ToolFailed,
                ..rejection
            }))),
            None if is_late(&end, own.time, limit) => Err(Box::new(limit.diagnostic())),
            None if end.status == EndStatus::ApprovalWanted => Err(named(cannot_wait(&agent))),
            None => answer(end, &self.model).map_err(named),
        }
    }
}

/// The agent on standard input.
pub(crate) fn read_agent(io: &mut Io<'_>) -> Result<AgentTask, Failure> {
    let bytes = text_input::read_input(io, "the agent", "cogtools ask --agent < agent.json")?;
    cogtools_core::json::read_own(&bytes).map_err(|error| {
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

/// Returns true if a run has ended because its call timed out, and not at a limit of its own.
fn is_late(end: &RunEnd, own: Option<Duration>, limit: &Limit) -> bool {
    let is_time = matches!(
        end.status,
        EndStatus::Budget {
            limit: BudgetLimit::Seconds
        }
    );
    is_time && own.is_none_or(|own| own >= limit.timeout)
}

/// The failure of an agent that is a tool, and has made calls that need an approval.
fn cannot_wait(agent: &Agent<'_>) -> Box<Diagnostic> {
    let open = agent.journal.conversation().open_calls().iter();
    let open = open.filter(|call| !call.has_started);
    let calls = open.map(|call| {
        (
            call.tool.as_str(),
            format!("{} {}", call.tool, call.arguments),
        )
    });
    let inner = agent
        .waiting
        .iter()
        .map(|one| ("PATTERN", one.about.clone()));
    let (tools, calls): (Vec<&str>, Vec<String>) = calls.chain(inner).unzip();
    let message = "a call needs an approval, and an agent that is a tool cannot wait for one";
    let allow = tools.iter().flat_map(|tool| ["--allow", tool]);
    let hint = format!("`{}` lets such calls run", command(allow));
    let diagnostic = Diagnostic::new(Code::ApprovalWanted, message).hint(hint);
    Box::new(diagnostic.with_details(calls.join("\n")))
}

/// The answer of an agent that has ended.
fn answer(end: RunEnd, model: &str) -> Result<String, Box<Diagnostic>> {
    let reason = match end.failure(model) {
        None if end.status == EndStatus::Completed => return Ok(end.text),
        None => "it was cancelled".to_owned(),
        Some(failure) => failure.message,
    };
    let message = format!("the agent gave no answer: {reason}");
    Err(Box::new(
        Diagnostic::new(Code::ToolFailed, message).with_details(end.text),
    ))
}

/// Inputs of the agent `task`, which another program has called.
pub(crate) fn agent_materials<'a>(
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
    let permissions = run::permissions(args, &config.ask, &tools);
    let api = args.model.provider.target();
    let tools = tools.in_code_of_agent(&task.tools, &permissions, api)?;
    let settings = agent_settings(task, &model, &config.ask, permissions)?;
    Ok(Materials {
        project,
        system: tools.system(system(task)),
        tools: Arc::new(tools),
        layers: Layers::default(),
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

/// Builds the instructions of an agent: its role, its behaviour, and the rules, which override both.
fn system(task: &AgentTask) -> Vec<String> {
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
    texts
}

/// The settings of an agent whose model is `model` unless it names another one.
pub(crate) fn agent_settings(
    task: &AgentTask,
    model: &str,
    ask: &AskConfig,
    permissions: Permissions,
) -> Result<Settings, Failure> {
    let model = ask
        .model_of(task.model.as_deref().unwrap_or(model))
        .to_owned();
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
        permissions,
        answer_call: task.schema.clone().filter(|_| task.answers_by_call),
        ..Settings::new(model, generation, facts, ask)
    })
}

fn first(failure: &Failure) -> Box<Diagnostic> {
    let diagnostic = failure.diagnostics().first().cloned();
    Box::new(diagnostic.unwrap_or_else(|| Diagnostic::new(Code::Internal, "no reason")))
}
