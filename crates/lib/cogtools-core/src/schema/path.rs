//! The subschemas and types that a path of names leads to.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Schema, reference};

type Object = Map<String, Value>;

/// How deep alternatives are followed for their types.
const MAX_DEPTH: usize = 8;

impl Schema {
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
        let Some(schema) = reference::target(&self.object, schema).filter(|_| depth < MAX_DEPTH)
        else {
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
        if schema.get("nullable") == Some(&Value::Bool(true)) {
            types.insert("null");
        }
        let parts = ["allOf", "anyOf", "oneOf"].into_iter();
        let parts = parts
            .filter_map(|key| schema.get(key)?.as_array())
            .flatten();
        for part in parts.filter_map(Value::as_object) {
            self.collect_types(part, depth + 1, types);
        }
    }

    /// The longest declared name that `text` is, or begins with before a dot.
    fn declared_prefix<'t>(&self, schema: &Object, text: &'t str) -> Option<&'t str> {
        let ends = text.match_indices('.').map(|(at, _)| at);
        let mut ends: Vec<usize> = ends.chain([text.len()]).collect();
        ends.reverse();
        let names = ends.into_iter().map(|end| &text[..end]);
        names
            .into_iter()
            .find(|name| self.property(schema, name).is_some())
    }

    fn property<'s>(&'s self, schema: &'s Object, name: &str) -> Option<&'s Object> {
        let schema = reference::target(&self.object, schema)?;
        let property = schema.get("properties")?.get(name)?.as_object()?;
        reference::target(&self.object, property)
    }
}

const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
