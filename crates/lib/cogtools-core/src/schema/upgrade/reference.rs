//! References within a schema, and where they lead after the upgrade.

use std::collections::HashSet;

use serde_json::Value;

use super::vocabulary::{self, Takes};
use super::{Object, Upgrade};
use crate::pointer::segments;

impl<'s> Upgrade<'s> {
    /// The schema that the reference in `schema` leads to.
    pub(super) fn target(&self, schema: &Object) -> Option<&'s Object> {
        let target = schema.get("$ref")?.as_str()?;
        self.resolve(target)?.1.as_object()
    }

    /// Whether a reference to `target` leads to a schema whose `$anchor` it names.
    pub(super) fn has_anchor(&self, target: &str) -> bool {
        let anchor = target.strip_prefix('#');
        anchor.is_some_and(|anchor| self.anchors.contains(anchor))
    }

    /// Where `target` is after the upgrade, and what is there now.
    pub(super) fn resolve(&self, target: &str) -> Option<(String, &'s Value)> {
        let pointer = target.strip_prefix('#')?;
        if pointer.is_empty() {
            return None;
        }
        let mut upgraded = "#".to_owned();
        let mut path = segments(pointer.strip_prefix('/').map(|_| pointer)?).into_iter();
        let mut schema = self.root;
        loop {
            let keyword = path.next()?;
            let mut value = schema.get(&keyword)?;
            let (mut name, mut inner) = (keyword.as_str(), None);
            match (vocabulary::takes(&keyword)?, value) {
                (Takes::Schema | Takes::SchemaOrFlag, Value::Array(_)) | (Takes::Schemas, _) => {
                    name = if keyword == "items" {
                        "prefixItems"
                    } else {
                        name
                    };
                    inner = Some(path.next()?);
                }
                (Takes::Schema | Takes::SchemaOrFlag, _) => {}
                (Takes::Properties, _) => inner = Some(path.next()?),
                _ => return None,
            }
            if name == "definitions" {
                name = "$defs";
            }
            upgraded.push('/');
            upgraded.push_str(name);
            if let Some(inner) = inner {
                value = match value {
                    Value::Array(items) => items.get(inner.parse::<usize>().ok()?)?,
                    other => other.get(&inner)?,
                };
                upgraded.push('/');
                upgraded.push_str(&inner.replace('~', "~0").replace('/', "~1"));
            }
            if path.len() == 0 {
                return Some((upgraded, value));
            }
            schema = value.as_object()?;
        }
    }
}

/// The names under `$anchor` anywhere in `root`.
pub(super) fn anchors(root: &Object) -> HashSet<&str> {
    let mut anchors = HashSet::new();
    let mut schemas = vec![root];
    while let Some(schema) = schemas.pop() {
        anchors.extend(schema.get("$anchor").and_then(Value::as_str));
        for value in schema.values() {
            schemas.extend(value.as_object());
            let items = value.as_array().into_iter().flatten();
            schemas.extend(items.filter_map(Value::as_object));
        }
    }
    anchors
}
