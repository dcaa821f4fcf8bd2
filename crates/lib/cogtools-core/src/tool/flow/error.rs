//! What can be wrong with a flow, besides the values of its keys.

use super::{Flow, NodeKind};

/// What is wrong with a flow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// No nodes at all.
    #[error("a flow needs at least one node")]
    Empty,
    /// More than [`Flow::MAX_NODES`] nodes.
    #[error("{0} nodes; a flow has at most {max}", max = Flow::MAX_NODES)]
    TooMany(usize),
    /// A name that cannot be a variable.
    #[error("`{0}` is not a name of a node")]
    Name(String),
    /// A node with the name of a parameter.
    #[error("the node `{0}` has the name of a parameter")]
    Parameter(String),
    /// A node that does nothing, or several things; the field lists what it can do.
    #[error("a node needs exactly one of {0}")]
    OneKind(String),
    /// A node that no node is named; and what was probably meant.
    #[error("there is no node `{0}`")]
    UnknownNode(String, Option<String>),
    /// A variable that is neither a parameter nor a node; and what was probably meant.
    #[error("`{0}` is neither a parameter nor a node")]
    UnknownVariable(String, Option<String>),
    /// These nodes need each other, each the next one, and the last one the first.
    #[error("nodes need each other: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// Neither or both of `name` and `capability`.
    #[error("a tool node needs either `name` or `capability`")]
    OneTarget,
    /// `then` and `else` without an agent, or one without the other.
    #[error("`then` and `else` belong to an agent, both of them")]
    Branches,
}

impl FlowError {
    /// A node needs one kind.
    pub(in crate::tool) fn one_kind() -> Self {
        Self::one_of(&NodeKind::NAMES)
    }

    /// Exactly one of these is needed.
    pub(in crate::tool) fn one_of(kinds: &[&str]) -> Self {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
        Self::OneKind(kinds.join(", "))
    }

    /// What to do about it.
    pub(in crate::tool) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Empty => "write `nodes: {first: {text: …}}`".into(),
            Self::TooMany(_) => "use `each` for many items".into(),
            Self::Name(_) => "use small letters, digits and underscores, as in `find_time`".into(),
            Self::Parameter(_) => "rename one of the two: both are variables".into(),
            Self::OneKind(_) => "write one, such as `text: \"{{ question }}\"`".into(),
            Self::UnknownNode(_, meant) | Self::UnknownVariable(_, meant) => meant.clone()?,
            Self::Cycle(_) => {
                "to repeat a node until something holds, write `retry: {until: …}`".into()
            }
            Self::OneTarget => "write `tool: NAME`, or `tool: {capability: …}`".into(),
            Self::Branches => "write `{agent: {…}, then: NODE, else: NODE}`".into(),
        })
    }
}
