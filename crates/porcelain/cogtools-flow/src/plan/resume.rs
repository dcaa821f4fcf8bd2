//! `cogtools plan resume`: a plan goes on with the results that its session has.

use clap::Args;
use cogtools_core::{Code, Diagnostic, Pattern};
use cogtools_log::view::NodeRun;
use cogtools_log::{Event, masked};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project;
use cogtools_program::questions::Prompt;
use cogtools_program::{Failure, Io};

use super::approval::denied;
use super::command::{StreamJsonArg, contract_of};
use super::contract::Contract;
use super::program::Programs;
use super::steps::PlanRun;
use crate::code_node;
use crate::journal;
use crate::recorder::Recorder;
use crate::run::{SessionArg, given_results};
use crate::show::Repeatable;

/// Go on with a plan that has failed or was interrupted
#[derive(Args)]
#[group(skip)]
pub(super) struct ResumeArgs {
    #[command(flatten)]
    session: SessionArg,
    /// Run this step again, although it may have run already
    #[arg(long, value_name = "STEP")]
    repeat: Vec<String>,
    /// The result of a step that was interrupted, which does not run again
    #[arg(long, value_name = "STEP=JSON")]
    result: Vec<String>,
    #[command(flatten)]
    stream_json: StreamJsonArg,
    #[command(flatten)]
    registry: RegistryArgs,
}

impl ResumeArgs {
    /// Goes on with the plan that the command line names.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let name = self.session.session.as_deref();
        let file = journal::locate(name, "plan", io)?;
        let (log, session) = journal::open(&file, io)?;
        let branch = session.branch(None);
        let logged = journal::last(&branch, "plan", &file)?;
        let contract = contract_of(&logged)?;
        let (asks, deny) = match &logged.entry.event {
            Event::Plan { masked: true, .. } => {
                return Err(masked("plan", "its steps").hint("run the plan anew").into());
            }
            Event::Plan { asks, deny, .. } => (*asks, deny.clone()),
            _ => (false, Vec::new()),
        };
        if !session.header.model.is_empty() {
            check_denied(&contract, &deny, io)?;
        }
        let mut results = logged.results(&file)?;
        let mut programs = Programs::load(&self.registry, &deny, io)?;
        programs.person.prompt = Prompt::of(io);
        // Who goes on with a plan agrees to it, but for those who want to be asked.
        if !asks {
            programs.agree(&contract);
        }
        let is_program = |id: &str| {
            let mut steps = contract.steps.iter();
            steps.any(|step| step.save_as == id && programs.has(step))
        };
        let mut begun = code_node::programs(&logged, is_program, (&session, &file))?;
        let registry = &programs.registry;
        let mut repeatable = Repeatable::new(registry);
        let given = given_results(&self.result)?;
        let mut named = self.repeat.iter().chain(given.keys());
        let is_step = |name: &String| contract.steps.iter().any(|it| it.save_as == *name);
        if let Some(unknown) = named.find(|name| !is_step(name)) {
            let diagnostic = Diagnostic::new(Code::Usage, "the plan has no such step");
            return Err(diagnostic.with_subject(unknown.as_str()).into());
        }
        let others: Vec<&String> = given.keys().collect();
        journal::check_named(&logged, "step", &self.repeat, &others)?;
        let open: Vec<&NodeRun<'_>> = logged
            .nodes
            .values()
            .filter(|node| {
                let is_decided =
                    self.repeat.iter().any(|it| it == node.id) || given.contains_key(node.id);
                let is_left = match begun.get(node.id) {
                    Some(program) => !repeatable.program(node, program),
                    // One that has not begun has called nothing.
                    None if is_program(node.id) => false,
                    None => {
                        let step = contract.steps.iter().find(|it| it.save_as == node.id);
                        let tool = step.and_then(|step| registry.find(step.called()?).ok());
                        node.is_open() && !tool.is_some_and(|tool| repeatable.tool(&tool, 0))
                    }
                };
                is_left && !is_decided
            })
            .collect();
        let resume = journal::resume("plan", Some(name.unwrap_or(&file.name())));
        let decided = (self.repeat.as_slice(), self.result.as_slice());
        journal::check_interrupted(&open, "step", &resume, decided)?;
        // One that has failed begins anew.
        begun.retain(|id, _| logged.node(id).is_some_and(NodeRun::is_open));
        programs.go_on(begun);
        let recorder = Recorder::new(Some(log), session.head());
        recorder.given(&given)?;
        results.nodes.extend(given);
        let run = PlanRun {
            contract,
            results,
            programs,
            recorder,
            resume,
            streams: self.stream_json.stream_json,
        };
        // Nothing has run of a plan that was refused.
        if logged.nodes.is_empty() {
            run.check()?;
        }
        run.run(io)
    }
}

/// Fails if the configuration or the user's `deny` denies a tool to models, one of which has written
/// the plan.
fn check_denied(contract: &Contract, deny: &[String], io: &Io<'_>) -> Result<(), Failure> {
    let config = project::config(&project::project(io), io)?;
    let rules = config.ask.deny.iter().chain(deny);
    let rules: Vec<Pattern> = rules.map(|rule| Pattern::new(rule)).collect();
    let mut tools = contract.steps.iter().filter_map(|step| step.called());
    match tools.find(|tool| rules.iter().any(|rule| rule.matches(tool))) {
        None => Ok(()),
        Some(tool) => Err(denied(tool).into()),
    }
}
