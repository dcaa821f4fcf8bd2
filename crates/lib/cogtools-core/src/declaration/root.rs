//! The roots of schemas, where APIs want only an object with properties.

use std::borrow::Cow;

use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// Keywords that are not permitted there.
const NOT_AT_THE_ROOT: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];
/// Keywords that list schemas.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The first keyword of a schema that is not permitted at its root.
pub(super) fn composed_root(schema: &Object) -> Option<&'static str> {
    NOT_AT_THE_ROOT
        .into_iter()
        .find(|keyword| schema.contains_key(*keyword))
}

/// Removes the keywords that are not permitted at the root. The result accepts at
/// least as much, and has every property of the schemas that it lists.
pub(super) fn flatten_root(schema: Cow<'_, Object>) -> Cow<'_, Object> {
    if !NOT_AT_THE_ROOT
        .iter()
        .any(|keyword| schema.contains_key(*keyword))
    {
        return schema;
    }
    let mut schema = schema.into_owned();
    let mut properties = Object::new();
    collect_properties(&schema, &mut properties);
    for keyword in NOT_AT_THE_ROOT {
        schema.shift_remove(keyword);
    }
    schema.insert("properties".into(), properties.into());
    Cow::Owned(schema)
}

/// Adds the properties of a schema and of the schemas that it lists; the first one of
/// each name wins.
fn collect_properties(schema: &Object, properties: &mut Object) {
    let named = schema.get("properties").and_then(Value::as_object);
    for (name, property) in named.into_iter().flatten() {
        if !properties.contains_key(name) {
            properties.insert(name.clone(), property.clone());
        }
    }
    for list in LISTS {
        let parts = schema.get(list).and_then(Value::as_array);
        for part in parts.into_iter().flatten().filter_map(Value::as_object) {
            collect_properties(part, properties);
        }
    }
}
