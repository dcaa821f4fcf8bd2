//! Code mode: the model gets `run_code` instead of the tools, at a command line or as an agent that
//! lists it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use cogtools_agent::{
    AgentTool, CallResult, CallScope, Connection, Journal, ProgramQuestion, ReadyCall, ToolTraits,
    WaitingCall,
};
use cogtools_core::arguments::Arguments;
use cogtools_core::{Cancel, Code, Diagnostic, Target, fail_on};
use cogtools_log::{CallId, Decision, ProgramStatus};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::replay::family_of;
use crate::tools::{CodeTools, Run, Source, describe, search};
use crate::{Decisions, Explanation, Program, Recorded, Report, RunAgent, Scope, store_and_next};

/// The three tools, and the programs of a session.
pub struct CodeMode {
    tools: CodeTools,
    declared: Vec<AgentTool>,
    /// True if the types of all tools are declared.
    is_whole: bool,
    programs: Arc<Programs>,
}

/// Makes the scope of a program, which a cancellation ends.
type MakeScope = Box<dyn Fn(Cancel) -> Scope + Send + Sync>;
/// Makes the runner of agents that programs of a call call: they are in the session below their
/// calls, and share its budget.
type MakeAgents = Box<dyn Fn(&CallScope) -> Arc<RunAgent> + Send + Sync>;

/// The inputs of all programs.
struct Programs {
    scope: MakeScope,
    /// The runner of the tools that are agents, and the source of recorded results.
    agents: OnceLock<(MakeAgents, Arc<Connection>)>,
    /// The user's decisions about calls of programs, by program.
    decisions: Mutex<HashMap<String, Decisions>>,
}

impl CodeMode {
    /// Code mode with the tools that `scope` gives a program.
    ///
    /// # Errors
    /// One of the three tools cannot be declared, which would be a bug.
    pub fn new(
        scope: impl Fn(Cancel) -> Scope + Send + Sync + 'static,
        api: Target,
    ) -> Result<Self, Vec<Diagnostic>> {
        let tools = CodeTools::new()?;
        let programs = Programs {
            scope: Box::new(scope),
            agents: OnceLock::new(),
            decisions: Mutex::default(),
        };
        let (end, is_whole) = CodeTools::end_of_description(&(programs.scope)(Cancel::default()));
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
            is_whole,
            programs: Arc::new(programs),
        })
    }

    /// The tools that the model has.
    pub const fn declared(&self) -> &Vec<AgentTool> {
        &self.declared
    }

    /// The types of the tools that best match `task`, unless all are declared.
    pub fn types_for(&self, task: &str) -> Option<String> {
        if self.is_whole || task.trim().is_empty() {
            return None;
        }
        let scope = (self.programs.scope)(Cancel::default());
        let (types, _) = scope.describe_best(&scope.find_for(task), CodeTools::BUDGET);
        (!types.is_empty()).then_some(types)
    }

    /// From now on, `agents` run the tools that are agents, and results are kept on the tape of
    /// `connection`, or come from it.
    pub fn set_agents(
        &self,
        agents: impl Fn(&CallScope) -> Arc<RunAgent> + Send + Sync + 'static,
        connection: Arc<Connection>,
    ) {
        // They are set once, when the provider is known.
        let _ = self.programs.agents.set((Box::new(agents), connection));
    }

    /// Notes the user's decisions about calls of `program`, which `journal` has.
    ///
    /// # Errors
    /// The program has made no such call.
    pub fn decide(
        &self,
        program: &str,
        decisions: Decisions,
        journal: &Journal,
    ) -> Result<(), Box<Diagnostic>> {
        let (session, blobs) = journal.read()?;
        Recorded::read(&session, &blobs, Some(program))?.check(&decisions)?;
        let mut all = self.programs.decisions.lock();
        all.insert(program.to_owned(), decisions);
        Ok(())
    }

    /// The question about the program in `arguments`; `None` if it goes on with one of the session.
    pub fn question(&self, arguments: &Value) -> Option<ProgramQuestion> {
        let code = arguments.get("code")?.as_str()?;
        let scope = (self.programs.scope)(Cancel::default());
        Some(Explanation::of(code, &scope).question(code, &scope))
    }

    /// The mistakes that the types of tools show in `code`.
    pub fn mistakes(&self, code: &str) -> Vec<Diagnostic> {
        let scope = (self.programs.scope)(Cancel::default());
        Explanation::of(code, &scope).mistakes
    }

    /// Checks a call of one of the three tools. Returns how to run it, and its arguments.
    ///
    /// # Errors
    /// The arguments do not fit, or the code does not fit the types of the tools.
    pub fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let arguments = self.tools.accept(name, Arguments::from(arguments))?;
        let resolved = Value::Object(arguments.clone());
        let scope = (self.programs.scope)(Cancel::default());
        if name != CodeTools::RUN {
            let answer = match name {
                CodeTools::SEARCH => search(&arguments, &scope),
                _ => describe(&arguments, &scope),
            };
            let output = Value::String(answer.text);
            return Ok((Box::new(|_| CallResult::Output(output)), resolved));
        }
        let run = Run::new(arguments)?;
        if let Source::Code(code) = &run.source {
            Program::check_length(code).map_err(|error| vec![*error])?;
            fail_on(self.mistakes(code))?;
        }
        let (programs, recorded) = (Arc::clone(&self.programs), resolved.clone());
        let work = move |call: &CallScope| {
            let run = || {
                let ended = programs.run(run, call);
                ended.unwrap_or_else(|diagnostic| CallResult::Failed(vec![*diagnostic]))
            };
            match programs.agents.get() {
                Some((_, connection)) => connection.call(CodeTools::RUN, recorded, run),
                None => run(),
            }
        };
        Ok((Box::new(work), resolved))
    }
}

impl Programs {
    /// Runs a program, or goes on with the one that an earlier run of `call` has begun.
    fn run(&self, run: Run, call: &CallScope) -> Result<CallResult, Box<Diagnostic>> {
        let mut scope = (self.scope)(call.cancel.clone());
        scope.agents = self.agents.get().map(|(agents, _)| agents(call));
        let (session, blobs) = call.program(None).read()?;
        let resume = |begun: Recorded| {
            let decisions = self.decisions.lock().remove(&begun.name);
            Program::resumed(begun, decisions.unwrap_or_default())
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
            (Some(begun), _) => resume(begun)?,
            (None, Source::Resume(name)) if family_of(&name) != family => {
                let message = format!("there is no program `{name}` of this agent");
                return Err(Box::new(Diagnostic::new(Code::SessionNotFound, message)));
            }
            (None, Source::Resume(name)) => resume(Recorded::read(&session, &blobs, Some(&name))?)?,
            (None, Source::Code(code)) => {
                let (store, name) = store_and_next(&session, &blobs, &family)?;
                Program {
                    name,
                    store,
                    ..Program::new(code, run.args)
                }
            }
        };
        program.timeout = run.timeout;
        program.ledger = Some(call.ledger.clone());
        scope.start_worker();
        let explanation = Explanation::of(&program.code, &scope);
        if call.approval.decision == Decision::Granted {
            program.consent = explanation.consent(&scope);
        }
        program.explanation = Some(explanation);
        let mut journal = call.program(program.recorded.as_ref().map(|begun| begun.last));
        let report = program.run(&scope, Some(&mut journal), &mut call.program_observer());
        Ok(result(report))
    }
}

/// The report on a program as the model reads it.
fn result(report: Report) -> CallResult {
    let text = report.text();
    if !report.waiting.is_empty() {
        let code = report.error().map_or(Code::ApprovalWanted, |it| it.code);
        let waiting = report.waiting.into_iter().map(|(step, about)| WaitingCall {
            call: CallId::new(format!("{}.{step}", report.program)),
            about,
            code,
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
