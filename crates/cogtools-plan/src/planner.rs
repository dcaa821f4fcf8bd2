//! Asks a model for a plan. An answer that breaks the contract goes back to it once, with every
//! violation.

use std::sync::Arc;

use cogtools_agent::{
    Agent, AgentParts, AgentTool, Journal, Ledger, ReadyCall, RequestOptions, RunEnd, Settings,
    Silent, Tools, diagnostic,
};
use cogtools_agent::{Connection, ModelFacts, ModelOptions, Requests, limit_name, stable_seed};
use cogtools_core::{Cancel, Code, Diagnostic, Hint};
use cogtools_journal as session;
use cogtools_log::EndStatus;
use cogtools_model::{Content, Generation, Part};
use cogtools_program::Failure;
use serde_json::{Map, Value};

use crate::catalogue::Catalogue;
use crate::contract::Contract;

/// The exit status of a process that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// What a model is asked with.
pub(crate) struct Planner<'p> {
    pub(crate) options: &'p ModelOptions,
    pub(crate) model: String,
    pub(crate) facts: ModelFacts,
    pub(crate) connection: &'p Connection,
    pub(crate) catalogue: &'p Catalogue,
    pub(crate) cancel: Cancel,
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
        Err(vec![
            Diagnostic::new(Code::ToolNotFound, message).with_subject(name),
        ])
    }
}

impl Planner<'_> {
    /// Asks for a plan for `task`. Returns the session with it.
    pub(crate) fn plan(
        &self,
        task: Vec<Part>,
        journal: Journal,
    ) -> Result<(Contract, Journal), Failure> {
        let mut observer = Silent;
        let mut agent = Agent::new(AgentParts {
            model: self.connection.model(),
            tools: Arc::new(NoTools),
            journal,
            system: Some(Arc::new(Content::system(self.catalogue.instructions()))),
            dynamic: None,
            settings: self.settings(&task),
            ledger: Ledger::new(self.options.budget),
            observer: &mut observer,
            cancel: self.cancel.clone(),
        });
        let requests = Requests::new()?;
        let found = requests.wait(self.ask(&mut agent, task));
        let saved = self.connection.save();
        let contract = found.unwrap_or(Err(Failure::Reported(1)))?;
        saved?;
        Ok((contract, agent.into_journal()))
    }

    fn settings(&self, task: &[Part]) -> Settings {
        let seed = self.options.seed;
        let generation = Generation {
            temperature: self.options.temperature,
            seed: Some(seed.unwrap_or_else(|| stable_seed(&self.model, task))),
            max_output_tokens: self.options.max_tokens,
            ..Generation::default()
        };
        Settings {
            request: RequestOptions {
                model: self.model.clone(),
                generation,
                ..RequestOptions::default()
            },
            price: self.facts.price.clone(),
            ..Settings::default()
        }
    }

    async fn ask(&self, agent: &mut Agent<'_>, task: Vec<Part>) -> Result<Contract, Failure> {
        let end = agent.run(task).await;
        let end = end.map_err(|error| session::failure(&error))?;
        let violations = match self.contract(&self.text(end)?) {
            Ok(contract) => return Ok(contract),
            Err(violations) => violations,
        };
        let end = agent.run(correction(&violations)).await;
        let end = end.map_err(|error| session::failure(&error))?;
        let violations = match self.contract(&self.text(end)?) {
            Ok(contract) => return Ok(contract),
            Err(violations) => violations,
        };
        let message = "the model's plan breaks the contract, and so does its correction";
        let diagnostic = Diagnostic::new(Code::ContractViolation, message)
            .with_subject(&*self.model)
            .with_details(violations.join("\n"));
        let rejected = agent.reject_answer(&diagnostic);
        rejected.map_err(|error| session::failure(&error))?;
        Err(diagnostic
            .hint("ask in another way, or another model")
            .hint("`cogtools session show` shows the answers")
            .into())
    }

    /// The plan in an answer, or what is wrong with it.
    fn contract(&self, text: &str) -> Result<Contract, Vec<String>> {
        let contract = Contract::parse(text).map_err(|violations| {
            let line = |violation: &Diagnostic| {
                // Commands are for people.
                let hints = violation.hints.iter().filter_map(|hint| match hint {
                    Hint::Text(text) => Some(format!("; {text}")),
                    Hint::Run { .. } => None,
                });
                format!("{}{}", violation.summary(), hints.collect::<String>())
            };
            violations.iter().map(line).collect::<Vec<String>>()
        })?;
        let unknown = self.catalogue.unknown_tools(&contract);
        if unknown.is_empty() {
            Ok(contract)
        } else {
            Err(unknown)
        }
    }

    /// The text of an answer, or why there is none.
    fn text(&self, end: RunEnd) -> Result<String, Failure> {
        let diagnostic = match (&end.status, &end.error) {
            (EndStatus::Completed, _) => return Ok(end.text),
            (EndStatus::Cancelled, _) => return Err(Failure::Reported(INTERRUPTED)),
            (EndStatus::Refused, _) => {
                let message = "the model refused to answer";
                Diagnostic::new(Code::ModelRefused, message)
                    .hint("change the question, or use another model")
            }
            (EndStatus::Budget { limit }, _) => {
                let message = format!("the budget of {} is spent", limit_name(*limit));
                Diagnostic::new(Code::BudgetSpent, message).hint("raise it with --budget")
            }
            (_, Some(error)) => diagnostic::diagnostic(error, &self.model),
            (_, None) => {
                let message = "the model gave no answer";
                Diagnostic::new(Code::ModelFailed, message).with_subject(&*self.model)
            }
        };
        Err(diagnostic.into())
    }
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
