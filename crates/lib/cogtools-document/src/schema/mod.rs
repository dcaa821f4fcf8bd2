//! Schemas of parameters: from sugared YAML to the OpenAPI 3.0 Schema Object, from
//! there to JSON Schema, and the validation of arguments.
//!
//! There is only one translation and one validator, so that declarations and
//! validation cannot disagree.

mod closed;
mod dialect;
mod error;
mod expand;
mod keyword;
mod message;
mod pattern;
mod recover;
mod translate;
mod upgrade;
mod value;
mod violation;
mod without;

use std::borrow::Cow;
use std::collections::BTreeSet;

pub use dialect::collect_properties;
pub use dialect::{GEMINI_KEYWORDS, looks_around};
pub use error::{SchemaError, SchemaErrorKind};
pub use keyword::{KEYWORDS, KeywordKind};
pub use message::label;
use serde_json::{Map, Value};
pub use upgrade::Repairs;
pub use violation::{Violation, ViolationKind};
pub use without::Reach;

pub use crate::schema::error::TYPES;
pub use crate::schema::expand::deprecated;
pub use crate::schema::keyword::{Role, SubSchema};
use crate::schema::translate::Purpose;
pub use crate::schema::value::{InvalidSchema, Validator};
use crate::text::Span;

type Object = Map<String, Value>;

/// A valid OpenAPI 3.0.3 Schema Object. The schema of arguments is of `type: object`;
/// the schema of a result can be of any type.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    object: Object,
    /// The JSON Schema that it was converted from, which arguments are validated against.
    original: Option<Object>,
}

impl Schema {
    /// The schema of a tool without parameters.
    pub fn empty() -> Self {
        let mut object = Map::new();
        object.insert("type".into(), "object".into());
        object.insert("properties".into(), Map::new().into());
        Self::from(object)
    }

    /// Converts a JSON Schema to a Schema Object as far as possible; arguments are
    /// validated against the JSON Schema itself.
    pub fn from_json_schema(original: Map<String, Value>) -> Self {
        Self {
            object: recover::object(&original),
            original: Some(original),
        }
    }

    /// Removes the invisible characters of its texts for people and models, which are added to
    /// `hidden`.
    pub fn remove_invisible(&mut self, hidden: &mut BTreeSet<char>) {
        for object in [Some(&mut self.object), self.original.as_mut()] {
            let Some(object) = object else { continue };
            let mut value = Value::Object(std::mem::take(object));
            crate::invisible::remove_from_texts(&mut value, hidden);
            if let Value::Object(changed) = value {
                *object = changed;
            }
        }
    }

    /// The Schema Object.
    pub const fn as_object(&self) -> &Map<String, Value> {
        &self.object
    }

    /// Returns true if every value of this schema is an object.
    pub fn is_object(&self) -> bool {
        is_of_type(&self.object, "object") && !is_true(&self.object, "nullable")
    }

    /// Returns true if it declares a property `name` of its root.
    pub fn has_property(&self, name: &str) -> bool {
        declares(&self.object, name)
    }

    /// Returns true if a tool with this schema has no parameters.
    pub fn is_empty(&self) -> bool {
        let properties = self.object.get("properties").and_then(Value::as_object);
        let no_properties = properties.is_none_or(Map::is_empty);
        let mut keys = self.object.keys();
        no_properties && keys.all(|key| matches!(key.as_str(), "type" | "properties"))
    }

    /// The schema as JSON Schema.
    pub fn json_schema(&self) -> Cow<'_, Map<String, Value>> {
        match &self.original {
            Some(original) => Cow::Borrowed(original),
            None => Cow::Owned(translate::object(&self.object, Purpose::Declare)),
        }
    }

    /// The schema as JSON Schema for declarations, which says which objects are closed. A JSON
    /// Schema of others says that itself.
    pub fn declared(&self) -> Cow<'_, Map<String, Value>> {
        let mut schema = self.json_schema();
        if !self.is_recovered() {
            closed::declare(schema.to_mut());
        }
        schema
    }

    /// The schema as JSON Schema, with only the keywords that drafts 7 to 2020-12 share.
    pub fn to_json_schema(&self) -> Value {
        Value::Object(self.json_schema().into_owned())
    }

    /// The Schema Object as locks pin it: without exclusive bounds, if others have written it.
    pub fn pinned_object(&self) -> Cow<'_, Map<String, Value>> {
        if self.is_recovered() {
            Cow::Owned(recover::without_exclusive_bounds(&self.object))
        } else {
            Cow::Borrowed(&self.object)
        }
    }

    /// The schema that the validator gets: formats that hosts need not know are in it.
    fn validation_schema(&self) -> Value {
        let object = match &self.original {
            Some(original) => original.clone(),
            None => translate::object(&self.object, Purpose::Validate),
        };
        Value::Object(object)
    }

    /// Returns true if it was converted from a JSON Schema.
    pub const fn is_recovered(&self) -> bool {
        self.original.is_some()
    }

    /// The names of all arguments that appear anywhere in the schema; `None` when the
    /// schema itself governs additional ones.
    pub fn names(&self) -> Option<Vec<&str>> {
        // A JSON Schema always governs additional properties itself.
        if self.object.contains_key("additionalProperties") || self.original.is_some() {
            return None;
        }
        let mut names = Vec::new();
        collect_names(&self.object, &self.object, 0, &mut names)?;
        Some(names)
    }

    /// The names of the required arguments.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        required(&self.object)
    }

    /// The subschema for the value at the `segments` of a JSON pointer, found through
    /// `properties` and `items` only.
    pub fn at<'a>(&self, segments: impl Iterator<Item = &'a str>) -> Option<&Map<String, Value>> {
        let mut schema = &self.object;
        for segment in segments {
            let named = schema.get("properties").and_then(|all| all.get(segment));
            schema = named.or_else(|| schema.get("items"))?.as_object()?;
        }
        Some(schema)
    }

    /// Returns true if the argument at `path`, the names of nested properties, is declared as an
    /// array.
    pub fn is_array_at(&self, path: &[String]) -> bool {
        self.declared_at(path)
            .is_some_and(|schema| is_of_type(schema, "array"))
    }

    /// Adds the defaults of missing arguments.
    pub fn apply_defaults(&self, arguments: &mut Map<String, Value>) {
        closed::apply(&self.object, arguments);
    }

    /// Writes each 2.0 that is an integer as 2.
    pub fn write_integers(&self, arguments: &mut Map<String, Value>) {
        closed::write_integers(&self.object, &[&self.object], arguments);
    }

    /// Returns true if any subschema has a default.
    pub fn has_default(&self) -> bool {
        keyword::any_schema(&self.object, &mut |schema| schema.contains_key("default"))
    }

    /// Returns true if any subschema has a property whose name passes `test`.
    pub fn any_property(&self, test: &dyn Fn(&str) -> bool) -> bool {
        keyword::any_schema(&self.object, &mut |schema| {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.is_some_and(|names| names.keys().any(|name| test(name)))
        })
    }

    /// Returns true if any subschema has a pattern.
    pub fn has_pattern(&self) -> bool {
        let object = self.original.as_ref().unwrap_or(&self.object);
        keyword::any_schema(object, &mut |schema| {
            schema.contains_key("pattern") || schema.contains_key("patternProperties")
        })
    }
}

impl From<Map<String, Value>> for Schema {
    /// Wraps an object that is already valid.
    fn from(object: Map<String, Value>) -> Self {
        Self {
            object,
            original: None,
        }
    }
}

/// Returns true if `name` is the one type of `schema`.
fn is_of_type(schema: &Object, name: &str) -> bool {
    schema.get("type").is_some_and(|kind| kind == name)
}

/// Adds `null` to the values that an enum lists.
fn list_null(schema: &mut Object) {
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// Returns true if `keyword` is `true` in `schema`.
fn is_true(schema: &Object, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}

/// Returns true if `schema` itself declares a property `name`.
fn declares(schema: &Object, name: &str) -> bool {
    let properties = schema.get("properties");
    properties.is_some_and(|all| all.get(name).is_some())
}

/// The names of the properties that `schema` itself requires.
fn required(schema: &Object) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// The schemas that `schema` lists under `keyword`.
fn parts<'s>(schema: &'s Object, keyword: &str) -> impl Iterator<Item = &'s Object> {
    let parts = schema.get(keyword).and_then(Value::as_array);
    parts.into_iter().flatten().filter_map(Value::as_object)
}

/// Adds the property names of `schema` and of the schemas it is composed of.
fn collect_names<'s>(
    root: &'s Object,
    schema: &'s Object,
    depth: usize,
    names: &mut Vec<&'s str>,
) -> Option<()> {
    if schema.contains_key("additionalProperties") || depth > crate::yaml::MAX_DEPTH {
        return None;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return collect_names(root, keyword::resolve(root, target)?, depth + 1, names);
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let own = properties.into_iter().flat_map(Map::keys);
    names.extend(own.map(String::as_str));
    let lists = keyword::LISTS.iter();
    let mut all = lists
        .filter_map(|list| schema.get(*list)?.as_array())
        .flatten();
    all.try_for_each(|part| collect_names(root, part.as_object()?, depth + 1, names))
}

/// The span of a node's first character, for errors about the whole node.
const fn first_char(span: Span) -> Span {
    Span::new(span.start, span.start + 1)
}
