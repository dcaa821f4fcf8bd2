//! Defaults: where they stand, and how they are filled in.

use serde_json::{Map, Value, json};

use super::{Schema, keyword};

type Object = Map<String, Value>;

/// Adds what `value` leaves out and `schema` has a default for, at every level
/// that `value` reaches.
pub(super) fn fill(schema: &Object, value: &mut Object) {
    for (name, property) in properties(schema) {
        match value.get_mut(name) {
            Some(inner) => fill_value(property, inner),
            None => {
                if let Some(default) = property.get("default") {
                    let mut default = default.clone();
                    fill_value(property, &mut default);
                    value.insert(name.clone(), default);
                }
            }
        }
    }
}

fn fill_value(schema: &Object, value: &mut Value) {
    match value {
        Value::Object(value) => fill(schema, value),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items").and_then(Value::as_object) {
                for item in items {
                    fill_value(schema, item);
                }
            }
        }
        _ => {}
    }
}

/// Every default of a property with the JSON pointer of its schema.
pub(super) fn all(schema: &Object) -> Vec<(String, &Value, &Object)> {
    let mut found = Vec::new();
    collect(schema, "", &mut found);
    found
}

/// The schemas whose default they would not accept, and why.
pub(super) fn invalid(schema: &Object) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (pointer, default, property) in all(schema) {
        // A validator wants a whole schema: the property is made one of an object,
        // the only one unless it refers to others.
        let mut inside = Object::new();
        let refers = &mut |part: &Object| part.contains_key("$ref");
        if keyword::any_schema(property, refers) {
            inside.extend(properties(schema).map(|(name, part)| (name.clone(), json!(part))));
        }
        let mut name = "default".to_owned();
        while inside.contains_key(&name) {
            name.push('_');
        }
        inside.insert(name.clone(), json!(property));
        let mut whole = Object::new();
        whole.insert("type".into(), "object".into());
        whole.insert("properties".into(), inside.into());
        let whole = Schema::from(whole);
        let Ok(validator) = whole.validator() else {
            continue;
        };
        let value = json!({ name: default });
        let first = validator.violations(&whole, &value).into_iter().next();
        found.extend(first.map(|violation| (pointer, violation.kind.to_string())));
    }
    found
}

fn collect<'s>(
    schema: &'s Object,
    pointer: &str,
    found: &mut Vec<(String, &'s Value, &'s Object)>,
) {
    for (name, property) in properties(schema) {
        let escaped = name.replace('~', "~0").replace('/', "~1");
        let pointer = format!("{pointer}/properties/{escaped}");
        if let Some(default) = property.get("default") {
            found.push((pointer.clone(), default, property));
        }
        collect(property, &pointer, found);
    }
    if let Some(items) = schema.get("items").and_then(Value::as_object) {
        collect(items, &format!("{pointer}/items"), found);
    }
}

fn properties(schema: &Object) -> impl Iterator<Item = (&String, &Object)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties.filter_map(|(name, schema)| Some((name, schema.as_object()?)))
}
