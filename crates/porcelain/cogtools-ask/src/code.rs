//! Code mode: the model gets `run_code` instead of the tools, at a command line or as an agent that
//! lists it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cogtools_agent::{
    AgentTool, CallResult, CallScope, Journal, Permissions, ProgramQuestion, ReadyCall, ToolTraits,
    WaitingCall,
};
use cogtools_code::{
    CodeTools, Decisions, Explanation, Program, Recorded, Report, Run, RunAgent, Scope, Source,
    describe, family_of, search, store_and_next,
};
use cogtools_core::arguments::Arguments;
use cogtools_core::{
    Cancel, Code, Context, Diagnostic, Registry, Target, Threshold, estimate_tokens,
};
use cogtools_log::{CallId, Decision, ProgramStatus};
use serde_json::{Map, Value};
use tokio::runtime::Handle;

use crate::tools::Agents;

/// The three tools, and the programs of a session.
pub(crate) struct CodeMode {
    tools: CodeTools,
    declared: Vec<AgentTool>,
    programs: Arc<Programs>,
}

/// The inputs of all programs.
pub(crate) struct Programs {
    registry: Registry,
    cx: Context,
    /// The tools that they may call, and the rules for these calls.
    names: Vec<String>,
    permissions: Permissions,
    /// The runner of the tools that are agents.
    agents: OnceLock<Arc<Agents>>,
    /// The user's decisions about calls of programs, by program.
    decisions: Mutex<HashMap<String, Decisions>>,
}

/// Returns true if `tools` cost as many tokens as `threshold`.
pub(crate) fn is_reached(threshold: Option<Threshold>, tools: &[AgentTool]) -> bool {
    let Some(Threshold::Tokens(limit)) = threshold else {
        return false;
    };
    let costs = tools.iter();
    let costs = costs.map(|tool| estimate_tokens(&tool.declaration.to_string()));
    u64::try_from(costs.sum::<usize>()).is_ok_and(|tokens| tokens >= limit)
}

impl CodeMode {
    /// Code mode with the tools `names` of `registry`, which run in `cx`, and with rules for their
    /// calls.
    ///
    /// # Errors
    /// One of the three tools cannot be declared, which would be a bug.
    pub(crate) fn new(
        (registry, cx): (Registry, Context),
        names: Vec<String>,
        permissions: Permissions,
        api: Target,
    ) -> Result<Self, Vec<Diagnostic>> {
        let tools = CodeTools::new()?;
        let programs = Programs {
            registry,
            cx,
            names,
            permissions,
            agents: OnceLock::new(),
            decisions: Mutex::default(),
        };
        let (end, is_whole) = CodeTools::end_of_description(&programs.scope(Cancel::default()));
        let mut declared = Vec::new();
        for tool in tools.all() {
            let is_run = tool.name().as_str() == CodeTools::RUN;
            if !is_run && is_whole {
                continue;
            }
            let mut tool = AgentTool::declare(tool, api)?;
            tool.traits = ToolTraits {
                is_program: is_run,
                is_pure: !is_run,
                ..ToolTraits::default()
            };
            if let Some(Value::String(text)) = tool.declaration.get_mut("description")
                && is_run
            {
                text.push_str(&end);
            }
            declared.push(tool);
        }
        Ok(Self {
            tools,
            declared,
            programs: Arc::new(programs),
        })
    }

    /// The tools that the model has.
    pub(crate) const fn declared(&self) -> &Vec<AgentTool> {
        &self.declared
    }

    /// From now on, `agents` run the tools that are agents, and results are kept on their tape, or come
    /// from it.
    pub(crate) fn set_agents(&self, agents: Arc<Agents>) {
        // They are set once, when the provider is known.
        let _ = self.programs.agents.set(agents);
    }

    /// Notes the user's decisions about calls of `program`, which `journal` has.
    ///
    /// # Errors
    /// The program has made no such call.
    pub(crate) fn decide(
        &self,
        program: &str,
        decisions: Decisions,
        journal: &Journal,
    ) -> Result<(), Box<Diagnostic>> {
        let (session, blobs) = journal
            .read()
            .map_err(|error| Box::new(error.diagnostic()))?;
        Recorded::read(&session, &blobs, Some(program))?.check_steps(&decisions)?;
        let all = self.programs.decisions.lock();
        let mut all = all.unwrap_or_else(PoisonError::into_inner);
        all.insert(program.to_owned(), decisions);
        Ok(())
    }

    /// The question about the program in `arguments`; `None` if it goes on with one of the session.
    pub(crate) fn question(&self, arguments: &Value) -> Option<ProgramQuestion> {
        let code = arguments.get("code")?.as_str()?;
        let scope = self.programs.scope(Cancel::default());
        Some(Explanation::of(code, &scope).question(code, &scope))
    }

    /// Checks a call of one of the three tools. Returns how to run it, and its arguments.
    ///
    /// # Errors
    /// The arguments do not fit, or the code does not fit the types of the tools.
    pub(crate) fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let arguments = self.tools.accept(name, Arguments::from(arguments))?;
        let resolved = Value::Object(arguments.clone());
        let scope = self.programs.scope(Cancel::default());
        if name != CodeTools::RUN {
            let answer = if name == CodeTools::SEARCH {
                search(&arguments, &scope)
            } else {
                describe(&arguments, &scope)
            };
            let output = Value::String(answer.text);
            return Ok((Box::new(|_| CallResult::Output(output)), resolved));
        }
        let run = Run::new(arguments)?;
        if let Source::Code(code) = &run.source {
            Program::check_length(code).map_err(|error| vec![*error])?;
            let mistakes = Explanation::of(code, &scope).mistakes;
            if !mistakes.is_empty() {
                return Err(mistakes);
            }
        }
        let (programs, recorded) = (Arc::clone(&self.programs), resolved.clone());
        let work = move |call: &CallScope| {
            let run = || {
                let ended = programs.run(run, call);
                ended.unwrap_or_else(|diagnostic| CallResult::Failed(vec![*diagnostic]))
            };
            match programs.agents.get() {
                Some(agents) => agents.connection.call(CodeTools::RUN, recorded, run),
                None => run(),
            }
        };
        Ok((Box::new(work), resolved))
    }
}

impl Programs {
    /// The tools that a program can call, until `cancel` ends it.
    fn scope(&self, cancel: Cancel) -> Scope {
        let cx = Context {
            cancel,
            ..self.cx.clone()
        };
        let (names, permissions) = (self.names.clone(), self.permissions.clone());
        Scope::new(self.registry.clone(), cx, names, permissions)
    }

    /// The runner of agents that programs of `call` call: they are in the session below their calls,
    /// and share its budget.
    fn agents(&self, call: &CallScope) -> Option<Arc<RunAgent>> {
        let agents = Arc::clone(self.agents.get()?);
        let (call, handle) = (call.clone(), Handle::current());
        Some(Arc::new(move |task, cx, limit, line| {
            let call = call.of_program(line, &cx.cancel);
            agents.run(task, cx, limit, (&call, &handle))
        }))
    }

    /// Runs a program, or goes on with the one that an earlier run of `call` has begun.
    fn run(&self, run: Run, call: &CallScope) -> Result<CallResult, Box<Diagnostic>> {
        let failed = |error: cogtools_log::LogError| Box::new(error.diagnostic());
        let mut scope = self.scope(call.cancel.clone());
        scope.agents = self.agents(call);
        let (session, blobs) = call.program(None).read().map_err(failed)?;
        let resume = |begun: Recorded| {
            let decisions = self.decisions.lock();
            let mut decisions = decisions.unwrap_or_else(PoisonError::into_inner);
            let decisions = decisions.remove(&begun.name).unwrap_or_default();
            Program::resumed(begun, decisions)
        };
        // An agent within the session has programs and a store of its own.
        let agent = call.agent(&session).map(|agent| format!("a{agent}"));
        let family = format!("{}p", agent.unwrap_or_default());
        let begun = Recorded::below(&session, &blobs, &call.lines(&session))?;
        let mut program = match (begun, run.source) {
            (Some(begun), Source::Code(code)) if code != begun.code => {
                let message = format!("the program {} has begun with other code", begun.name);
                return Err(Box::new(Diagnostic::new(Code::CodeDiverged, message)));
            }
            (Some(begun), _) => resume(begun),
            (None, Source::Resume(name)) if family_of(&name) != family => {
                let message = format!("there is no program `{name}` of this agent");
                return Err(Box::new(Diagnostic::new(Code::SessionNotFound, message)));
            }
            (None, Source::Resume(name)) => resume(Recorded::read(&session, &blobs, Some(&name))?),
            (None, Source::Code(code)) => {
                let (store, name) = store_and_next(&session, &blobs, &family)?;
                Program {
                    store,
                    name,
                    ..Program::new(code, run.args)
                }
            }
        };
        program.timeout = run.timeout;
        program.ledger = Some(call.ledger.clone());
        if call.approval.decision == Decision::Granted {
            program.consent = Explanation::of(&program.code, &scope).consent(&scope);
        }
        let mut journal = call.program(program.recorded.as_ref().map(|begun| begun.last));
        let report = program.run(&scope, Some(&mut journal), &mut call.program_observer());
        Ok(result(report))
    }
}

/// The report on a program as the model reads it.
fn result(report: Report) -> CallResult {
    let text = report.text();
    if !report.waiting.is_empty() {
        let waiting = report.waiting.into_iter().map(|(step, about)| WaitingCall {
            call: CallId::new(format!("{}.{step}", report.program)),
            about,
        });
        return CallResult::Waits(waiting.collect());
    }
    if report.status == ProgramStatus::Completed {
        return CallResult::Output(text.into());
    }
    let mut errors = report.errors;
    if let Some(last) = errors.last_mut().filter(|_| !text.is_empty()) {
        last.details = format!("{}\nprinted before: {text}", last.details);
    }
    CallResult::Failed(errors)
}
