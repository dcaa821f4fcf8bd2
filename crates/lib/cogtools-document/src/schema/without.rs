//! A schema of others without the optional properties that an API would reject.

use std::collections::BTreeSet;

use serde_json::Value;

use super::keyword::{KeywordKind, json_schema_takes};
use super::{Object, Schema};

/// Where properties are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Among the properties of the root.
    Root,
    /// In nested schemas, too.
    All,
}

impl Schema {
    /// Removes optional properties whose names are `rejected`, and returns these names. Only for
    /// what was a JSON Schema: arguments are validated against the whole.
    pub fn without_optional(
        &self,
        rejected: &dyn Fn(&str) -> bool,
        reach: Reach,
    ) -> (Self, BTreeSet<String>) {
        let mut names = BTreeSet::new();
        let Some(original) = &self.original else {
            return (self.clone(), names);
        };
        let mut object = original.clone();
        let mut is_left_out = |name: &str, is_required: bool| {
            let is_left_out = rejected(name) && !is_required;
            if is_left_out {
                names.insert(name.to_owned());
            }
            is_left_out
        };
        leave_out(&mut object, &mut is_left_out, reach);
        (Self::from_json_schema(object), names)
    }
}

fn leave_out(schema: &mut Object, is_left_out: &mut dyn FnMut(&str, bool) -> bool, reach: Reach) {
    let required = schema.get("required").and_then(Value::as_array).cloned();
    let required = required.unwrap_or_default();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let is_required = |name: &str| required.iter().any(|one| one == name);
        properties.retain(|name, _| !is_left_out(name, is_required(name)));
    }
    if reach == Reach::Root {
        return;
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(alternatives) = schema.get_mut(keyword).and_then(Value::as_array_mut) {
            leave_out_alternatives(alternatives, is_left_out);
        }
    }
    let mut each = |value: &mut Value| match value {
        Value::Object(nested) => leave_out(nested, is_left_out, reach),
        Value::Array(list) => {
            for nested in list.iter_mut().filter_map(Value::as_object_mut) {
                leave_out(nested, is_left_out, reach);
            }
        }
        _ => {}
    };
    for (keyword, value) in schema.iter_mut() {
        match (json_schema_takes(keyword), value) {
            (
                Some(KeywordKind::Schema | KeywordKind::SchemaOrFlag | KeywordKind::Schemas),
                value,
            ) => each(value),
            (Some(KeywordKind::Properties), Value::Object(map)) => {
                map.values_mut().for_each(&mut each);
            }
            _ => {}
        }
    }
}

/// Leaves out alternatives that require such a property, unless all do.
fn leave_out_alternatives(
    alternatives: &mut Vec<Value>,
    is_left_out: &mut dyn FnMut(&str, bool) -> bool,
) {
    let required = |alternative: &Value| -> Vec<String> {
        let names = alternative.get("required").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        let properties = alternative.get("properties");
        let is_property = |name: &&str| properties.is_some_and(|all| all.get(name).is_some());
        names.filter(is_property).map(str::to_owned).collect()
    };
    let unfit: Vec<bool> = alternatives
        .iter()
        .map(|alternative| {
            let mut names = required(alternative).into_iter();
            names.any(|name| is_left_out(&name, false))
        })
        .collect();
    if unfit.contains(&false) {
        let mut unfit = unfit.into_iter();
        alternatives.retain(|_| unfit.next() != Some(true));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, reach: Reach, expected: &Value) {
        let object = schema.as_object().expect("an object").clone();
        let (slim, _) =
            Schema::from_json_schema(object).without_optional(&|name| name.contains('-'), reach);
        assert_eq!(slim.to_json_schema(), *expected, "{schema}");
    }

    #[test]
    fn optional_properties_are_left_out() {
        let text = json!({"type": "string"});
        let with = json!({"type": "object", "properties": {"a": text, "b-c": text}});
        let without = json!({"type": "object", "properties": {"a": text}});
        let needed = json!({"properties": {"b-c": text}, "required": ["b-c"]});
        let nest = |inner: &Value| {
            json!({
                "type": "object",
                "properties": {
                    "list": {"type": "array", "items": inner},
                    "one": {"anyOf": [inner, needed]},
                    "other": {"additionalProperties": inner},
                },
                "$defs": {"x": inner},
            })
        };
        // An alternative that requires one goes, unless there is no other.
        let nest_left = |inner: &Value| {
            let mut nested = nest(inner);
            nested["properties"]["one"] = json!({"anyOf": [inner]});
            nested
        };
        let only = json!({"type": "object", "oneOf": [needed, needed]});
        check(&only, Reach::All, &only);
        check(&with, Reach::Root, &without);
        check(&needed, Reach::All, &needed);
        check(&nest(&with), Reach::All, &nest_left(&without));
        check(&nest(&with), Reach::Root, &nest(&with));
        // A property may be called like a keyword.
        let named = json!({"properties": {"properties": with, "items": {"type": "string"}}});
        check(
            &named,
            Reach::All,
            &json!({"properties": {"properties": without, "items": text}}),
        );
    }
}
