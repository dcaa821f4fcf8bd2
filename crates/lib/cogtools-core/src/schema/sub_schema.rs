//! The subschemas of a schema, and where they are.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::keyword::{self, KeywordKind};
use crate::pointer::child;

/// A schema or one of its subschemas.
#[derive(Clone, Debug)]
pub struct SubSchema<'s> {
    /// A JSON pointer from the root, empty for the root itself.
    pub pointer: String,
    /// The subschema.
    pub schema: &'s Map<String, Value>,
    /// What it describes.
    pub role: Role<'s>,
}

/// What a subschema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role<'s> {
    /// All arguments.
    Root,
    /// A property of an object; at the top level, a parameter.
    Property {
        /// Its name.
        name: &'s str,
        /// Whether it is required.
        required: bool,
    },
    /// Items of an array, part of a composition, or additional properties.
    Part,
}

/// `schema` and all its subschemas, outer ones first.
pub(super) fn all(schema: &Map<String, Value>) -> Vec<SubSchema<'_>> {
    let mut found = Vec::new();
    collect(
        SubSchema {
            pointer: String::new(),
            schema,
            role: Role::Root,
        },
        &mut found,
    );
    found
}

fn collect<'s>(sub_schema: SubSchema<'s>, found: &mut Vec<SubSchema<'s>>) {
    let (pointer, schema) = (sub_schema.pointer.clone(), sub_schema.schema);
    found.push(sub_schema);
    let mut part = |pointer: String, value: &'s Value, role| {
        if let Some(schema) = value.as_object() {
            let sub_schema = SubSchema {
                pointer,
                schema,
                role,
            };
            collect(sub_schema, found);
        }
    };
    for (keyword, value) in schema {
        let pointer = child(&pointer, keyword);
        match (keyword::takes(keyword), value) {
            (Some(KeywordKind::Schema | KeywordKind::SchemaOrFlag), value) => {
                part(pointer, value, Role::Part);
            }
            (Some(KeywordKind::Schemas), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    part(format!("{pointer}/{index}"), item, Role::Part);
                }
            }
            (Some(KeywordKind::Properties), Value::Object(entries)) => {
                let names = schema.get("required").and_then(Value::as_array);
                let names = names.into_iter().flatten().filter_map(Value::as_str);
                let names: HashSet<&str> = names.collect();
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
