//! `cogtools plan QUESTION` and `replan`: a model plans, the user agrees, the plan runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use cogtools_agent::{
    Agent, AgentParts, AgentTool, Connection, Journal, Ledger, ModelOptions, ReadyCall, Requests,
    RunEnd, Settings, Silent, ToolTraits, Tools, begin_session, facts, recorded_model, stable_seed,
};
use cogtools_code::CodeTools;
use cogtools_core::{
    AskConfig, Code, Diagnostic, Hint, Project, Registry, Target, Threshold, Tool, estimate_tokens,
    fail_on,
};
use cogtools_log::view::Results;
use cogtools_log::{EndStatus, Store};
use cogtools_model::{Content, Part};
use cogtools_program::project::{self, registry_and_context};
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value};

use super::approval::{self, KnownTool};
use super::command::Asking;
use super::contract::{Contract, cut};
use super::program::Programs;
use super::steps::{PlanRun, violations};
use crate::journal;
use crate::recorder::Recorder;

/// The contract in words, and the title of the list of tools.
const PROMPT: &str = include_str!("../../prompts/plan.md");
/// The exit status of a process that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// Asks a model for a plan for `task`, and runs it if the user agrees.
pub(super) fn run(asking: &Asking, task: Vec<Part>, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = &asking.question;
    let project = project::project(io);
    let config = project::config(&project, io)?;
    let (registry, context) = registry_and_context(&asking.registry, io, Some(Target::Gemini))?;
    let cx = context.context(io);
    let rules = (&*args.allow, &*args.deny);
    let programs = Programs::new(registry, cx, &config.ask, rules);
    let catalogue = Catalogue::new(&programs.registry, config.ask.code)?;
    let given = (&project, &config.ask);
    let planner = (&catalogue, &programs);
    let (contract, recorder, resume) = plan(asking, task, given, planner, io)?;
    if args.no_run {
        return io.show_json(&format!("{}\n", contract.to_json()));
    }
    let mut run = PlanRun {
        contract,
        results: Results::default(),
        programs,
        resume,
        recorder,
        streams: args.stream_json.stream_json,
    };
    approval::agree(&mut run, Some(&catalogue.tools), args.yes, io)?;
    run.run(io)
}

/// Lets a model plan, in a new session. Returns the recorder of the session with the plan, and the
/// command that goes on with it.
fn plan(
    asking: &Asking,
    task: Vec<Part>,
    (project, ask): (&Project, &AskConfig),
    (catalogue, programs): (&Catalogue, &Programs),
    io: &Io<'_>,
) -> Result<(Contract, Recorder, String), Failure> {
    let mut options = asking.model.clone();
    options.configure(ask)?;
    options.check_session(asking.question.session_file(), io)?;
    let model = match (&options.name, &options.replay) {
        // The answers of a recording do not depend on who replays it.
        (None, Some(tape)) => recorded_model(tape, io)?,
        _ => options.model()?,
    };
    let connection = Connection::open(&options, &model, project, io)?;
    let (log, file) = begin_session(asking.question.session_file(), &model, io)?
        .ok_or_else(|| Store::missing().hint("or name a file with --session"))?;
    let planner = Planner {
        options: &options,
        ask,
        model,
        connection: &connection,
        catalogue,
        programs,
    };
    let (contract, journal) = planner.plan(task, Journal::new(log))?;
    let lost = || Diagnostic::new(Code::Internal, "the session is still in use");
    let (log, head) = journal.into_log().ok_or_else(lost)?;
    let recorder = Recorder::new(Some(log), head);
    recorder.plan(&contract, false, &programs.deny)?;
    Ok((
        contract,
        recorder,
        journal::resume("plan", Some(&file.name())),
    ))
}

/// The tools that a plan may use, as a model that plans reads about them.
struct Catalogue {
    /// The declarations, in the order of the sources.
    lines: Vec<String>,
    tools: BTreeMap<String, KnownTool>,
}

impl Catalogue {
    /// The tools of `registry` that are valid, and `run_code` if they cost as many tokens as
    /// `threshold`.
    fn new(registry: &Registry, threshold: Option<Threshold>) -> Result<Self, Failure> {
        let mut catalogue = Self {
            lines: Vec::new(),
            tools: BTreeMap::new(),
        };
        let found = registry.map(Result::ok).items;
        for tool in found.into_iter().flatten() {
            catalogue.lines.push(declaration(&tool).to_string());
            let known = KnownTool {
                traits: ToolTraits::of(&tool),
                command: tool.command_line().map(|line| line.to_string()),
            };
            catalogue.tools.insert(tool.name().to_string(), known);
        }
        let costs = catalogue.lines.iter().map(|line| estimate_tokens(line));
        let costs = u64::try_from(costs.sum::<usize>()).unwrap_or(u64::MAX);
        if matches!(threshold, Some(Threshold::Tokens(limit)) if costs >= limit)
            && !catalogue.tools.contains_key(CodeTools::RUN)
        {
            let tools = CodeTools::new()?;
            let run = tools.all().iter();
            let run = run.filter(|it| it.name().as_str() == CodeTools::RUN);
            let lines = run.map(|it| declaration(it).to_string());
            catalogue.lines.extend(lines);
        }
        Ok(catalogue)
    }

    /// The instructions for a model: every rule of the contract, and the tools.
    fn instructions(&self) -> String {
        if self.lines.is_empty() {
            return format!("{PROMPT}\nThere are none.\n");
        }
        let lines = self.lines.join("\n");
        format!("{PROMPT}\nEach line declares one tool.\n\n{lines}\n")
    }
}

/// The declaration of a tool, with the schema of its result, which references lead into.
fn declaration(tool: &Tool) -> Value {
    let mut declaration = Target::Gemini.declare_to_model(tool);
    if let Some(schema) = tool.output.schema() {
        declaration["responseJsonSchema"] = schema.to_json_schema();
    }
    declaration
}

/// Asks a model for a plan. An answer that breaks the contract goes back to it once, with every
/// violation.
struct Planner<'p> {
    options: &'p ModelOptions,
    ask: &'p AskConfig,
    model: String,
    connection: &'p Connection,
    catalogue: &'p Catalogue,
    programs: &'p Programs,
}

/// No tools: the model plans, and calls nothing.
struct NoTools;

impl Tools for NoTools {
    fn list(&self) -> Vec<AgentTool> {
        Vec::new()
    }

    fn prepare(
        &self,
        name: &str,
        _: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let message = "call no tool; answer with the plan";
        let diagnostic = Diagnostic::new(Code::ToolNotFound, message);
        Err(vec![diagnostic.with_subject(name)])
    }
}

impl Planner<'_> {
    /// Asks for a plan for `task`. Returns the session with it.
    fn plan(&self, task: Vec<Part>, journal: Journal) -> Result<(Contract, Journal), Failure> {
        let seed = || Some(stable_seed(&self.model, &task));
        let generation = self.options.generation(seed);
        let facts = facts(self.ask, &self.model)?;
        let mut observer = Silent;
        let mut agent = Agent::new(AgentParts {
            model: self.connection.model(),
            tools: Arc::new(NoTools),
            journal,
            system: Some(Arc::new(Content::system(self.catalogue.instructions()))),
            dynamic: None,
            settings: Settings::new(self.model.clone(), generation, facts, self.ask),
            ledger: Ledger::new(self.options.budget),
            observer: &mut observer,
            cancel: self.programs.cx.cancel.clone(),
        });
        let requests = Requests::new()?;
        let found = requests.wait(self.ask(&mut agent, task));
        let saved = self.connection.save();
        let contract = found.unwrap_or(Err(Failure::Reported(1)))?;
        saved?;
        Ok((contract, agent.journal))
    }

    async fn ask(&self, agent: &mut Agent<'_>, task: Vec<Part>) -> Result<Contract, Failure> {
        let mut wrong = Vec::new();
        for parts in [Some(task), None] {
            let end = agent.run(parts.unwrap_or_else(|| correction(&wrong))).await;
            match self.contract(&end.map_err(Box::<Diagnostic>::from)?)? {
                Ok(contract) => return Ok(contract),
                Err(found) => wrong = found,
            }
        }
        let message = "the model's plan breaks the contract, and so does its correction";
        let diagnostic = Diagnostic::new(Code::ContractViolation, message)
            .with_subject(&*self.model)
            .with_details(wrong.join("\n"));
        let rejected = agent.reject_answer(&diagnostic);
        rejected.map_err(Box::<Diagnostic>::from)?;
        let diagnostic = diagnostic.hint("ask in another way, or another model");
        Err(diagnostic
            .hint("`cogtools session show` shows the answers")
            .into())
    }

    /// The plan in an answer, or its violations.
    fn contract(&self, end: &RunEnd) -> Result<Result<Contract, Vec<String>>, Failure> {
        self.check(end)?;
        let checked = if end.is_cut_off() {
            Err(vec![cut()])
        } else {
            Contract::parse(&end.text)
        };
        let checked = checked.and_then(|contract| {
            let found = violations(&contract, self.programs);
            fail_on(found)?;
            Ok(contract)
        });
        Ok(checked.map_err(|found| found.iter().map(line).collect()))
    }

    /// Fails unless the model has answered.
    fn check(&self, end: &RunEnd) -> Result<(), Failure> {
        let hint = match &end.status {
            EndStatus::Completed => return Ok(()),
            EndStatus::Cancelled => return Err(Failure::Reported(INTERRUPTED)),
            EndStatus::Refused => Some("change the question, or use another model"),
            EndStatus::Budget { .. } => Some("raise it with --budget"),
            _ => None,
        };
        let failure = end.failure(&self.model);
        failure.map_or(Ok(()), |failure| match hint {
            Some(hint) => Err(failure.hint(hint).into()),
            None => Err(failure.into()),
        })
    }
}

/// A violation on one line, for a model: commands in hints are for people.
fn line(violation: &Diagnostic) -> String {
    let hints = violation.hints.iter().filter_map(Hint::text);
    let hints = hints.map(|text| format!("; {text}"));
    format!("{}{}", violation.summary(), hints.collect::<String>())
}

/// The task that tells the model what is wrong.
fn correction(violations: &[String]) -> Vec<Part> {
    let text = format!(
        "Your answer breaks the contract:\n\n- {}\n\nAnswer again with the corrected JSON object \
         alone.",
        violations.join("\n- ")
    );
    vec![Part::text_of(text)]
}
