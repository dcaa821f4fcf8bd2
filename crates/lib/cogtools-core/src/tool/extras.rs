//! What a server declares about its tool for clients alone: it is passed on to them.

use serde_json::{Map, Value};

use super::{Annotations, Tool};
use crate::schema::Schema;

type Object = Map<String, Value>;

/// Where an icon may come from.
const ICON_SCHEMES: [&str; 3] = ["https:", "http:", "data:"];

/// The dialect of schemas in MCP.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The parts of a declaration of MCP that cogtools itself has no use for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// The schema of structured results, in JSON Schema 2020-12.
    pub(crate) output_schema: Option<Object>,
    /// Annotations other than the hints of [`Annotations`].
    pub(crate) annotations: Object,
    pub(crate) icons: Vec<Value>,
    pub(crate) meta: Object,
}

impl Extras {
    /// Those of `declaration`; what is not valid is left out.
    pub(crate) fn of(declaration: &Value) -> Self {
        let object = |key: &str| declaration.get(key).and_then(Value::as_object);
        let mut annotations = object("annotations").cloned().unwrap_or_default();
        annotations.retain(|name, _| !Annotations::MCP_NAMES.contains(&name.as_str()));
        let icons = declaration.get("icons").and_then(Value::as_array);
        let is_loadable = |icon: &&Value| {
            let source = icon.get("src").and_then(Value::as_str).unwrap_or_default();
            ICON_SCHEMES.iter().any(|scheme| source.starts_with(scheme))
        };
        // Clients reject a whole list for a root that is not an object.
        let is_object = |schema: &&Object| schema.get("type").is_some_and(|kind| kind == "object");
        let output = object("outputSchema").filter(is_object);
        Self {
            output_schema: output.map(output_schema),
            annotations,
            icons: icons
                .into_iter()
                .flatten()
                .filter(is_loadable)
                .cloned()
                .collect(),
            meta: object("_meta").cloned().unwrap_or_default(),
        }
    }
}

/// `schema` as clients accept it: whole, unless something in it has to be repaired.
fn output_schema(schema: &Object) -> Object {
    if Schema::repairs(schema).are_extensions() {
        let is_ours = |key: &str, value: &Value| key != "$schema" || value == DIALECT;
        let mut whole = schema.clone();
        whole.retain(|key, value| is_ours(key, value));
        return whole;
    }
    Schema::from_foreign(schema).json_schema().into_owned()
}

impl Tool {
    /// What only clients of MCP use.
    pub(crate) fn extras(&self) -> &Extras {
        &self.definition.extras
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_valid_is_kept() {
        let extras = Extras::of(&json!({
            "outputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"],
            },
            "annotations": {"title": "T", "readOnlyHint": true, "vendor/x": [1]},
            "icons": [{"src": "https://a/b.png", "sizes": ["48x48"]}, {"src": "javascript:x"}, 1],
            "_meta": {"a/b": {"c": 1}},
        }));
        let schema = json!({
            "type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"],
        });
        assert_eq!(extras.output_schema.map(Value::Object), Some(schema));
        assert_eq!(
            Value::Object(extras.annotations),
            json!({"title": "T", "vendor/x": [1]})
        );
        assert_eq!(
            extras.icons,
            [json!({"src": "https://a/b.png", "sizes": ["48x48"]})]
        );
        assert_eq!(Value::Object(extras.meta), json!({"a/b": {"c": 1}}));
    }

    #[test]
    fn a_schema_of_results_keeps_extensions() {
        let check = |schema: &Value, expected: &Value| {
            let extras = Extras::of(&json!({"outputSchema": schema}));
            assert_eq!(
                extras.output_schema.map(Value::Object).as_ref(),
                Some(expected)
            );
        };
        let whole = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer", "minimum": -1, "x-unit": "ms"},
                "u": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/d"}]},
                "": {"const": null},
            },
            "$defs": {"d": {"enum": [null, 1, "1", [], {}]}},
            "unevaluatedProperties": {"not": {}},
            "x-vendor": {"big": 12_345_678_901_234_567_890_u64, "list": [[[]]], "null": null},
        });
        check(&whole, &whole);
        let repaired = json!({"type": "object", "properties": {"t": {}}});
        check(
            &json!({"type": "object", "properties": {"t": true}, "x-vendor": 1}),
            &repaired,
        );
    }

    #[test]
    fn what_is_not_valid_is_left_out() {
        for declaration in [
            json!({}),
            json!({"outputSchema": true, "annotations": [], "icons": {}, "_meta": 1}),
            json!({"outputSchema": {"type": "array"}, "icons": [{"src": "file:///etc/passwd"}]}),
        ] {
            let extras = Extras::of(&declaration);
            assert!(extras.output_schema.is_none() && extras.annotations.is_empty());
            assert!(
                extras.icons.is_empty() && extras.meta.is_empty(),
                "{declaration}"
            );
        }
    }
}
