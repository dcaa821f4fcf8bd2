//! The validator of a part of a schema.

use cogtools_core::schema::{Schema, Validator};
use serde_json::{Map, Value, json};

use super::Object;

/// The name under which a value is validated, which no schema has.
const NAME: &str = "\u{0}value";

/// Decides about single values.
pub(super) struct Acceptor(Option<Validator>);

impl Acceptor {
    /// It accepts all values.
    pub(super) const fn any() -> Self {
        Self(None)
    }

    /// The validator of `schema`, a part of `root`.
    pub(super) fn of(root: &Object, schema: &Object) -> Self {
        let mut properties = Map::new();
        // References lead to the properties of the root.
        if let Some(Value::Object(others)) = root.get("properties")
            && schema.values().any(refers)
        {
            properties.extend(others.clone());
        }
        properties.insert(NAME.to_owned(), Value::Object(schema.clone()));
        let whole = json!({"type": "object", "properties": properties});
        let Value::Object(whole) = whole else {
            return Self(None);
        };
        Self(Schema::from(whole).validator().ok())
    }

    /// Whether `value` is valid; it is if that cannot be decided.
    pub(super) fn accepts(&self, value: &Value) -> bool {
        let Some(validator) = &self.0 else {
            return true;
        };
        let mut whole = Map::new();
        whole.insert(NAME.to_owned(), value.clone());
        validator.accepts(&Value::Object(whole))
    }
}

/// Whether a reference is in `value`.
fn refers(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(refers),
        Value::Object(entries) => entries.contains_key("$ref") || entries.values().any(refers),
        _ => false,
    }
}
