//! What models and strict clients need, and servers leave out.

use serde_json::{Value, json};

use super::Object;

/// Adds what models and strict clients need: types, items of arrays, `null` where OpenAPI says
/// `nullable`; and names that draft 3 wrote at the properties.
pub(super) fn complete(schema: &Object, result: &mut Object) {
    const OPEN: [&str; 8] = [
        "type", "$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const",
    ];
    let is_open = !OPEN.iter().any(|keyword| result.contains_key(*keyword));
    if is_open && result.contains_key("properties") {
        result.insert("type".into(), "object".into());
    } else if is_open && (result.contains_key("items") || result.contains_key("prefixItems")) {
        result.insert("type".into(), "array".into());
    }
    let is_array = result.get("type").is_some_and(|kind| kind == "array");
    if is_array && !result.contains_key("items") && !result.contains_key("prefixItems") {
        result.insert("items".into(), json!({}));
    }
    if schema.get("nullable") == Some(&Value::Bool(true))
        && let Some(Value::String(kind)) = result.get("type")
    {
        let kinds = json!([kind, "null"]);
        result.insert("type".into(), kinds);
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_required =
        |(_, property): &(&String, &Value)| property.get("required") == Some(&Value::Bool(true));
    let names = properties.into_iter().flatten().filter(is_required);
    let names: Vec<Value> = names.map(|(name, _)| name.as_str().into()).collect();
    if !names.is_empty() && !result.contains_key("required") {
        result.insert("required".into(), names.into());
    }
}
