//! What an agent can call.

use std::sync::Arc;

use cogtools_core::Diagnostic;
use serde_json::{Map, Value};

use crate::{CallScope, ToolTraits};

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTool {
    /// Its name.
    pub name: String,
    /// Its declaration for the Gemini API.
    pub declaration: Value,
    /// What decides whether calls of it may run.
    pub traits: ToolTraits,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallResult {
    /// What the tool answered: text, or a JSON value.
    Output(Value),
    /// Why it did not: every violation, with hints on how to repair the call.
    Failed(Vec<Diagnostic>),
}

/// A call that was accepted: it can run in any thread.
pub type ReadyCall = Box<dyn FnOnce(&CallScope) -> CallResult + Send>;

/// The tools of an agent.
pub trait Tools: Send + Sync {
    /// All tools, in the order in which they are declared.
    fn list(&self) -> Vec<AgentTool>;

    /// Checks a call. Returns how to run it, and the arguments with defaults filled in.
    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>>;
}

/// The declarations of `tools`, which all requests of a run share.
pub fn declarations(tools: &[AgentTool]) -> Arc<Vec<Value>> {
    let declarations = tools.iter().map(|tool| tool.declaration.clone());
    Arc::new(declarations.collect())
}
