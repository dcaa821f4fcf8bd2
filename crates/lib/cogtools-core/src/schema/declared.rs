//! What all schemas that apply to one value declare together.

use serde_json::{Map, Value};

use super::reference;
use crate::yaml::MAX_DEPTH;

type Object = Map<String, Value>;

/// The keywords that only describe a schema.
const ANNOTATIONS: [&str; 7] = [
    "title",
    "description",
    "default",
    "example",
    "deprecated",
    "nullable",
    "externalDocs",
];

/// What the schemas of one value declare together.
#[derive(Default)]
pub(super) struct Declared<'s> {
    /// The schemas, with those that they are composed of.
    parts: Vec<&'s Object>,
    /// A branch that is a map with any keys.
    is_free: bool,
}

impl<'s> Declared<'s> {
    /// The declarations of all `schemas`, which are parts of `root`.
    pub(super) fn of(root: &'s Object, schemas: &[&'s Object]) -> Self {
        let mut declared = Self::default();
        for schema in schemas {
            declared.add(root, schema, 0);
        }
        declared
    }

    fn add(&mut self, root: &'s Object, schema: &'s Object, depth: usize) {
        let Some(schema) = reference::target(root, schema) else {
            return;
        };
        if depth > MAX_DEPTH {
            return;
        }
        self.parts.push(schema);
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let parts = schema.get(keyword).and_then(Value::as_array);
            for part in parts.into_iter().flatten().filter_map(Value::as_object) {
                self.is_free |= keyword != "allOf" && is_free(root, part);
                self.add(root, part, depth + 1);
            }
        }
    }

    /// Whether an object has only the properties that are declared.
    pub(super) fn is_closed(&self) -> bool {
        let governed = |part: &&Object| part.contains_key("additionalProperties");
        let declares = |part: &&Object| part.contains_key("properties");
        !self.is_free && self.parts.iter().any(declares) && !self.parts.iter().any(governed)
    }

    /// The names of the properties.
    pub(super) fn names(&self) -> Vec<&'s str> {
        let mut names = Vec::new();
        for name in self.properties().flat_map(Map::keys) {
            if !names.contains(&name.as_str()) {
                names.push(name.as_str());
            }
        }
        names
    }

    fn properties(&self) -> impl Iterator<Item = &'s Object> {
        let properties = |part: &&'s Object| part.get("properties")?.as_object();
        self.parts.iter().filter_map(properties)
    }

    /// The schemas of the property `key`: those that name it, or those of all others.
    pub(super) fn property(&self, key: &str) -> Vec<&'s Object> {
        let named: Vec<&Object> = self
            .properties()
            .filter_map(|all| all.get(key)?.as_object())
            .collect();
        if named.is_empty() {
            self.sub_schemas("additionalProperties")
        } else {
            named
        }
    }

    /// The schemas of an array's items.
    pub(super) fn items(&self) -> Vec<&'s Object> {
        self.sub_schemas("items")
    }

    fn sub_schemas(&self, keyword: &str) -> Vec<&'s Object> {
        let schemas = self.parts.iter().filter_map(|part| part.get(keyword));
        schemas.filter_map(Value::as_object).collect()
    }
}

/// Whether the branch `schema` is a map with any keys, or any value.
fn is_free(root: &Object, schema: &Object) -> bool {
    reference::target(root, schema).is_some_and(|schema| {
        schema.iter().all(|(keyword, value)| {
            ANNOTATIONS.contains(&keyword.as_str())
                || keyword.starts_with("x-")
                || keyword == "type" && value == "object"
        })
    })
}
