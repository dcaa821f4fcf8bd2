//! The keywords of an OpenAPI 3.0.3 Schema Object and the values they take.
//!
//! The rules come from the Schema part of the official JSON Schema for
//! OpenAPI 3.0 (revision 2021-09-28).

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value};

use crate::pointer::{child, segments};
use crate::schema::error::SchemaErrorKind;
use crate::schema::{Object, Schema, is_true, parts, required};
use crate::text::Span;
use crate::yaml::{Entry, Node};

/// The kind of value that a keyword takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordKind {
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A number greater than 0.
    Positive,
    /// A non-negative integer.
    Count,
    /// A regular expression.
    Pattern,
    /// The name of a type; in sugar also `string[]`.
    Type,
    /// A list of unique names, at least one.
    Names,
    /// A list of values, at least one.
    Values,
    /// Any value.
    Any,
    /// Any map.
    Object,
    /// A schema.
    Schema,
    /// A list of schemas, at least one.
    Schemas,
    /// A schema, or `true` or `false`.
    SchemaOrFlag,
    /// A map from names to schemas.
    Properties,
    /// A JSON pointer into the same schema.
    Reference,
}

/// The kind of value that `keyword` takes, if the Schema Object has it.
pub(super) fn takes(keyword: &str) -> Option<KeywordKind> {
    let known = KEYWORDS.iter().find(|(name, _)| *name == keyword);
    let takes = known.map(|(_, takes)| *takes);
    takes.or_else(|| keyword.starts_with("x-").then_some(KeywordKind::Any))
}

/// The kind of value that `keyword` takes in JSON Schema of draft 2020-12, and of older drafts where
/// that says the same.
pub(super) fn json_schema_takes(keyword: &str) -> Option<KeywordKind> {
    Some(match keyword {
        "pattern" | "$ref" | "$anchor" | "contentMediaType" | "contentEncoding" => {
            KeywordKind::Text
        }
        "exclusiveMinimum" | "exclusiveMaximum" => KeywordKind::Number,
        "minContains" | "maxContains" => KeywordKind::Count,
        "const" => KeywordKind::Any,
        "examples" => KeywordKind::Values,
        "dependentRequired" => KeywordKind::Object,
        "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
            KeywordKind::Properties
        }
        "unevaluatedProperties" | "unevaluatedItems" => KeywordKind::SchemaOrFlag,
        "propertyNames" | "contains" | "if" | "then" | "else" => KeywordKind::Schema,
        "prefixItems" => KeywordKind::Schemas,
        "type" | "nullable" | "example" | "discriminator" | "externalDocs" | "xml" => return None,
        keyword if keyword.starts_with("x-") => return None,
        keyword => return takes(keyword),
    })
}

impl KeywordKind {
    /// Returns true if `value` is of this kind; subschemas are not looked into.
    pub(super) fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text | Self::Pattern => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Positive => value.as_f64().is_some_and(|number| number > 0.0),
            Self::Count => value.as_u64().is_some(),
            Self::Names | Self::Values | Self::Schemas => {
                value.as_array().is_some_and(|items| !items.is_empty())
            }
            Self::Any => true,
            Self::Object | Self::Properties => value.is_object(),
            Self::Schema => value.is_object() || *value == Value::Bool(true),
            Self::SchemaOrFlag => value.is_object() || value.is_boolean(),
            Self::Type | Self::Reference => false,
        }
    }

    /// Returns `value` with each of its subschemas converted by `schema`; flags stay.
    pub(super) fn convert(self, value: &Value, schema: impl Fn(&Value) -> Value) -> Value {
        match (self, value) {
            (Self::Schema, value) | (Self::SchemaOrFlag, value @ Value::Object(_)) => schema(value),
            (Self::Schemas, Value::Array(items)) => items.iter().map(schema).collect(),
            (Self::Properties, Value::Object(entries)) => {
                let entries = entries.iter();
                let entries = entries.map(|(name, value)| (name.clone(), schema(value)));
                Value::Object(entries.collect())
            }
            (_, value) => value.clone(),
        }
    }
}

/// All keywords with the kinds of value they take.
pub const KEYWORDS: [(&str, KeywordKind); 36] = [
    ("type", KeywordKind::Type),
    ("description", KeywordKind::Text),
    ("properties", KeywordKind::Properties),
    ("items", KeywordKind::Schema),
    ("enum", KeywordKind::Values),
    ("default", KeywordKind::Any),
    ("required", KeywordKind::Names),
    ("title", KeywordKind::Text),
    ("format", KeywordKind::Text),
    ("pattern", KeywordKind::Pattern),
    ("nullable", KeywordKind::Flag),
    ("minimum", KeywordKind::Number),
    ("maximum", KeywordKind::Number),
    ("exclusiveMinimum", KeywordKind::Flag),
    ("exclusiveMaximum", KeywordKind::Flag),
    ("multipleOf", KeywordKind::Positive),
    ("minLength", KeywordKind::Count),
    ("maxLength", KeywordKind::Count),
    ("minItems", KeywordKind::Count),
    ("maxItems", KeywordKind::Count),
    ("uniqueItems", KeywordKind::Flag),
    ("minProperties", KeywordKind::Count),
    ("maxProperties", KeywordKind::Count),
    ("additionalProperties", KeywordKind::SchemaOrFlag),
    ("allOf", KeywordKind::Schemas),
    ("oneOf", KeywordKind::Schemas),
    ("anyOf", KeywordKind::Schemas),
    ("not", KeywordKind::Schema),
    ("example", KeywordKind::Any),
    ("readOnly", KeywordKind::Flag),
    ("writeOnly", KeywordKind::Flag),
    ("deprecated", KeywordKind::Flag),
    ("discriminator", KeywordKind::Object),
    ("externalDocs", KeywordKind::Object),
    ("xml", KeywordKind::Object),
    ("$ref", KeywordKind::Reference),
];

/// Suggests a replacement for a JSON Schema keyword that OpenAPI 3.0 lacks.
pub(super) fn suggestion(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "min" => "write `minimum`, or `minLength` for text and `minItems` for an array",
        "max" => "write `maximum`, or `maxLength` for text and `maxItems` for an array",
        "choices" | "values" | "options" | "one_of" => "write `enum`",
        "regex" | "regexp" => "write `pattern`",
        "const" => "write `enum` with the one value",
        "examples" => "write `example` with one value, or move it to the tool's `examples`",
        "patternProperties" | "propertyNames" => {
            "OpenAPI 3.0 cannot express this; describe the keys in `description` and allow them with `additionalProperties`"
        }
        "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems" => {
            "OpenAPI 3.0 has no tuples; give all `items` one schema"
        }
        "if" | "then" | "else" | "dependencies" | "dependentRequired" | "dependentSchemas" => {
            "OpenAPI 3.0 has no conditions; use `oneOf`, or explain it in `description`"
        }
        "$schema" | "$id" | "id" | "$anchor" | "$comment" => "leave it out",
        "contentEncoding" => "write `format: byte` for text in base64",
        "contentMediaType" | "contentSchema" => "say in `description` what the text holds",
        "$defs" | "definitions" => "write the schema where it is used",
        _ => return None,
    })
}

/// Keywords that list schemas.
pub(super) const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Returns true if `test` is true for `schema` or any of its subschemas.
pub(super) fn any_schema(schema: &Object, test: &mut dyn FnMut(&Object) -> bool) -> bool {
    test(schema)
        || schema.iter().any(|(keyword, value)| {
            let mut inside = |value: &Value| {
                let schema = value.as_object();
                schema.is_some_and(|schema| any_schema(schema, test))
            };
            match (takes(keyword), value) {
                (Some(KeywordKind::Schema | KeywordKind::SchemaOrFlag), value) => inside(value),
                (Some(KeywordKind::Schemas), Value::Array(items)) => items.iter().any(inside),
                (Some(KeywordKind::Properties), Value::Object(all)) => all.values().any(inside),
                _ => false,
            }
        })
}

/// A schema or one of its subschemas.
#[derive(Clone, Debug)]
pub struct SubSchema<'s> {
    /// A JSON pointer from the root, empty for the root itself.
    pub pointer: String,
    /// The subschema.
    pub schema: &'s Map<String, Value>,
    /// Its role.
    pub role: Role<'s>,
}

/// The role of a subschema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role<'s> {
    /// All arguments.
    Root,
    /// A property of an object; at the top level, a parameter.
    Property {
        /// Its name.
        name: &'s str,
        /// True if it is required.
        required: bool,
    },
    /// Items of an array, part of a composition, or additional properties.
    Part,
}

fn collect<'s>(pointer: &str, schema: &'s Object, role: Role<'s>, found: &mut Vec<SubSchema<'s>>) {
    found.push(SubSchema {
        pointer: pointer.to_owned(),
        schema,
        role,
    });
    let mut part = |pointer: String, value: &'s Value, role| {
        if let Some(schema) = value.as_object() {
            collect(&pointer, schema, role, found);
        }
    };
    for (keyword, value) in schema {
        let pointer = child(pointer, keyword);
        match (takes(keyword), value) {
            (Some(KeywordKind::Schema | KeywordKind::SchemaOrFlag), value) => {
                part(pointer, value, Role::Part);
            }
            (Some(KeywordKind::Schemas), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    part(format!("{pointer}/{index}"), item, Role::Part);
                }
            }
            (Some(KeywordKind::Properties), Value::Object(entries)) => {
                let names: HashSet<&str> = required(schema).collect();
                for (name, value) in entries {
                    let required = names.contains(name.as_str());
                    let role = Role::Property { name, required };
                    part(child(&pointer, name), value, role);
                }
            }
            _ => {}
        }
    }
}

/// Maximum depth to which alternatives are followed for their types.
const MAX_DEPTH: usize = 8;

impl Schema {
    /// This schema and all its subschemas, outer ones first.
    pub fn sub_schemas(&self) -> Vec<SubSchema<'_>> {
        let mut found = Vec::new();
        collect("", &self.object, Role::Root, &mut found);
        found
    }

    /// The names that `key` consists of: a declared name, which may contain dots, or else
    /// the parts between the dots.
    pub fn path_of(&self, key: &str) -> Vec<String> {
        let mut path = Vec::new();
        let mut here = Some(&self.object);
        let mut rest = key;
        loop {
            let name = here.and_then(|schema| self.declared_prefix(schema, rest));
            let name = name.unwrap_or_else(|| rest.split('.').next().unwrap_or(rest));
            here = here.and_then(|schema| self.property(schema, name));
            path.push(name.to_owned());
            match rest[name.len()..].strip_prefix('.') {
                Some(after) => rest = after,
                None => return path,
            }
        }
    }

    /// The subschema of the argument at `path`, the names of nested properties.
    pub fn declared_at(&self, path: &[String]) -> Option<&Object> {
        path.iter()
            .try_fold(&self.object, |schema, name| self.property(schema, name))
    }

    /// The types that the values of `schema`, a part of this one, can have; empty if it
    /// does not say.
    pub fn types_of<'s>(&'s self, schema: &'s Object) -> BTreeSet<&'s str> {
        let mut types = BTreeSet::new();
        self.collect_types(schema, 0, &mut types);
        types
    }

    fn collect_types<'s>(
        &'s self,
        schema: &'s Object,
        depth: usize,
        types: &mut BTreeSet<&'s str>,
    ) {
        let Some(schema) = target(&self.object, schema).filter(|_| depth < MAX_DEPTH) else {
            return;
        };
        match schema.get("type") {
            Some(Value::String(name)) => drop(types.insert(name.as_str())),
            Some(Value::Array(names)) => types.extend(names.iter().filter_map(Value::as_str)),
            _ => {
                let values = schema.get("enum").and_then(Value::as_array);
                for value in values.into_iter().flatten() {
                    types.insert(type_name(value));
                }
            }
        }
        if is_true(schema, "nullable") {
            types.insert("null");
        }
        for part in LISTS.iter().flat_map(|list| parts(schema, list)) {
            self.collect_types(part, depth + 1, types);
        }
    }

    /// The longest declared name that `text` is, or begins with before a dot.
    fn declared_prefix<'t>(&self, schema: &Object, text: &'t str) -> Option<&'t str> {
        let ends = text.match_indices('.').map(|(at, _)| at);
        let mut ends: Vec<usize> = ends.chain([text.len()]).collect();
        ends.reverse();
        let mut names = ends.into_iter().map(|end| &text[..end]);
        names.find(|name| self.property(schema, name).is_some())
    }

    fn property<'s>(&'s self, schema: &'s Object, name: &str) -> Option<&'s Object> {
        let schema = target(&self.object, schema)?;
        let property = schema.get("properties")?.get(name)?.as_object()?;
        target(&self.object, property)
    }
}

/// Returns the name of the type of `value`.
pub(super) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Maximum number of references one after another that reach no value.
const MAX_CHAIN: usize = 32;
/// Maximum number of schemas against which one value is validated.
const MAX_SCHEMAS: usize = 10_000;

/// Checks the references of one schema.
#[derive(Default)]
pub(super) struct Checker<'s> {
    /// Number of schemas against which a value is validated at each target.
    counts: HashMap<&'s str, usize>,
    /// The targets on the path to the current schema.
    path: Vec<&'s str>,
}

/// The schema at `target`, reached through keywords that contain schemas.
pub(super) fn resolve<'s>(root: &'s Object, target: &str) -> Option<&'s Object> {
    let pointer = target.strip_prefix('#')?;
    if !(pointer.is_empty() || pointer.starts_with('/')) {
        return None;
    }
    let path = segments(pointer);
    let mut segments = path.iter();
    let mut schema = root;
    while let Some(keyword) = segments.next() {
        let value = schema.get(keyword.as_str())?;
        let inner = match takes(keyword)? {
            KeywordKind::Schema | KeywordKind::SchemaOrFlag => value,
            KeywordKind::Schemas => value.get(segments.next()?.parse::<usize>().ok()?)?,
            KeywordKind::Properties => value.get(segments.next()?)?,
            _ => return None,
        };
        schema = inner.as_object()?;
    }
    Some(schema)
}

/// `schema`, or the schema that its reference leads to.
pub(super) fn target<'s>(root: &'s Object, schema: &'s Object) -> Option<&'s Object> {
    let mut schema = schema;
    for _ in 0..=MAX_CHAIN {
        let Some(target) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        schema = resolve(root, target)?;
    }
    None
}

impl<'s> Checker<'s> {
    /// Checks that `target` is a schema and does not lead back to itself; counts the schemas against
    /// which a value is validated there.
    pub(super) fn follow(
        &mut self,
        root: &'s Object,
        target: &'s str,
    ) -> Result<usize, SchemaErrorKind> {
        if let Some(count) = self.counts.get(target) {
            return Ok(*count);
        }
        if self.path.contains(&target) {
            return Err(SchemaErrorKind::Circular(target.to_owned()));
        }
        if self.path.len() >= MAX_CHAIN {
            return Err(SchemaErrorKind::TooFar(target.to_owned()));
        }
        let schema =
            resolve(root, target).ok_or_else(|| SchemaErrorKind::Reference(target.to_owned()))?;
        self.path.push(target);
        let count = self.count(root, schema);
        self.path.pop();
        let count = count?;
        if count > MAX_SCHEMAS {
            return Err(SchemaErrorKind::TooFar(target.to_owned()));
        }
        self.counts.insert(target, count);
        Ok(count)
    }

    /// Counts the schemas against which `schema` validates a value; fails if that does not terminate.
    pub(super) fn count(
        &mut self,
        root: &'s Object,
        schema: &'s Object,
    ) -> Result<usize, SchemaErrorKind> {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            return Ok(self.follow(root, target)?.saturating_add(1));
        }
        let mut sum: usize = 1;
        for (keyword, value) in schema {
            let parts = match (keyword.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => parts.as_slice(),
                ("not", part) => std::slice::from_ref(part),
                _ => continue,
            };
            for part in parts.iter().filter_map(Value::as_object) {
                sum = sum.saturating_add(self.count(root, part)?);
            }
        }
        Ok(sum)
    }
}

/// The span of `properties` if the map under `parameters` is a whole schema: otherwise
/// `properties` would be a parameter with keywords that no schema has.
pub(super) fn schema(node: &Node) -> Option<Span> {
    let is_object = node.get("type").and_then(Node::text) == Some("object");
    let entry = node.entry("properties")?;
    let properties = entry.value.entries()?;
    let is_schema = |entry: &Entry| entry.value.entries().is_some();
    let is_property = |entry: &Entry| takes(&entry.key).is_none();
    let is_whole = properties.iter().all(is_schema) && properties.iter().any(is_property);
    (is_object && is_whole).then_some(entry.span)
}
