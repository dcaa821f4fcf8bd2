//! A tool: one YAML file, parsed in two steps.
//!
//! First the document (any YAML), then the tool: a value that cannot be wrong,
//! because every key was checked when it was made.

mod accept;
mod annotations;
mod capability;
mod error;
mod examples;
mod key;
mod output;
mod parse;
mod reader;

pub(crate) use reader::Reader;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use accept::{AcceptError, Accepted};
pub use annotations::Annotations;
pub use error::{ToolError, ToolFault};
pub use key::Key;
pub use output::Output;
use serde_json::{Map, Value};

use crate::implementation::{Answer, Implementation, RunError, Written};
use crate::schema::Schema;
use crate::source::Provenance;
use crate::text::Text;
use crate::yaml::{self, Node};
use crate::{Fault, Name, Place, Surroundings, trust};

/// A valid tool.
#[derive(Debug)]
pub struct Tool {
    fields: Fields,
    text: Text,
    provenance: Arc<Provenance>,
}

/// What the keys of its file say.
#[derive(Debug)]
struct Fields {
    name: Name,
    title: Option<String>,
    description: String,
    schema: Schema,
    examples: Vec<Node>,
    implementation: Implementation,
    output: Output,
    annotations: Annotations,
    capabilities: Vec<String>,
    env: Vec<String>,
    timeout: Duration,
}

impl Tool {
    /// The URN a tool file may name as its `$schema`.
    pub const SCHEMA: &'static str = "schema:agladysh-research.org,2025/cogtools:tool";
    /// How long a tool may run unless it says otherwise.
    pub const TIMEOUT: Duration = Duration::from_mins(1);

    /// Reads the tool file at `path`, known to its user as `shown`. Its name must
    /// be the file's stem.
    pub fn load(path: &Path, shown: &Path) -> Result<Self, ToolError> {
        let text = Text::read(path, shown).map_err(ToolError::Text)?;
        let tool = Self::parse(text)?;
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        if tool.name().as_str() == stem {
            return Ok(tool);
        }
        Err(parse::wrong_stem(tool.name(), stem, &tool.text))
    }

    /// Parses the text of a tool file.
    pub fn parse(text: Text) -> Result<Self, ToolError> {
        parse::tool(text)
    }

    /// The name.
    pub const fn name(&self) -> &Name {
        &self.fields.name
    }

    /// Its file, as its user knows it.
    pub fn file(&self) -> &Path {
        self.text.name()
    }

    /// The title for people, if it has one.
    pub fn title(&self) -> Option<&str> {
        self.fields.title.as_deref()
    }

    /// What a model is told about it.
    pub fn description(&self) -> &str {
        &self.fields.description
    }

    /// What it accepts.
    pub const fn schema(&self) -> &Schema {
        &self.fields.schema
    }

    /// What it says of its behaviour.
    pub const fn annotations(&self) -> &Annotations {
        &self.fields.annotations
    }

    /// The capabilities it provides, as `provider.operation`: those it declares,
    /// or the one that is made of its toolset and its name.
    pub fn capabilities(&self) -> Vec<String> {
        match (
            &self.provenance.toolset,
            self.fields.capabilities.as_slice(),
        ) {
            (Some(toolset), []) => vec![capability::usual(toolset, self.name().as_str())],
            (_, declared) => declared.to_vec(),
        }
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The same tool done in another `way`, held to a recovered `schema` if it has
    /// one, with as much time as `timeout`.
    pub(crate) fn declared(
        mut self,
        way: Implementation,
        schema: Option<Schema>,
        timeout: Duration,
    ) -> Self {
        self.fields.implementation = way;
        if let Some(schema) = schema {
            self.fields.schema = schema;
        }
        self.fields.timeout = timeout;
        self
    }

    /// The same tool as a built-in one.
    pub(crate) fn built_in(mut self, name: Name, way: Implementation) -> Self {
        self.fields.name = name;
        self.fields.implementation = way;
        self
    }

    /// The same tool, from there.
    pub(crate) fn from(mut self, provenance: Arc<Provenance>) -> Self {
        self.provenance = provenance;
        self
    }

    /// The environment variables it may see.
    pub fn env(&self) -> &[String] {
        &self.fields.env
    }

    /// How long it may run.
    pub const fn timeout(&self) -> Duration {
        self.fields.timeout
    }

    /// Whether it has any examples.
    pub const fn has_examples(&self) -> bool {
        !self.fields.examples.is_empty()
    }

    /// Its examples as they are written.
    pub(crate) fn written_examples(&self) -> &[Node] {
        &self.fields.examples
    }

    /// The argument maps of its examples.
    pub fn examples(&self) -> impl Iterator<Item = Map<String, Value>> {
        self.fields
            .examples
            .iter()
            .filter_map(|node| match node.to_json() {
                Value::Object(object) => Some(object),
                _ => None,
            })
    }

    /// Runs the tool and returns its answer. Only a tool that is a command looks at
    /// its `surroundings`; one that others have written runs only if the user has
    /// allowed it.
    pub fn run(
        &self,
        arguments: Accepted,
        surroundings: &Surroundings,
    ) -> Result<Answer, RunError> {
        let arguments = match arguments.into_parts() {
            (_, Some((tool, arguments))) => return tool.run(arguments, surroundings),
            (arguments, None) => arguments,
        };
        trust::gate::check(self, surroundings)?;
        let answer = self
            .fields
            .implementation
            .run(self, arguments, surroundings)?;
        self.fields.output.hold(answer).map_err(|mut fault| {
            self.name().as_str().clone_into(&mut fault.subject);
            fault
        })
    }

    /// What it says of its result.
    pub const fn output(&self) -> &Output {
        &self.fields.output
    }

    /// The schema of its result, for a tool that declares one.
    pub const fn output_schema(&self) -> Option<&Schema> {
        self.fields.output.schema()
    }

    /// The text of its file.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// Looks at what a call would only find out later, or never: examples and
    /// defaults that do not fit and templates that do not compile.
    pub fn check(&self) -> Result<(), ToolError> {
        let mut faults = self.check_examples();
        if let Ok(document) = yaml::parse(&self.text) {
            faults.extend(examples::check_defaults(self, &document));
        }
        faults.extend(self.check_implementation());
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ToolError::Invalid(Fault::first_of(faults)))
        }
    }

    /// The examples that are not valid arguments, one fault a violation.
    pub fn check_examples(&self) -> Vec<Fault> {
        examples::check(self)
    }

    /// Why the example at `index`, from 0, is not valid arguments; nothing for
    /// one that is, and for one that there is not.
    pub fn check_example(&self, index: usize) -> Vec<Fault> {
        examples::check_one(self, index)
    }

    /// Where the example at `index`, from 0, begins.
    pub fn example_place(&self, index: usize) -> Option<Place> {
        let example = self.fields.examples.get(index)?;
        Some(self.text.place(example.span))
    }

    /// The text of its file.
    pub fn source(&self) -> &str {
        self.text.as_str()
    }

    /// What keeps the implementation from running at all: a template that does
    /// not compile or is not there.
    pub fn check_implementation(&self) -> Option<Fault> {
        let checked = self.fields.implementation.check(&self.text);
        checked.err().map(|fault| *fault)
    }

    /// What it does when it is called.
    pub const fn implementation(&self) -> &Implementation {
        &self.fields.implementation
    }

    /// Its own templates, as they are written; a template file that cannot be
    /// read is left out.
    pub fn templates(&self) -> Vec<Written> {
        self.fields.implementation.written(&self.text)
    }

    /// The template that `include "name"` reaches from this tool, if it is there.
    pub fn partial(&self, name: &str) -> Option<Written> {
        Written::partial(name, &self.text)
    }
}
