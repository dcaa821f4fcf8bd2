//! The events of a session.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use strum::VariantNames as _;

use crate::NodeModel;
use crate::{
    Approval, BlobId, CacheState, CallId, EndStatus, Id, LayerSize, NodeState, Outcome,
    ProgramStatus, ProgramStep, Route, Usage,
};

/// The event.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::AsRefStr,
    strum::VariantNames,
)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Event {
    /// The user wants something.
    Task {
        /// The content parts, in the form of the Gemini API: text and files.
        parts: Vec<Value>,
    },
    /// A request is sent to the model.
    Request {
        /// The hash of the request, as a recording is found by.
        hash: String,
        /// Its layers, in order.
        layers: Vec<LayerSize>,
        /// The model.
        model: String,
        /// The number of the request in this session, from 1.
        turn: u32,
    },
    /// The model has answered.
    Response {
        /// Exactly what the provider sent, with all signatures: a content, and the message of
        /// another API that it was read from.
        content: Value,
        /// Why the model has ended, in the provider's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        finish_reason: Option<String>,
        /// The version of the model, in the provider's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model_version: Option<String>,
        /// The provider's name of the response.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response_id: Option<String>,
        /// True if a secret in the calls is masked: no later run makes them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        masked: bool,
    },
    /// The model calls a tool. The calls of a response follow it, in its order.
    Call(CallEvent),
    /// The tool of the call that this follows is an agent: the entries below this one are its own
    /// conversation. They are not on the way from the result of the call to the root.
    Agent {
        /// The tool.
        tool: String,
    },
    /// A call has ended.
    Result(ResultEvent),
    /// A program that calls tools is about to run.
    Program {
        /// Its name in the session: `p1`, `p2` and so on.
        program: String,
        /// The code.
        code: String,
        /// The SHA-256 of the code.
        digest: String,
        /// The value of `args`.
        args: Value,
        /// The seed of its random numbers.
        seed: u64,
        /// The tools that the code names, with the digests of their declarations.
        tools: BTreeMap<String, String>,
        /// True if a secret in the code or in `args` is masked: it is not resumed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        masked: bool,
    },
    /// A program printed a line.
    Print {
        /// The program.
        program: String,
        /// The line. Of a long one, the beginning and the end.
        text: String,
        /// The whole line, if `text` is not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob: Option<BlobId>,
    },
    /// The values that a program keeps for the next programs of the session.
    Store {
        /// The program.
        program: String,
        /// All of them. Of many, the beginning and the end as text.
        value: Value,
        /// All of them as JSON, if `value` is not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob: Option<BlobId>,
    },
    /// A program has ended, or waits for the user.
    ProgramEnd {
        /// The program.
        program: String,
        /// The end.
        status: ProgramStatus,
        /// The code of the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// The value that it returned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// The number of calls.
        calls: u64,
        /// The duration in milliseconds.
        ms: u64,
    },
    /// A flow is about to run.
    Flow {
        /// The tool.
        tool: String,
        /// The digest of its file.
        digest: String,
        /// The arguments, with defaults and without personal data.
        arguments: Value,
        /// The whole arguments as JSON, if personal data in `arguments` is masked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob: Option<BlobId>,
        /// True if a secret in the arguments is masked: it is not resumed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        masked: bool,
    },
    /// A node of the last flow, or a step of the last plan, has started or ended.
    Node(Box<NodeEvent>),
    /// A plan is about to run: all of its steps are planned.
    Plan {
        /// Its subject in a word: `clock`, `arithmetic` or `general`.
        intent: String,
        /// The plan, as `cogtools plan check` prints it.
        plan: Value,
        /// True if the user wants to be asked at each call of its programs.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        asks: bool,
        /// The tools that the user has denied it, as patterns.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        deny: Vec<String>,
        /// True if a secret in the plan is masked: it is not resumed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        masked: bool,
    },
    /// The last plan or flow has run: the reply of the plan, in which placeholders are replaced by
    /// results, or the output of the flow as text. Without personal data.
    Reply {
        /// The reply. Of a long one, the beginning and the end.
        text: String,
        /// The whole reply as JSON, if `text` is not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob: Option<BlobId>,
    },
    /// Earlier entries are replaced by a summary in what the model sees.
    Compaction {
        /// The last entry that is replaced.
        up_to: Id,
        /// The content that replaces them.
        summary: Value,
    },
    /// Results are too old for the model to see them whole.
    Expired {
        /// The entries with the results.
        results: Vec<Id>,
    },
    /// Something happened to the provider's cache.
    Cache {
        /// The provider's name of it; empty if it has none yet.
        name: String,
        /// The event.
        #[serde(flatten)]
        state: CacheState,
        /// The number of its tokens.
        tokens: u64,
    },
    /// The tokens and the price of the last request.
    Usage(Usage),
    /// Something failed.
    Error {
        /// The code.
        code: String,
        /// The fault.
        message: String,
        /// Its subject.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        subject: String,
        /// The remedies.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hints: Vec<String>,
    },
    /// The run waits until the user approves calls.
    Paused {
        /// The calls.
        calls: Vec<CallId>,
    },
    /// The user has decided about a call that the run waits for.
    Decision {
        /// The call.
        call: CallId,
        /// The decision.
        approval: Approval,
    },
    /// The run has ended. Another may continue the session.
    End {
        /// The end.
        #[serde(flatten)]
        status: EndStatus,
    },
    /// The user has taken a task back: what follows this does not follow the task.
    Undone {
        /// The task, on another branch.
        task: Id,
    },
    /// Lines right before this one were cut off while they were written, and do not count.
    Torn {
        /// The number of lines.
        lines: u32,
    },
    /// A kind that a later version of cogtools knows: all of its fields. It is only read.
    #[serde(skip)]
    #[schemars(skip)]
    Unknown(Map<String, Value>),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CallEvent {
    /// The name of the call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// The arguments, as the model sent them.
    pub arguments: Value,
    /// The arguments that the tool gets, if they differ: with defaults, for example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Value>,
    /// The decision whether it may run.
    pub approval: Approval,
    /// True if a secret in the arguments is masked: no later run makes the call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// The place in the program that makes the call, if the model does not make it itself.
    #[serde(flatten)]
    pub place: ProgramStep,
}

impl CallEvent {
    /// A call that a model makes.
    pub fn new(call: CallId, tool: String, arguments: Value, approval: Approval) -> Self {
        Self {
            call,
            tool,
            arguments,
            resolved: None,
            approval,
            masked: false,
            place: ProgramStep::default(),
        }
    }

    /// The arguments that the tool gets.
    pub fn resolved(&self) -> &Value {
        self.resolved.as_ref().unwrap_or(&self.arguments)
    }
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ResultEvent {
    /// The name of the call.
    pub call: CallId,
    /// The end of the call.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The result as the model gets it: an object with `output` or `error`. Of a long result, the
    /// beginning and the end.
    pub content: Value,
    /// Files that belong to the result: parts of the Gemini API.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Value>,
    /// The whole result, if `content` is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobId>,
    /// The duration of the call, in milliseconds.
    pub ms: u64,
    /// True if a secret in the result is masked: no program can go on from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// The place in the program that made the call, if the model did not make it itself.
    #[serde(flatten)]
    pub place: ProgramStep,
}

impl ResultEvent {
    /// The end of a call that took no time.
    pub fn new(call: CallId, outcome: Outcome, content: Value) -> Self {
        Self {
            call,
            outcome,
            content,
            files: Vec::new(),
            blob: None,
            ms: 0,
            masked: false,
            place: ProgramStep::default(),
        }
    }
}

/// The start or the end of a node of a flow, of an item of one, or of a step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct NodeEvent {
    /// The node, or the `save_as` of the step. Of a node that does the same for each item of a list, also `NODE.INDEX`.
    pub node: String,
    /// Its state.
    #[serde(flatten)]
    pub state: NodeState,
    /// The tool of a step, at its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments of its call, without personal data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Value>,
    /// The choice of its tool, at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// Its result, without personal data. Of a long one, the beginning and the end as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The whole result as JSON, if `output` is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobId>,
    /// True if a secret in the result is masked: no run can go on from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// The digest of its call, if later runs may use its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// True if the result is of an earlier run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// The number of the attempt, if it is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The first lines that the tool's program has written to standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<String>,
    /// The model that it has asked, at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<NodeModel>,
    /// Its duration in milliseconds, at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

impl Event {
    /// All kinds that this version knows.
    pub fn kinds() -> &'static [&'static str] {
        // The last is none.
        &Self::VARIANTS[..Self::VARIANTS.len() - 1]
    }

    /// The kind, as in the file.
    pub fn kind(&self) -> &str {
        match self {
            Self::Unknown(fields) => fields.get("kind").and_then(Value::as_str).unwrap_or(""),
            known => known.as_ref(),
        }
    }

    /// The part of the line that a later run would run, and the mark that a secret in it is masked.
    pub(crate) fn runnable(&mut self) -> Option<(Value, &mut bool)> {
        Some(match self {
            Self::Response {
                content, masked, ..
            } => {
                let parts = content.get("parts").and_then(Value::as_array);
                let calls = parts.into_iter().flatten();
                let calls = calls.filter_map(|part| part.get("functionCall"));
                (calls.cloned().collect(), masked)
            }
            Self::Call(call) => (call.resolved().clone(), &mut call.masked),
            Self::Program {
                code, args, masked, ..
            } => (json!([code, args]), masked),
            Self::Flow {
                arguments, masked, ..
            } => (arguments.clone(), masked),
            Self::Plan { plan, masked, .. } => (plan.clone(), masked),
            _ => return None,
        })
    }

    /// The subject that it gives a session: the text of a task, the restatement of a plan, or the
    /// name of a flow.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Plan { plan, .. } => plan.get("restatement")?.as_str(),
            Self::Flow { tool, .. } => Some(tool),
            event => event.text(),
        }
    }

    /// The text that a user or a model reads first in it: of a task, its first part with text.
    pub fn text(&self) -> Option<&str> {
        let Self::Task { parts } = self else {
            return None;
        };
        let mut texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
        texts.find(|text| !text.trim().is_empty())
    }
}
