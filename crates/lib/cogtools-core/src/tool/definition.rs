//! The definition of a tool: everything but the handler of its calls.

use std::time::Duration;

use super::extras::Extras;
use super::{Annotations, Example, Output, Tool};
use crate::Name;
use crate::sandbox::Sandbox;
use crate::schema::Schema;

/// The definition of a tool, from a file or a provider's declaration.
#[derive(Debug)]
pub struct Definition {
    pub(super) name: Name,
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) schema: Schema,
    pub(super) examples: Vec<Example>,
    pub(super) output: Output,
    pub(super) annotations: Annotations,
    pub(super) extras: Extras,
    pub(super) capabilities: Vec<String>,
    pub(super) env: Vec<String>,
    pub(super) timeout: Duration,
    pub(super) sandbox: Option<Sandbox>,
}

impl Definition {
    /// A definition with these parameters and defaults for the rest.
    pub(crate) fn new(name: Name, description: impl Into<String>, schema: Schema) -> Self {
        Self {
            name,
            title: None,
            description: description.into(),
            schema,
            examples: Vec::new(),
            output: Output::default(),
            annotations: Annotations::default(),
            extras: Extras::default(),
            capabilities: Vec::new(),
            env: Vec::new(),
            timeout: Tool::TIMEOUT,
            sandbox: None,
        }
    }

    /// The schema of the arguments.
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Sets the title for people.
    #[must_use]
    pub(crate) fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the hints on its behaviour.
    #[must_use]
    pub(crate) const fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Sets what only clients of MCP use.
    #[must_use]
    pub(crate) fn with_extras(mut self, extras: Extras) -> Self {
        self.extras = extras;
        self
    }

    /// Sets the capabilities that it provides, as `provider.operation`.
    #[must_use]
    pub(crate) fn with_capabilities(mut self, capabilities: Vec<String>) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets the schema of the arguments.
    #[must_use]
    pub(crate) fn with_schema(mut self, schema: Schema) -> Self {
        self.schema = schema;
        self
    }

    /// Sets how long a call may take.
    #[must_use]
    pub(crate) const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}
