//! Parameters as schemas: from sugared YAML to the OpenAPI 3.0 Schema Object,
//! from there to JSON Schema, and the validation of arguments against it.
//!
//! There is one translation and one validator, so that what a host is told and
//! what a call is held to cannot disagree.

mod defaults;
mod error;
mod expand;
mod keyword;
mod message;
mod recover;
mod reference;
mod skeleton;
mod sub_schema;
mod translate;
mod types;
mod validator;
mod value;
mod violation;

pub use error::{SchemaError, SchemaErrorKind};
pub use keyword::{KEYWORDS, Takes};
pub use sub_schema::{Role, SubSchema};
pub use types::TYPES;
pub use validator::{InvalidSchema, Validator};
pub use violation::{Violation, ViolationKind};

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::text::Span;
use crate::yaml::Node;

/// A legal OpenAPI 3.0.3 Schema Object. What a tool accepts is of `type: object`;
/// what it answers can be of any type.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    object: Map<String, Value>,
    /// The JSON Schema it was recovered from, which calls are held to.
    original: Option<Map<String, Value>>,
}

impl Schema {
    /// The schema of a tool without parameters.
    pub fn empty() -> Self {
        let mut object = Map::new();
        object.insert("type".into(), "object".into());
        object.insert("properties".into(), Map::new().into());
        Self::from(object)
    }

    /// Expands the map of sugared entries under `parameters`.
    pub fn expand(parameters: &Node) -> Result<Self, Vec<SchemaError>> {
        expand::parameters(parameters).map(Self::from)
    }

    /// Takes the Schema Object under `parameters_schema` word for word.
    pub fn verbatim(schema: &Node) -> Result<Self, Vec<SchemaError>> {
        expand::verbatim(schema).map(Self::from)
    }

    /// Takes a Schema Object of any type word for word: for what a tool answers.
    pub fn any(schema: &Node) -> Result<Self, Vec<SchemaError>> {
        expand::any(schema).map(Self::from)
    }

    /// The Schema Object that says as much of a JSON Schema as it can; calls are
    /// held to the JSON Schema itself.
    pub fn from_json_schema(original: Map<String, Value>) -> Self {
        Self {
            object: recover::object(&original),
            original: Some(original),
        }
    }

    /// The Schema Object.
    pub const fn as_object(&self) -> &Map<String, Value> {
        &self.object
    }

    /// Whether all values of this schema are objects.
    pub fn is_object(&self) -> bool {
        self.object.get("type").is_some_and(|kind| kind == "object") && !self.is_nullable()
    }

    fn is_nullable(&self) -> bool {
        self.object.get("nullable") == Some(&Value::Bool(true))
    }

    /// Whether a tool with this schema has no parameters at all.
    pub fn is_empty(&self) -> bool {
        let no_properties = self
            .object
            .get("properties")
            .and_then(Value::as_object)
            .is_none_or(Map::is_empty);
        no_properties
            && self
                .object
                .keys()
                .all(|key| matches!(key.as_str(), "type" | "properties"))
    }

    /// The same schema as JSON Schema, borrowed where nothing has to change.
    pub fn json_schema(&self) -> Cow<'_, Map<String, Value>> {
        if let Some(original) = &self.original {
            Cow::Borrowed(original)
        } else if translate::changes_nothing(&self.object) {
            Cow::Borrowed(&self.object)
        } else {
            Cow::Owned(translate::object(&self.object))
        }
    }

    /// The same schema as JSON Schema, of the words that drafts 7 to 2020-12 share.
    pub fn to_json_schema(&self) -> Value {
        Value::Object(self.json_schema().into_owned())
    }

    /// Whether it was recovered from a JSON Schema.
    pub const fn is_recovered(&self) -> bool {
        self.original.is_some()
    }

    /// A validator for arguments.
    pub fn validator(&self) -> Result<Validator, InvalidSchema> {
        Validator::new(self)
    }

    /// The names of all arguments that the schema speaks of, wherever it does;
    /// `None` when it says itself what becomes of further ones.
    pub fn names(&self) -> Option<Vec<&str>> {
        // A JSON Schema says itself what becomes of further ones.
        if self.object.contains_key("additionalProperties") || self.original.is_some() {
            return None;
        }
        let mut names = Vec::new();
        collect_names(&self.object, &self.object, 0, &mut names)?;
        Some(names)
    }

    /// The subschema for the value at `segments` of a JSON pointer, as far as
    /// plain `properties` and `items` lead there.
    pub fn at<'a>(&self, segments: impl Iterator<Item = &'a str>) -> Option<&Map<String, Value>> {
        let mut schema = &self.object;
        for segment in segments {
            let named = schema.get("properties").and_then(|all| all.get(segment));
            schema = named.or_else(|| schema.get("items"))?.as_object()?;
        }
        Some(schema)
    }

    /// The arguments with the defaults of what they leave out.
    pub fn apply_defaults(&self, arguments: &mut Map<String, Value>) {
        defaults::fill(&self.object, arguments);
    }

    /// This schema and every one inside of it, outer ones first.
    pub fn sub_schemas(&self) -> Vec<SubSchema<'_>> {
        sub_schema::sites(&self.object)
    }

    /// The right spelling of a type that is written in another way, as in `int`
    /// or `str[]`; `None` when it is right already or cannot be known.
    pub fn spelling(written: &str) -> Option<String> {
        types::spelling(written)
    }

    /// Whether any schema inside has a default.
    pub fn has_default(&self) -> bool {
        keyword::any_schema(&self.object, &mut |schema| schema.contains_key("default"))
    }

    /// The defaults that do not fit their own schema: the JSON pointer of each
    /// such schema, and what is wrong.
    pub fn invalid_defaults(&self) -> Vec<(String, String)> {
        defaults::invalid(&self.object)
    }

    /// The smallest arguments that are valid, with placeholders for text; `None`
    /// when none could be made up.
    pub fn skeleton(&self) -> Option<Map<String, Value>> {
        skeleton::object(&self.object)
    }

    /// Whether any string is held to a pattern.
    pub fn has_pattern(&self) -> bool {
        keyword::any_schema(&self.object, &mut |schema| schema.contains_key("pattern"))
    }
}

impl From<Map<String, Value>> for Schema {
    /// The schema of an object that is legal already.
    fn from(object: Map<String, Value>) -> Self {
        Self {
            object,
            original: None,
        }
    }
}

/// Adds the property names of `schema` and of what it is composed of.
fn collect_names<'s>(
    root: &'s Map<String, Value>,
    schema: &'s Map<String, Value>,
    depth: usize,
    names: &mut Vec<&'s str>,
) -> Option<()> {
    if schema.contains_key("additionalProperties") || depth > crate::yaml::MAX_DEPTH {
        return None;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return collect_names(root, reference::resolve(root, target)?, depth + 1, names);
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    names.extend(
        properties
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str),
    );
    for list in ["allOf", "anyOf", "oneOf"] {
        for part in schema
            .get(list)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            collect_names(root, part.as_object()?, depth + 1, names)?;
        }
    }
    Some(())
}

/// The span of a node's first character, for faults about all of it.
const fn first_char(span: Span) -> Span {
    Span {
        start: span.start,
        end: span.start + 1,
    }
}
