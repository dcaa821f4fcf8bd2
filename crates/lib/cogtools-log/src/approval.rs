//! Whether a call may run, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a call may run, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Approval {
    /// What was decided.
    pub decision: Decision,
    /// Why.
    pub why: Why,
    /// The rule of the user that decided, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// What was decided about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
        }
    }

    /// The decision by a rule of the user.
    pub fn by_rule(decision: Decision, rule: impl Into<String>) -> Self {
        Self {
            decision,
            why: Why::Rule,
            rule: Some(rule.into()),
        }
    }
}
