//! Messages between code that calls tools and the process that runs the calls: one line of JSON
//! each. The code's process asks with an [`Event`](super::Event), and waits for a [`Reply`].

use std::collections::BTreeMap;

use cogtools_document::{Diagnostic, Hint};
use serde::{Deserialize, Serialize};

use super::ScriptError;
use crate::http;

/// Names and state that code with tools begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolbox {
    /// The names of the tools in scope.
    pub names: Vec<String>,
    /// Names that are identifiers, for tools whose names are none.
    pub aliases: BTreeMap<String, String>,
    /// The seed of random numbers.
    pub seed: u64,
    /// The members of `store`: a JSON object.
    pub store: String,
}

/// A call that the code makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its place: `3`, or `3.2.1` in a block of `parallel`.
    pub step: String,
    /// The tool, as the code names it.
    pub tool: String,
    /// The arguments: JSON.
    pub arguments: String,
}

/// The answer to an event that asks for something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The time that the code's clock shows from now on, in milliseconds since 1970.
    pub now: f64,
    /// An answer to each call, in their order.
    pub answers: Vec<Answer>,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The result: JSON.
    Value(String),
    /// The failure, which the code gets as an exception.
    Error(ToolFailure),
}

/// A call that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// The stable code.
    pub code: String,
    /// The tool.
    pub tool: String,
    /// The text of the exception.
    pub message: String,
    /// Every argument that does not match.
    pub violations: Vec<Violation>,
    /// The next steps.
    pub hints: Vec<String>,
}

/// An argument that does not match the schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The JSON pointer of the argument.
    pub pointer: String,
    /// The mismatch.
    pub message: String,
}

impl ToolFailure {
    /// The failure of a call of `tool` for these reasons, the first of which names its code.
    pub fn new(tool: &str, diagnostics: &[Diagnostic]) -> Self {
        let code = diagnostics.first().map_or("INTERNAL", |it| it.code.name());
        let lines = diagnostics.iter().map(Diagnostic::summary);
        let violations = diagnostics.iter().filter_map(|it| {
            Some(Violation {
                pointer: it.pointer.clone()?,
                message: it.message.clone(),
            })
        });
        let hints = diagnostics.iter().flat_map(|it| &it.hints);
        let hints = hints.filter_map(Hint::text).map(str::to_owned);
        Self {
            code: code.to_owned(),
            tool: tool.to_owned(),
            message: lines.collect::<Vec<_>>().join("\n"),
            violations: violations.collect(),
            hints: hints.collect(),
        }
    }
}

/// The part of a request before the arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The body of the function.
    pub code: String,
    /// The time that the clock shows, in milliseconds since 1970.
    pub now: Option<f64>,
    /// True for the code of a tool or a node.
    #[serde(default)]
    pub is_tool: bool,
    /// The tools of code that can call some. Its input stays open for their results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Toolbox>,
}

/// A line that the process prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// Something was logged.
    Log(String),
    /// The body returned.
    Result {
        /// The result as JSON.
        json: String,
        /// True if it is the text of a value that JSON does not have.
        stringified: bool,
        /// Duration in milliseconds.
        ms: u64,
    },
    /// It failed.
    Error(ScriptError),
    /// The body returned nothing, as code that calls tools may.
    Nothing {
        /// Duration in milliseconds.
        ms: u64,
    },
    /// It calls tools, and waits for the [`Reply`].
    Calls {
        /// The calls: one, or all that a block of `parallel` makes at the same time.
        calls: Vec<ToolCall>,
        /// The number of calls that may run at once.
        limit: u32,
    },
    /// It searches tools, and waits for the reply.
    Search {
        /// The words.
        query: String,
        /// The number of results.
        limit: u32,
    },
    /// It asks for the declarations of these tools, and waits for the reply.
    Describe(Vec<String>),
    /// It printed a line.
    Print(String),
    /// The members of its store at the end: a JSON object.
    Store(String),
}

impl Request {
    /// The whole input of the process: this, and `args` as JSON.
    pub fn encode(&self, args: &str) -> Vec<u8> {
        http::encode(self, args.as_bytes())
    }

    /// The request in the `input` of the process, and the arguments after it.
    pub fn decode(input: &[u8]) -> Option<(Self, &[u8])> {
        http::decode(input)
    }
}

impl Event {
    /// It as a line.
    pub fn encode(&self) -> Vec<u8> {
        http::encode(self, b"")
    }
}
