//! Code and agents in nodes.

use std::fmt::Debug;

use serde_json::{Map, Value};

use crate::text::Text;
use crate::tool::Tool;
use crate::tool::agent::AgentTask;
use crate::tool::template::TemplateSource;
use crate::{Context, Diagnostic};

/// Code or an agent in a node, which a tool can be as well.
pub(in crate::tool) trait Implementation: Debug + Send + Sync {
    /// The result of code.
    fn value(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
        cx: &Context,
    ) -> Result<Value, Box<Diagnostic>>;

    /// What an agent is asked.
    fn task(
        &self,
        tool: &Tool,
        variables: &Map<String, Value>,
    ) -> Result<AgentTask, Box<Diagnostic>>;

    /// The templates, for a flow whose file is `text`.
    fn templates(&self, text: &Text) -> Vec<TemplateSource>;

    /// Why every run would fail.
    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>>;
}
