//! Keys of nested objects that no schema declares.
//!
//! An object is closed if a schema declares its properties and none has
//! `additionalProperties`. Its properties are those of the schema and of all that it is
//! composed of; a key that any branch declares is declared. A schema of `type: object`
//! without properties declares a map with any keys.

use serde_json::{Map, Value};

use super::declared::Declared;
use super::violation::Violation;
use crate::Diagnostic;
use crate::pointer::child;

type Object = Map<String, Value>;

/// The undeclared keys in `value` of the schema `root`, except for those of the root.
pub(super) fn undeclared(root: &Object, value: &Value) -> Vec<Violation> {
    let mut check = Check {
        root,
        found: Vec::new(),
    };
    let declared = Declared::of(root, &[root]);
    check.members(&declared, value, "");
    check.found
}

struct Check<'s> {
    root: &'s Object,
    found: Vec<Violation>,
}

impl<'s> Check<'s> {
    /// Checks `value` at `pointer`, to which all of `schemas` apply.
    fn value(&mut self, schemas: &[&'s Object], value: &Value, pointer: &str) {
        if schemas.is_empty() || self.found.len() > Diagnostic::MAX_SHOWN {
            return;
        }
        let declared = Declared::of(self.root, schemas);
        if let Value::Object(entries) = value
            && declared.is_closed()
        {
            let known = declared.names();
            let unknown = entries.keys().filter(|key| !known.contains(&key.as_str()));
            self.found
                .extend(unknown.map(|key| Violation::unknown(child(pointer, key), key, &known)));
        }
        self.members(&declared, value, pointer);
    }

    /// Checks the members of `value` at `pointer`.
    fn members(&mut self, declared: &Declared<'s>, value: &Value, pointer: &str) {
        let is_composite = |value: &Value| value.is_object() || value.is_array();
        match value {
            Value::Array(items) => {
                let schemas = declared.items();
                for (index, item) in items.iter().enumerate().filter(|(_, it)| is_composite(it)) {
                    self.value(&schemas, item, &child(pointer, &index.to_string()));
                }
            }
            Value::Object(entries) => {
                for (key, value) in entries.iter().filter(|(_, it)| is_composite(it)) {
                    self.value(&declared.property(key), value, &child(pointer, key));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The pointers of the undeclared keys in the argument `a` of this schema.
    #[track_caller]
    fn check(schema: &Value, argument: &Value, expected: &[&str]) {
        let root = json!({"type": "object", "properties": {"a": schema, "other": {"type": "object", "properties": {"z": {}}}}});
        let found = undeclared(
            root.as_object().unwrap(),
            &json!({"a": argument, "b": {"c": 1}}),
        );
        let pointers: Vec<&str> = found.iter().map(|one| one.pointer.as_str()).collect();
        assert_eq!(pointers, expected, "{schema} {argument}");
    }

    #[test]
    fn nested_objects_are_closed() {
        let inner = json!({"type": "object", "properties": {"x": {"type": "string"}, "deep": {"properties": {"y": {}}}}});
        check(&inner, &json!({"x": 1, "deep": {"y": 1}}), &[]);
        check(&inner, &json!({"w": 1, "x": 1}), &["/a/w"]);
        check(
            &inner,
            &json!({"deep": {"y": {"any": 1}, "v/w": 1}}),
            &["/a/deep/v~1w"],
        );
        check(&inner, &json!("text"), &[]);
        let list = json!({"type": "array", "items": inner});
        check(
            &list,
            &json!([{"x": 1}, {"w": 1}, 5, {"deep": {"v": 1}}]),
            &["/a/1/w", "/a/3/deep/v"],
        );
        let lists = json!({"items": {"items": {"properties": {"x": {}}}}});
        check(&lists, &json!([[{"x": 1}, {"w": 1}]]), &["/a/0/1/w"]);
    }

    #[test]
    fn objects_that_govern_other_keys_are_not() {
        let w = json!({"w": {"v": 1}});
        for (schema, expected) in [
            (json!({}), &[] as &[&str]),
            (json!({"type": "object"}), &[]),
            (json!({"type": "object", "properties": {}}), &["/a/w"]),
            (
                json!({"properties": {"x": {}}, "additionalProperties": true}),
                &[],
            ),
            // The validator reports it.
            (
                json!({"properties": {"x": {}}, "additionalProperties": false}),
                &[],
            ),
            (
                json!({"additionalProperties": {"properties": {"v": {}}}}),
                &[],
            ),
            (
                json!({"additionalProperties": {"properties": {"u": {}}}}),
                &["/a/w/v"],
            ),
            (
                json!({"properties": {"w": {}}, "additionalProperties": {"properties": {"u": {}}}}),
                &[],
            ),
        ] {
            check(&schema, &w, expected);
        }
    }

    #[test]
    fn a_key_of_any_branch_is_declared() {
        let x = json!({"type": "object", "properties": {"x": {"properties": {"p": {}}}}});
        let y = json!({"type": "object", "properties": {"y": {}, "x": {"properties": {"q": {}}}}});
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let schema = json!({keyword: [x, y], "properties": {"z": {}}});
            check(
                &schema,
                &json!({"x": {"p": 1, "q": 1}, "y": 1, "z": 1}),
                &[],
            );
            check(
                &schema,
                &json!({"w": 1, "x": {"r": 1}}),
                &["/a/w", "/a/x/r"],
            );
        }
        check(
            &json!({"allOf": [x, {"required": ["x"]}]}),
            &json!({"w": 1}),
            &["/a/w"],
        );
        check(
            &json!({"allOf": [x, {"type": "object"}]}),
            &json!({"w": 1}),
            &["/a/w"],
        );
        check(
            &json!({"anyOf": [{"required": ["x"]}], "properties": {"x": {}}}),
            &json!({"w": 1}),
            &["/a/w"],
        );
        check(
            &json!({"anyOf": [x, {"type": "string"}]}),
            &json!({"w": 1}),
            &["/a/w"],
        );
        check(
            &json!({"anyOf": [x, {"type": "object", "description": "any"}]}),
            &json!({"w": 1}),
            &[],
        );
        check(&json!({"anyOf": [x, {}]}), &json!({"w": 1}), &[]);
        check(
            &json!({"allOf": [x, {"additionalProperties": {}}]}),
            &json!({"w": 1}),
            &[],
        );
    }

    #[test]
    fn references_are_followed() {
        let reference = json!({"$ref": "#/properties/other"});
        check(&reference, &json!({"z": 1, "w": 1}), &["/a/w"]);
        check(
            &json!({"anyOf": [reference, {"properties": {"w": {}}}]}),
            &json!({"z": 1, "w": 1, "v": 1}),
            &["/a/v"],
        );
        let list = json!({"properties": {"next": {"$ref": "#/properties/a"}}});
        check(
            &list,
            &json!({"next": {"next": {"w": 1}}}),
            &["/a/next/next/w"],
        );
    }
}
