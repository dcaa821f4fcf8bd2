//! A tool: one YAML file, parsed in two steps.
//!
//! First the document (any YAML), then the tool: a value that cannot be wrong,
//! because every key was checked when it was made.

mod annotations;
mod error;
mod examples;
mod key;
mod parse;
mod reader;

pub(crate) use reader::Reader;

use std::path::Path;
use std::time::Duration;

pub use annotations::Annotations;
pub use error::{ToolError, ToolFault};
pub use key::Key;
use serde_json::{Map, Value};

use crate::Name;
use crate::arguments::Arguments;
use crate::implementation::{Implementation, RunError};
use crate::schema::Schema;
use crate::text::Text;
use crate::violation::Violation;
use crate::yaml::Node;

/// A valid tool.
#[derive(Debug)]
pub struct Tool {
    fields: Fields,
    text: Text,
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
    annotations: Annotations,
    capabilities: Vec<String>,
    env: Vec<String>,
    timeout: Duration,
}

/// Arguments that fit their tool, defaults filled in.
#[derive(Debug, PartialEq)]
pub struct Accepted(Map<String, Value>);

/// The boolean that Gemini CLI (0.35 and later) adds to every tool it declares,
/// and hands on to the call.
const HOSTS_OWN: &str = "wait_for_previous";

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

    /// The capabilities it declares, as `provider.operation`.
    pub fn capabilities(&self) -> &[String] {
        &self.fields.capabilities
    }

    /// The environment variables it may see.
    pub fn env(&self) -> &[String] {
        &self.fields.env
    }

    /// How long it may run.
    pub const fn timeout(&self) -> Duration {
        self.fields.timeout
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

    /// Holds `arguments` against the schema, all of it at once. An argument the
    /// tool does not have is a violation, unless the schema itself allows more
    /// or it is a host's own.
    pub fn accept(&self, arguments: Arguments) -> Result<Accepted, AcceptError> {
        let mut object = arguments.into_object();
        let names = self.fields.schema.names();
        let declares = |name: &str| {
            let properties = self.fields.schema.as_object().get("properties");
            properties.is_some_and(|all| all.get(name).is_some())
                || names.as_ref().is_some_and(|names| names.contains(&name))
        };
        if !declares(HOSTS_OWN) {
            object.shift_remove(HOSTS_OWN);
        }
        let mut violations = Vec::new();
        if let Some(names) = &names {
            let unknown = object.keys().filter(|name| !names.contains(&name.as_str()));
            violations.extend(unknown.map(|name| {
                let pointer = format!("/{}", crate::violation::escape(name));
                Violation::unknown(pointer, name, names)
            }));
        }
        let value = Value::Object(object);
        let validator = self
            .fields
            .schema
            .validator()
            .map_err(AcceptError::Unusable)?;
        violations.extend(validator.violations(&self.fields.schema, &value));
        match value {
            Value::Object(mut object) if violations.is_empty() => {
                self.fields.schema.fill(&mut object);
                Ok(Accepted(object))
            }
            _ => Err(AcceptError::Violations(violations)),
        }
    }

    /// Runs the tool and returns its result, ready for standard output.
    pub fn run(&self, arguments: Accepted) -> Result<String, RunError> {
        self.fields.implementation.run(&self.text, arguments.0)
    }

    /// Looks at what a call would only find out later: examples that do not fit
    /// and templates that do not compile.
    pub fn check(&self) -> Result<(), ToolError> {
        let mut faults = examples::check(self);
        faults.extend(
            self.fields
                .implementation
                .check(&self.text)
                .err()
                .map(|fault| *fault),
        );
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ToolError::Invalid(faults))
        }
    }

    /// The valid arguments with the fewest values, as JSON for a hint: the
    /// required ones alone.
    pub fn skeleton(&self) -> Option<String> {
        let skeleton = Value::Object(self.fields.schema.skeleton()?);
        let valid = self.fields.schema.validator().ok()?.accepts(&skeleton);
        valid.then(|| skeleton.to_string())
    }
}

/// Why arguments are not accepted.
#[derive(Debug, PartialEq)]
pub enum AcceptError {
    /// They do not fit.
    Violations(Vec<Violation>),
    /// The schema itself cannot be used.
    Unusable(crate::schema::Unusable),
}
