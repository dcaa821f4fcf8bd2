//! What answers the calls of a tool.
//!
//! A tool file names one kind of implementation; a
//! provider's tool asks its program, and the built-in ones search. The rest of a
//! tool is the same for all of them.

use std::fmt::Debug;

use serde_json::{Map, Value};

use super::template::TemplateSource;
use super::{Tool, ToolOutput};
use crate::text::Text;
use crate::trust::Grant;
use crate::{Context, Diagnostic};

/// Why a tool that was accepted did not answer.
pub type RunError = Box<Diagnostic>;

/// What answers the calls of a tool. It is called through
/// [`Approved`](crate::approval::Approved) only.
pub trait Handler: Debug + Send + Sync {
    /// Answers a call of `tool` with `arguments` that it has accepted.
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        cx: &Context,
    ) -> Result<ToolOutput, RunError>;

    /// Whether a call runs programs. One that does none depends on its arguments
    /// and the tool's own folder alone.
    fn runs_programs(&self) -> bool;

    /// What the user has to have approved before a call, by content, when another
    /// author's program has declared the tool.
    fn grant(&self, _around: &Context) -> Option<Grant> {
        None
    }

    /// What keeps every call of a tool whose file is `text` from being answered.
    fn check(&self, _text: &Text) -> Result<(), Box<Diagnostic>> {
        Ok(())
    }

    /// Its templates, for a tool whose file is `text`.
    fn templates(&self, _text: &Text) -> Vec<TemplateSource> {
        Vec::new()
    }

    /// Whether the answer is what its template renders: an argument that no template
    /// reads is of no use then.
    fn is_template(&self) -> bool {
        false
    }
}
