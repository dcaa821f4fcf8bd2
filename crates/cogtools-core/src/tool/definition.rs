//! What a tool says of itself: everything but what answers its calls.

use std::time::Duration;

use super::{Annotations, Output, Tool};
use crate::Name;
use crate::schema::Schema;
use crate::yaml::Node;

/// What a tool says of itself, whether in a file or by the declaration of a provider.
#[derive(Debug)]
pub struct Definition {
    pub(super) name: Name,
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) schema: Schema,
    pub(super) examples: Vec<Node>,
    pub(super) output: Output,
    pub(super) annotations: Annotations,
    pub(super) capabilities: Vec<String>,
    pub(super) env: Vec<String>,
    pub(super) timeout: Duration,
}

impl Definition {
    /// That of a tool with these parameters, which says no more of itself.
    pub(crate) fn new(name: Name, description: impl Into<String>, schema: Schema) -> Self {
        Self {
            name,
            title: None,
            description: description.into(),
            schema,
            examples: Vec::new(),
            output: Output::default(),
            annotations: Annotations::default(),
            capabilities: Vec::new(),
            env: Vec::new(),
            timeout: Tool::TIMEOUT,
        }
    }

    /// What it accepts.
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The same with a title for people.
    #[must_use]
    pub(crate) fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same with what it says of its behaviour.
    #[must_use]
    pub(crate) const fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// The same with other parameters.
    #[must_use]
    pub(crate) fn with_schema(mut self, schema: Schema) -> Self {
        self.schema = schema;
        self
    }

    /// The same with so much time.
    #[must_use]
    pub(crate) const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}
