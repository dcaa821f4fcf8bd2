//! What a node does in a run, once its variables are known.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AgentNode, EachNode, Flow, FlowNode, NodeKind, Route, ToolNode};
use crate::schema::Schema;
use crate::tool::agent::AgentTask;
use crate::tool::template::{Partials, Template};
use crate::{Code, Context, Diagnostic, Tool, digest};

/// How varied the answers of a node are, unless it says so: hardly.
const TEMPERATURE: f64 = 0.2;
/// How many tokens an answer of a node has, unless it says so.
const MAX_TOKENS: u32 = 2_000;
/// What an agent reads that chooses between two nodes.
const BINARY: &str = "Answer with the word true or the word false, and nothing else. If it is \
unclear, answer false.";

/// What a node does.
#[derive(Debug)]
pub enum FlowAction {
    /// Nothing: its condition does not hold.
    Skip,
    /// It has this value.
    Done(Value),
    /// It calls a tool.
    Call(FlowCall),
    /// It asks a model.
    Agent(FlowQuestion),
    /// It does the same for each of these items.
    Each(FlowItems),
    /// It asks the user this.
    Ask(String),
}

/// A call by a node.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowCall {
    /// The tool, or what it is for.
    pub target: FlowTarget,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// What it answers without a call.
    pub preset: Option<Value>,
}

/// The tool of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowTarget {
    /// The one with this name.
    Name(String),
    /// The only one with this capability, which is one of `among` unless that is empty.
    Capability {
        /// What it is for.
        capability: String,
        /// The capabilities that the node may use.
        among: Vec<String>,
    },
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowQuestion {
    /// The agent.
    pub task: Box<AgentTask>,
    /// Whether its answer is JSON.
    pub is_json: bool,
    /// The nodes between which it chooses: that for true, and that for everything else.
    pub branches: Option<(String, String)>,
}

/// Items for which a node does the same.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowItems {
    /// The items.
    pub items: Vec<Value>,
    /// The variable with the item.
    pub variable: String,
    /// How many are worked on at the same time.
    pub max: usize,
}

/// A call of a tool that is a flow, as the program that runs it gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowTask {
    /// The name of the tool.
    pub tool: String,
    /// Its file.
    pub file: PathBuf,
    /// The digest of the file: it must not have changed.
    pub digest: String,
    /// The arguments of the call.
    pub arguments: Map<String, Value>,
    /// What the tools that it calls answer without being called, by their names or capabilities.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub presets: Map<String, Value>,
}

impl FlowTask {
    /// The digest of the file of `tool`.
    pub fn digest(tool: &Tool) -> String {
        digest::bytes(tool.source().as_bytes()).to_string()
    }
}

impl FlowNode {
    /// What it does as a node of `tool`, with these variables.
    pub(crate) fn action(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
        attempt: u32,
        cx: &Context,
    ) -> Result<FlowAction, Box<Diagnostic>> {
        let skips = |when: &Template| holds(when, tool, variables).map(|holds| !holds);
        if self.when.as_ref().map_or(Ok(false), skips)? {
            return Ok(FlowAction::Skip);
        }
        self.kind.action((&self.id, attempt), tool, variables, cx)
    }

    /// The first check that does not hold, as the file writes it. The variables have the result,
    /// too.
    pub(crate) fn failed_check(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
    ) -> Result<Option<&str>, Box<Diagnostic>> {
        for check in &self.until {
            if !holds(check, tool, variables)? {
                return Ok(Some(check.condition()));
            }
        }
        Ok(None)
    }

    /// What it does for one item, if it does the same for each.
    pub(crate) fn item(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
        attempt: u32,
        cx: &Context,
    ) -> Result<FlowAction, Box<Diagnostic>> {
        let kind = match &self.kind {
            NodeKind::Each(each) => &each.kind,
            kind => kind,
        };
        kind.action((&self.id, attempt), tool, variables, cx)
    }
}

impl NodeKind {
    fn action(
        &self,
        (id, attempt): (&str, u32),
        tool: &Tool,
        variables: &Map<String, Value>,
        cx: &Context,
    ) -> Result<FlowAction, Box<Diagnostic>> {
        let (text, partials) = (tool.text(), Partials::of(tool.text()));
        Ok(match self {
            Self::Text(value) => FlowAction::Done(value.evaluate(text, &partials, variables)?),
            Self::Js(code) => FlowAction::Done(code.value(tool, variables, cx)?),
            Self::Agent(node) => node.question((id, attempt), tool, variables)?,
            Self::Tool(node) => FlowAction::Call(node.call(tool, variables)?),
            Self::Router(routes) => FlowAction::Done(choose(routes, tool, variables)?),
            Self::Each(each) => FlowAction::Each(each.items(id, tool, variables)?),
            Self::Ask(question) => {
                let question = question.evaluate(text, &partials, variables)?;
                FlowAction::Ask(Flow::text(&question))
            }
        })
    }
}

impl AgentNode {
    fn question(
        &self,
        (id, attempt): (&str, u32),
        tool: &Tool,
        variables: &Map<String, Value>,
    ) -> Result<FlowAction, Box<Diagnostic>> {
        let mut task = self.agent.task(tool, variables)?;
        task.temperature.get_or_insert(TEMPERATURE);
        task.max_tokens.get_or_insert(MAX_TOKENS);
        task.seed
            .get_or_insert_with(|| seed(id, attempt, variables));
        task.schema = self.reply.as_ref().map(Schema::to_json_schema);
        task.answers_by_call = task.schema.is_some() && task.tools.is_empty();
        let names = |branches: &super::Branches| (branches.yes.0.clone(), branches.no.0.clone());
        let branches = self.branches.as_ref().map(names);
        if branches.is_some() {
            task.rules.push(BINARY.to_owned());
        }
        Ok(FlowAction::Agent(FlowQuestion {
            is_json: task.schema.is_some(),
            task: Box::new(task),
            branches,
        }))
    }
}

impl ToolNode {
    fn call(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
    ) -> Result<FlowCall, Box<Diagnostic>> {
        let (text, partials) = (tool.text(), Partials::of(tool.text()));
        let evaluate = |value: &super::ValueTemplate| value.evaluate(text, &partials, variables);
        let target = match (&self.name, &self.capability) {
            (Some(name), _) => FlowTarget::Name(Flow::text(&evaluate(name)?)),
            (None, capability) => FlowTarget::Capability {
                capability: capability
                    .as_ref()
                    .map(evaluate)
                    .transpose()?
                    .map_or_else(String::new, |capability| Flow::text(&capability)),
                among: self.among.clone(),
            },
        };
        let Value::Object(arguments) = evaluate(&self.arguments)? else {
            return Err(failure("the arguments of the call are no object"));
        };
        Ok(FlowCall {
            target,
            arguments,
            preset: self.preset.clone(),
        })
    }
}

impl EachNode {
    fn items(
        &self,
        id: &str,
        tool: &Tool,
        variables: &Map<String, Value>,
    ) -> Result<FlowItems, Box<Diagnostic>> {
        let text = tool.text();
        match self.list.evaluate(text, &Partials::of(text), variables)? {
            Value::Array(items) => Ok(FlowItems {
                items,
                variable: self.variable.clone(),
                max: self.max,
            }),
            _ => Err(failure(&format!("`in` of the node `{id}` is not a list"))),
        }
    }
}

/// The name of the first node whose condition holds, or null.
fn choose(
    routes: &[Route],
    tool: &Tool,
    variables: &Map<String, Value>,
) -> Result<Value, Box<Diagnostic>> {
    for route in routes {
        let when = route.when.as_ref();
        if when.map_or(Ok(true), |when| holds(when, tool, variables))? {
            return Ok(route.to.0.as_str().into());
        }
    }
    Ok(Value::Null)
}

/// Whether a condition holds.
fn holds(
    condition: &Template,
    tool: &Tool,
    variables: &Map<String, Value>,
) -> Result<bool, Box<Diagnostic>> {
    let text = tool.text();
    let printed = condition.render(text, &Partials::of(text), variables.clone())?;
    Ok(!printed.is_empty())
}

/// Makes the answers of a node repeatable: the same for the same node, inputs and attempt. The
/// same question would get the same answer again.
fn seed(id: &str, attempt: u32, variables: &Map<String, Value>) -> i32 {
    let again = (attempt > 1).then_some(attempt);
    let inputs = serde_json::json!([id, variables]);
    let hash = match again {
        None => digest::value(&inputs),
        Some(attempt) => digest::value(&serde_json::json!([inputs, attempt])),
    };
    let hash = hash.to_string();
    // The beginning of the digest, as a number that is not negative.
    let digits = hash.chars().filter(char::is_ascii_hexdigit).take(7);
    i32::from_str_radix(&digits.collect::<String>(), 16).unwrap_or_default()
}

fn failure(message: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::ToolFailed, message))
}
