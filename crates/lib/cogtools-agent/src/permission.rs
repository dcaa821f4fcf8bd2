//! Whether a call may run: rules over names and annotations.

use cogtools_core::tool::{Annotations, Author};
use cogtools_core::{Pattern, Tool};
use cogtools_log::{Approval, Decision, Why};

/// What decides about a tool, apart from its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolTraits {
    /// The hints of its file.
    pub annotations: Annotations,
    /// It runs no program: a template, or code in a sandbox.
    pub is_pure: bool,
    /// A package or a provider brings it.
    pub is_foreign: bool,
}

impl ToolTraits {
    /// What decides about `tool`.
    pub fn of(tool: &Tool) -> Self {
        Self {
            annotations: *tool.annotations(),
            is_pure: !tool.runs_programs(),
            is_foreign: matches!(
                tool.provenance().author,
                Author::Package(_) | Author::Provider
            ),
        }
    }

    /// Whether calls of it can run at the same time as others.
    pub fn is_parallel(&self) -> bool {
        self.is_pure || self.annotations.read_only == Some(true)
    }

    /// Whether a call of it can run again when it is not known whether it has run.
    pub fn is_repeatable(&self) -> bool {
        self.is_parallel() || self.annotations.idempotent == Some(true)
    }
}

/// The rules of a user: patterns of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Calls of these never run.
    pub deny: Vec<String>,
    /// Calls of these need an answer.
    pub ask: Vec<String>,
    /// Calls of these run without a question.
    pub allow: Vec<String>,
}

impl Permissions {
    /// Whether a call of the tool `name` may run.
    ///
    /// A rule of the user decides first: one that denies, one that asks, one that allows. Then a
    /// tool that may destroy something, reaches an open world or runs a program of others needs
    /// an answer. What is pure or changes nothing is allowed. Everything else needs an answer.
    pub fn decide(&self, name: &str, tool: &ToolTraits) -> Approval {
        let rules = [
            (&self.deny, Decision::Denied),
            (&self.ask, Decision::Asked),
            (&self.allow, Decision::Allowed),
        ];
        for (rules, decision) in rules {
            if let Some(rule) = rules.iter().find(|rule| Pattern::new(rule).matches(name)) {
                return Approval::by_rule(decision, rule);
            }
        }
        let hints = tool.annotations;
        let (decision, why) = if hints.destructive == Some(true) {
            (Decision::Asked, Why::Destructive)
        } else if hints.open_world == Some(true) {
            (Decision::Asked, Why::OpenWorld)
        } else if tool.is_pure {
            (Decision::Allowed, Why::Pure)
        } else if tool.is_foreign {
            (Decision::Asked, Why::Foreign)
        } else if hints.read_only == Some(true) {
            (Decision::Allowed, Why::ReadOnly)
        } else {
            (Decision::Asked, Why::Default)
        };
        Approval::new(decision, why)
    }
}
