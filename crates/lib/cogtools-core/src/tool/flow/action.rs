//! The action of a node in a run, once its variables are known.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::node::{AgentNode, EachNode, FlowNode, NodeKind, ToolNode};
use crate::schema::Schema;
use crate::tool::CodeTask;
use crate::tool::Definition;
use crate::tool::agent::AgentTask;
use crate::tool::call::{RunError, ToolCall};
use crate::tool::js::Js;
use crate::tool::template::{Template, TemplateScope, ValueTemplate, printed};
use crate::{CallRules, Code, Context, Diagnostic, Question, digest};

/// The variety of the answers of a node, unless it says so: hardly any.
const TEMPERATURE: f64 = 0.2;
/// The limit of tokens of an answer of a node, unless it says so.
const MAX_TOKENS: u32 = 2_000;
/// The rule of an agent that chooses between two nodes.
const BINARY: &str = "Answer with the word true or the word false, and nothing else. If it is \
unclear, answer false.";

/// The action of a node.
#[derive(Debug)]
pub enum FlowAction<'n> {
    /// Nothing: its condition does not hold.
    Skip,
    /// It has this value.
    Done(Value),
    /// It calls a tool.
    Call(FlowCall),
    /// It asks a model.
    Agent(FlowQuestion),
    /// It runs code that calls tools.
    Code(CodeTask),
    /// It does the same for each of these items.
    Each(&'n EachNode, Vec<Value>),
    /// It asks the user this.
    Ask(String),
}

/// A call by a node.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowCall {
    /// The tool, or its capability.
    pub target: FlowTarget,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// Its answer without a call.
    pub preset: Option<Value>,
}

/// The tool of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowTarget {
    /// The one with this name.
    Name(String),
    /// The only one with this capability, which is one of `among` unless that is empty.
    Capability {
        /// The capability.
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
    /// True if its answer is JSON.
    pub is_json: bool,
    /// The nodes between which it chooses: one for true, one for everything else.
    pub branches: Option<(String, String)>,
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
    /// Answers of tools that it calls without calling them, by their names or capabilities.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub presets: Map<String, Value>,
    /// Code that counts the branches of nodes, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counted: BTreeMap<String, String>,
    /// The rules of the user for its calls, unless the user calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<CallRules>,
    /// True if a person can be asked: the output is a [`FlowReport`], as JSON.
    #[serde(default)]
    pub has_person: bool,
    /// The results of nodes that have run before a question.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub results: Map<String, Value>,
    /// The answers of the person, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, String>,
}

/// The end of a run of a flow for a client that can ask a person.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowReport {
    /// The output.
    Output(String),
    /// A node waits for an answer.
    Waiting {
        /// Its question.
        question: Box<Question>,
        /// The results of the nodes that have run.
        results: Map<String, Value>,
    },
}

/// A node of a flow with its variables.
pub struct FlowWork<'w> {
    node: &'w FlowNode,
    attempt: u32,
    tool: &'w Definition,
    scope: TemplateScope<'w>,
    variables: &'w Map<String, Value>,
}

impl FlowTask {
    /// Returns the digest of the file of `tool`.
    pub fn digest(tool: &Definition) -> String {
        digest::bytes(tool.source().as_bytes()).to_string()
    }

    /// Returns the event that `node` took the `branches` with these numbers.
    pub fn counted_branches(node: &str, branches: &Value) -> String {
        serde_json::json!({"node": node, "state": "counted", "branches": branches}).to_string()
    }
}

impl<'w> FlowWork<'w> {
    /// The work of `node` in `tool`, with these variables. `attempt` counts from 1.
    pub(crate) fn new(
        node: &'w FlowNode,
        tool: &'w Definition,
        variables: &'w Map<String, Value>,
        attempt: u32,
    ) -> Self {
        Self {
            node,
            attempt,
            tool,
            scope: TemplateScope::of(&tool.text),
            variables,
        }
    }

    /// Returns the action of the node.
    ///
    /// # Errors
    ///
    /// A template or the code fails.
    pub fn action(&self, cx: &Context) -> Result<FlowAction<'w>, RunError> {
        match &self.node.when {
            Some(when) if !self.holds(when)? => Ok(FlowAction::Skip),
            _ => self.action_of(&self.node.kind, cx),
        }
    }

    /// Returns the action for one item, if the node does the same for each.
    ///
    /// # Errors
    ///
    /// As [`Self::action`].
    pub fn item(&self, cx: &Context) -> Result<FlowAction<'w>, RunError> {
        let kind = match &self.node.kind {
            NodeKind::Each(each) => &each.kind,
            kind => kind,
        };
        self.action_of(kind, cx)
    }

    /// Returns the first check that does not hold, as the file writes it. The variables have the
    /// result, too.
    ///
    /// # Errors
    ///
    /// A check fails.
    pub fn failed_check(&self) -> Result<Option<&'w str>, RunError> {
        for check in &self.node.until {
            if !self.holds(check)? {
                return Ok(Some(check.condition()));
            }
        }
        Ok(None)
    }

    fn action_of(&self, kind: &'w NodeKind, cx: &Context) -> Result<FlowAction<'w>, RunError> {
        Ok(match kind {
            NodeKind::Text(value) => FlowAction::Done(self.evaluate(value)?),
            NodeKind::Js(js) if js.calls_tools() => FlowAction::Code(js.task(self.inputs(cx))),
            NodeKind::Js(js) => {
                self.count_branches(js, cx);
                FlowAction::Done(js.evaluate(self.inputs(cx))?.value)
            }
            NodeKind::Agent(node) => FlowAction::Agent(self.question(node)?),
            NodeKind::Tool(node) => FlowAction::Call(self.call(node)?),
            NodeKind::Router(routes) => {
                let mut chosen = Value::Null;
                for route in routes {
                    let when = route.when.as_ref();
                    if when.map_or(Ok(true), |when| self.holds(when))? {
                        chosen = route.to.0.as_str().into();
                        break;
                    }
                }
                FlowAction::Done(chosen)
            }
            NodeKind::Each(each) => {
                let Value::Array(items) = self.evaluate(&each.list)? else {
                    let id = &self.node.id;
                    return Err(failure(&format!("`in` of the node `{id}` is not a list")));
                };
                FlowAction::Each(each, items)
            }
            NodeKind::Ask(question) => FlowAction::Ask(printed(&self.evaluate(&question.text)?)),
        })
    }

    /// Returns the call of code in the node.
    fn inputs<'c>(&'c self, cx: &'c Context) -> ToolCall<'c> {
        ToolCall {
            tool: self.tool,
            arguments: self.variables.clone(),
            cx,
        }
    }

    /// Runs the code that counts the branches of `js`, if the test of an example wants to know them.
    fn count_branches(&self, js: &Js, cx: &Context) {
        let counting = cx.call.counted.get(&self.node.id);
        let Some((code, events)) = counting.zip(cx.call.events.as_ref()) else {
            return;
        };
        // The node itself reports a failure.
        let js = js.with_source(code.clone());
        if let Ok(counted) = js.evaluate(self.inputs(cx)) {
            events.pass(&FlowTask::counted_branches(&self.node.id, &counted.value));
        }
    }

    fn question(&self, node: &AgentNode) -> Result<FlowQuestion, RunError> {
        let mut task = node.agent.task(self.tool, self.variables)?;
        task.temperature.get_or_insert(TEMPERATURE);
        task.max_tokens.get_or_insert(MAX_TOKENS);
        task.seed.get_or_insert_with(|| self.seed());
        task.schema = node.reply.as_ref().map(Schema::to_json_schema);
        task.answers_by_call = task.schema.is_some() && task.tools.is_empty();
        let branches = node.branches.as_ref();
        let branches = branches.map(|[(yes, _), (no, _)]| (yes.clone(), no.clone()));
        if branches.is_some() {
            task.rules.push(BINARY.to_owned());
        }
        Ok(FlowQuestion {
            is_json: task.schema.is_some(),
            task: Box::new(task),
            branches,
        })
    }

    fn call(&self, node: &ToolNode) -> Result<FlowCall, RunError> {
        let text = |value: &ValueTemplate| self.evaluate(value).map(|value| printed(&value));
        let target = match (&node.name, &node.capability) {
            (Some(name), _) => FlowTarget::Name(text(name)?),
            (None, capability) => FlowTarget::Capability {
                capability: capability.as_ref().map_or(Ok(String::new()), text)?,
                among: node.among.clone(),
            },
        };
        let Value::Object(arguments) = self.evaluate(&node.arguments)? else {
            return Err(failure("the arguments of the call are no object"));
        };
        Ok(FlowCall {
            target,
            arguments,
            preset: node.preset.clone(),
        })
    }

    fn evaluate(&self, value: &ValueTemplate) -> Result<Value, RunError> {
        value.evaluate(&self.scope, self.variables)
    }

    /// Returns true if a condition holds.
    fn holds(&self, condition: &Template) -> Result<bool, RunError> {
        let printed = condition.render(&self.scope, self.variables.clone())?;
        Ok(!printed.is_empty())
    }

    /// Makes the answers of a node repeatable: the same for the same node, inputs and attempt. The
    /// same question would get the same answer again.
    fn seed(&self) -> i32 {
        let mut inputs = serde_json::json!([self.node.id, self.variables]);
        if self.attempt > 1 {
            inputs = serde_json::json!([inputs, self.attempt]);
        }
        let hash = digest::value(&inputs).to_string();
        // The beginning of the digest, as a number that is not negative.
        let digits = hash.chars().filter(char::is_ascii_hexdigit).take(7);
        i32::from_str_radix(&digits.collect::<String>(), 16).unwrap_or_default()
    }
}

fn failure(message: &str) -> RunError {
    Box::new(Diagnostic::new(Code::ToolFailed, message))
}
