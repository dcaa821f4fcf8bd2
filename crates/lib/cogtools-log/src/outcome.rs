//! Decisions about calls, and states of calls, nodes, caches and sessions.

use cogtools_document::Code;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Id, Timestamp};

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(tag = "status", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// The tool answered.
    Succeeded,
    /// The tool, or the check of its arguments, failed.
    Failed {
        /// The code of the failure, such as `SCHEMA_VIOLATION`.
        code: String,
    },
    /// The user does not want it to run.
    Denied,
    /// It took too long.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

impl Outcome {
    /// Its name in a file.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Returns true if the tool did not take the arguments, or there is no such tool.
    pub fn is_rejection(&self) -> bool {
        let Self::Failed { code } = self else {
            return false;
        };
        let codes = [
            Code::SchemaViolation,
            Code::InvalidArgumentsSyntax,
            Code::ToolNotFound,
        ];
        codes.iter().any(|one| one.name() == code)
    }
}

/// The kind of mistake in an argument that was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mistake {
    /// It was left out.
    Missing,
    /// The tool has no such parameter.
    Unknown,
    /// It had a wrong type.
    Type,
    /// It was none of the values to choose from.
    Choice,
    /// Its value was wrong otherwise.
    Other,
}

/// Returns the JSON pointers of the arguments that a rejection of a call of `tool` names, with what
/// is wrong. Sessions keep what the model read, a line for each: `TOOL: /POINTER: …`.
pub fn rejected_arguments(tool: &str, content: &Value) -> Vec<(String, Mistake)> {
    let text = content.get("error").and_then(Value::as_str);
    let prefix = format!("{tool}: /");
    let lines = text.unwrap_or_default().lines();
    let rejected = lines.filter_map(|line| {
        let (pointer, message) = line.strip_prefix(&prefix)?.split_once(": ")?;
        let mistake = match message {
            "required but missing" => Mistake::Missing,
            "not a parameter of this tool" => Mistake::Unknown,
            message if message.starts_with("expected one of ") => Mistake::Choice,
            message if message.starts_with("expected ") => Mistake::Type,
            _ => Mistake::Other,
        };
        Some((format!("/{pointer}"), mistake))
    });
    rejected.collect()
}

/// The end of a session, or of a run of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(tag = "status", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(inline)]
pub enum EndStatus {
    /// The model answered.
    Completed,
    /// The model refused to answer.
    Refused,
    /// A budget is spent.
    Budget {
        /// Which one.
        limit: BudgetLimit,
    },
    /// The model repeated itself.
    Loop,
    /// The service cannot be reached.
    Unavailable,
    /// The user has to approve calls.
    ApprovalWanted,
    /// The user has cancelled it.
    Cancelled,
    /// It failed.
    Failed {
        /// The code of the failure.
        code: String,
    },
}

impl EndStatus {
    /// The end of a run that failed with this code.
    pub fn failed(code: Code) -> Self {
        Self::Failed {
            code: code.name().to_owned(),
        }
    }

    /// Its name in a file.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// The limit of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(inline)]
pub enum BudgetLimit {
    /// Requests to the model.
    Turns,
    /// Calls of tools.
    Calls,
    /// Tokens, sent and received.
    Tokens,
    /// Time.
    Seconds,
    /// Money.
    Money,
}

/// The place of a call in a program; empty for a call that a model makes itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ProgramStep {
    /// The program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The call: `3`, or `3.2.1` in a block of `parallel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// The end of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProgramStatus {
    /// It came to its end.
    Completed,
    /// It threw an error, or was wrong.
    #[default]
    Failed,
    /// It waits for the user.
    Waiting,
    /// It exceeded a limit, or was cancelled.
    Stopped,
}

/// The state of a node of a flow.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr,
)]
#[serde(tag = "state", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(inline)]
pub enum NodeState {
    /// It runs.
    #[default]
    Started,
    /// It has ended.
    Succeeded,
    /// It has failed.
    Failed {
        /// The code of the failure.
        code: String,
        /// The fault.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
    /// It waits for an answer of the user.
    Waiting {
        /// The question.
        question: String,
    },
    /// It does not run.
    Skipped {
        /// The reason, in words: its condition does not hold, for example.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
    },
}

impl NodeState {
    /// Its name in a file.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// A change of the provider's cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
#[schemars(inline)]
pub enum CacheState {
    /// It was created.
    Created {
        /// The hash of the model, the instructions and the tools that it holds.
        key: String,
        /// The entry of the last turn that it holds; without it, it holds no turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        up_to: Option<Id>,
        /// When the provider deletes it.
        expires: Timestamp,
    },
    /// A request used it.
    Used,
    /// It was kept from expiring.
    Refreshed {
        /// When the provider deletes it.
        expires: Timestamp,
    },
    /// It was deleted.
    Deleted,
    /// Creating or using it failed; the request was sent in full.
    Failed {
        /// Why.
        reason: String,
    },
}

/// A decision about a call, and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Approval {
    /// The decision.
    pub decision: Decision,
    /// Why.
    pub why: Why,
    /// The rule of the user that decided, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The digest of the tool's file when the user was asked: another one is not approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Why the user does not want the call, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The decision about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(inline)]
pub enum Decision {
    /// It needs no question.
    Allowed,
    /// The user is asked, and has not answered yet.
    Asked,
    /// The user was asked, and agreed.
    Granted,
    /// It does not run.
    Denied,
}

/// The reason for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Why {
    /// A rule of the user.
    Rule,
    /// The user's answer to a question.
    Answer,
    /// The tool is a template or a script without side effects.
    Pure,
    /// A source that the user trusts says that the tool changes nothing.
    ReadOnly,
    /// The tool may destroy something.
    Destructive,
    /// The tool interacts with an open world, such as the web.
    OpenWorld,
    /// The tool is a program of others.
    Foreign,
    /// Nothing else applies.
    Default,
    /// There is no terminal to ask at.
    NoTerminal,
    /// Another reason, which a later version knows.
    #[serde(untagged)]
    Other(String),
}

impl Why {
    /// The reason in words.
    pub fn in_words(&self) -> &str {
        match self {
            Self::Rule => "a rule",
            Self::Answer => "the user's answer",
            Self::Pure => "it is pure",
            Self::ReadOnly => "it changes nothing",
            Self::Destructive => "it may destroy something",
            Self::OpenWorld => "it reaches an open world",
            Self::Foreign => "it is a program of others",
            Self::Default => "by default",
            Self::NoTerminal => "there is no terminal",
            Self::Other(other) => other,
        }
    }
}

impl Approval {
    /// The decision with its reason.
    pub const fn new(decision: Decision, why: Why) -> Self {
        Self {
            decision,
            why,
            rule: None,
            digest: None,
            reason: None,
        }
    }

    /// The user's no, with a reason.
    pub fn denied(reason: Option<String>) -> Self {
        Self {
            reason,
            ..Self::new(Decision::Denied, Why::Answer)
        }
    }

    /// The decision, unless `by_rule`, which the rules say now, denies: a yes may be older than the
    /// rule.
    #[must_use]
    pub fn unless_denied(self, by_rule: Self) -> Self {
        match (self.decision, by_rule.decision) {
            (Decision::Denied, _) => self,
            (_, Decision::Denied) => by_rule,
            _ => self,
        }
    }

    /// The decision by a rule of the user.
    pub fn by_rule(decision: Decision, rule: impl Into<String>) -> Self {
        Self {
            rule: Some(rule.into()),
            ..Self::new(decision, Why::Rule)
        }
    }
}

/// The choice of the tool of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Route {
    /// The capability that was asked for.
    pub capability: String,
    /// The capability after the aliases of the configuration.
    pub operation: String,
    /// The tools that the node may use.
    pub candidates: Vec<String>,
    /// The tool that was chosen, if there was exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The answer of the agent from which the capability was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Value>,
    /// The choice in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
}
