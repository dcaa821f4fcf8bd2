//! Defaults: finding, checking and applying them.

use serde_json::{Map, Value, json};

use super::{Schema, keyword};

type Object = Map<String, Value>;

/// Adds the defaults of missing properties at every level that `value` reaches.
pub(super) fn apply(schema: &Object, value: &mut Object) {
    for (name, property) in properties(schema) {
        match value.get_mut(name) {
            Some(inner) => apply_to_value(property, inner),
            None => {
                if let Some(default) = property.get("default") {
                    let mut default = default.clone();
                    apply_to_value(property, &mut default);
                    value.insert(name.clone(), default);
                }
            }
        }
    }
}

fn apply_to_value(schema: &Object, value: &mut Value) {
    match value {
        Value::Object(value) => apply(schema, value),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items").and_then(Value::as_object) {
                for item in items {
                    apply_to_value(schema, item);
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

/// The schemas that do not accept their own default, and why.
pub(super) fn invalid(schema: &Object) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (pointer, default, property) in all(schema) {
        // A validator needs a whole schema: that of an object with the property alone or,
        // if it has references, with all properties.
        let mut inside = Object::new();
        let has_reference = &mut |part: &Object| part.contains_key("$ref");
        if keyword::any_schema(property, has_reference) {
            inside.extend(properties(schema).map(|(name, part)| (name.clone(), json!(part))));
        }
        let mut name = "default".to_owned();
        while inside.contains_key(&name) {
            name.push('_');
        }
        inside.insert(name.clone(), json!(property));
        let mut root = Object::new();
        root.insert("type".into(), "object".into());
        root.insert("properties".into(), inside.into());
        let schema = Schema::from(root);
        let Ok(validator) = schema.validator() else {
            continue;
        };
        let value = json!({ name: default });
        let first = validator.violations(&schema, &value).into_iter().next();
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
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, schema)| Some((name, schema.as_object()?)))
}
