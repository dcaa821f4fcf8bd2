//! Messages between clients, Restate and workers, as JSON.
//!
//! All of it is stored in journals, so a change must still read the form of before.

use cogtools_core::Code;
use cogtools_executor::{Graph, GraphError, Need, Node, Retry};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A run of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunRequest {
    /// The name of the flow.
    pub(crate) flow: String,
    /// The digest that it must have on every worker.
    pub(crate) digest: String,
    /// The digest of `cogtools.lock`, if there is one.
    #[serde(default)]
    pub(crate) lock: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
}

/// A node that waits, and how it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resume {
    /// The node.
    pub(crate) node: String,
    /// The decision about it.
    pub(crate) with: Decision,
}

/// The decision about a node that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    /// This is the answer to its question.
    Answer(String),
    /// It was interrupted and runs again.
    Repeat,
    /// It was interrupted and does not run again: this is its result.
    Result(Value),
}

/// A node that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// The node.
    pub(crate) node: String,
    /// The question. `None` if it was interrupted, and may have had an effect.
    pub(crate) question: Option<String>,
}

/// The graph, as `cogtools flow show --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) digest: String,
    pub(crate) lock: Option<String>,
    /// The codes of failures after which another attempt may do better.
    pub(crate) retryable: Vec<String>,
    pub(crate) nodes: Vec<ShownNode>,
    /// The arguments that were given, with defaults.
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShownNode {
    pub(crate) id: String,
    pub(crate) needs: Vec<ShownNeed>,
    pub(crate) retry: Retry,
    /// True if its result depends on its inputs alone.
    #[serde(default)]
    pub(crate) pure: bool,
    /// True if it can run again after an interruption.
    pub(crate) repeatable: bool,
    /// The digest of its content; `None` if its tool cannot be found.
    pub(crate) digest: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownNeed {
    pub(crate) node: String,
    pub(crate) optional: bool,
    /// True if the other node runs even if this one has failed.
    #[serde(default)]
    pub(crate) may_fail: bool,
    /// True if the other node reads the error of this one.
    #[serde(default)]
    pub(crate) error: bool,
}

/// A node to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeTask {
    pub(crate) flow: String,
    /// True if there is a lock file, which holds then.
    pub(crate) locked: bool,
    pub(crate) node: ShownNode,
    pub(crate) retryable: Vec<String>,
    /// The arguments of the flow, and the results of the nodes that it needs.
    pub(crate) inputs: Map<String, Value>,
}

/// An attempt of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AttemptTask {
    pub(crate) task: NodeTask,
    /// The number of the attempt, from 1.
    pub(crate) number: u32,
    /// The answer to the question of the node.
    pub(crate) answer: Option<String>,
}

/// The end of a node, or of one attempt of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(crate) enum NodeEnd {
    /// With a result.
    Succeeded { value: Value },
    /// It did not run.
    Skipped,
    /// It has failed.
    Failed { problem: Problem },
    /// It asks this.
    Asks { question: String },
    /// Another attempt had begun, and whether it had an effect is not known.
    Interrupted,
}

/// A failure, as programs report it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) subject: Option<String>,
    /// Where in the arguments it is.
    #[serde(default)]
    pub(crate) pointer: Option<String>,
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) hints: Vec<String>,
}

impl ShownNode {
    /// Returns true if the worker computes it with others at once. Attempts after a failure are
    /// spread over time, each in the journal.
    pub(crate) const fn is_computed(&self) -> bool {
        self.pure && self.retry.times == 0
    }
}

impl Shown {
    /// The graph, for the scheduler.
    pub(crate) fn graph(&self) -> Result<Graph, GraphError> {
        let need = |need: &ShownNeed| Need {
            node: need.node.clone(),
            is_optional: need.optional,
            may_fail: need.may_fail,
        };
        let node = |node: &ShownNode| Node {
            needs: node.needs.iter().map(need).collect(),
            ..Node::new(node.id.as_str())
        };
        Graph::new(self.nodes.iter().map(node).collect())
    }
}

impl Problem {
    /// A failure with this code.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code: code.name().to_owned(),
            subject: None,
            pointer: None,
            message: message.into(),
            hints: Vec::new(),
        }
    }

    /// Adds the subject.
    pub(crate) fn of(mut self, subject: &str) -> Self {
        self.subject = Some(subject.to_owned());
        self
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The failure of a run whose node `id` has failed so.
    pub(crate) fn of_node(&self, id: &str) -> Self {
        let subject = self.subject.iter().filter(|subject| *subject != id);
        let mut parts: Vec<&str> = subject.chain(&self.pointer).map(String::as_str).collect();
        if self.code != Code::NodeFailed.name() {
            parts.insert(0, &self.code);
        }
        parts.push(&self.message);
        Self {
            subject: Some(id.to_owned()),
            hints: self.hints.clone(),
            ..Self::new(Code::NodeFailed, parts.join(": "))
        }
    }

    /// One line: the code, the subject, the message; then a line for each hint.
    pub(crate) fn text(&self) -> String {
        let parts = [
            Some(&self.code),
            self.subject.as_ref(),
            self.pointer.as_ref(),
        ];
        let parts = parts.into_iter().flatten().chain([&self.message]);
        let mut text = parts.map(String::as_str).collect::<Vec<_>>().join(": ");
        for hint in &self.hints {
            text.push_str("\nhint: ");
            text.push_str(hint);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failure_of_a_node_is_that_of_its_run() {
        let check = |problem: Problem, expected: &str| {
            assert_eq!(problem.of_node("act").text(), expected);
        };
        let failed = |code| Problem::new(code, "no");
        check(failed(Code::NodeFailed), "NODE_FAILED: act: no");
        check(
            failed(Code::Timeout).of("act"),
            "NODE_FAILED: act: TIMEOUT: no",
        );
        let elsewhere = failed(Code::ToolFailed).of("tool").hint("look");
        check(
            elsewhere,
            "NODE_FAILED: act: TOOL_FAILED: tool: no\nhint: look",
        );
    }

    #[test]
    fn journals_of_before_are_read() {
        let read = |text: &str| serde_json::from_str::<RunRequest>(text).is_ok();
        assert!(read(r#"{"flow": "f", "digest": "d"}"#));
        assert!(read(
            r#"{"flow": "f", "digest": "d", "lock": null, "arguments": {"a": 1}}"#
        ));
        assert!(!read(r#"{"flow": "f"}"#));
        assert!(!read(r#"{"flow": "f", "digest": "d", "other": 1}"#));
    }
}
