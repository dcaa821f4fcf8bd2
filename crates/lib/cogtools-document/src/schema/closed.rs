//! Keys of nested objects that no schema declares.
//!
//! An object is closed if a schema declares its properties and none has
//! `additionalProperties`. Its properties are the properties of the schema and of all that it is
//! composed of; a key that any branch declares is declared. A schema of `type: object`
//! without properties declares a map with any keys.

use serde_json::{Map, Value, json};

use crate::Diagnostic;
use crate::pointer::child;
use crate::schema::keyword::LISTS;
use crate::schema::violation::Violation;
use crate::schema::{Object, Schema, declares, keyword, parts, required, translate};
use crate::yaml::MAX_DEPTH;

impl Schema {
    /// The keys of nested objects in `value` that the schema does not declare. A JSON
    /// Schema always governs them itself.
    pub fn undeclared_nested(&self, value: &Value) -> Vec<Violation> {
        if self.original.is_some() {
            return Vec::new();
        }
        let mut check = Check {
            root: &self.object,
            found: Vec::new(),
        };
        let declared = Declared::of(&self.object, &[&self.object]);
        check.members(&declared, value, "");
        check.found
    }

    /// The defaults that do not match their own schema: the JSON pointer of each such
    /// schema, and the reason.
    pub fn invalid_defaults(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (pointer, default, property) in all(&self.object) {
            // A validator needs a whole schema: that of an object with the property alone or,
            // if it has references, with all properties.
            let mut inside = Object::new();
            let has_reference = &mut |part: &Object| part.contains_key("$ref");
            if keyword::any_schema(property, has_reference) {
                inside.extend(
                    properties(&self.object).map(|(name, part)| (name.clone(), json!(part))),
                );
            }
            let mut name = "default".to_owned();
            while inside.contains_key(&name) {
                name.push('_');
            }
            inside.insert(name.clone(), json!(property));
            let mut root = Object::new();
            root.insert("type".into(), "object".into());
            root.insert("properties".into(), inside.into());
            let schema = Self::from(root);
            let Ok(validator) = schema.validator() else {
                continue;
            };
            let value = json!({ name: default });
            let first = validator.violations(&schema, &value).into_iter().next();
            found.extend(first.map(|violation| (pointer, violation.kind.to_string())));
        }
        found
    }
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
            let entries = entries.iter();
            let unknown = entries.filter(|(key, _)| !known.contains(&key.as_str()));
            self.found.extend(unknown.map(|(key, value)| {
                Violation::unknown(child(pointer, key), key, Some(value), &known)
            }));
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

/// Says in a JSON Schema of arguments which objects are closed. Where several schemas apply to one
/// value, `additionalProperties` would see the properties of only one of them, so it is not added.
pub(super) fn declare(root: &mut Object) {
    let lists_reference = &mut |schema: &Object| {
        let mut all = LISTS.iter().flat_map(|list| parts(schema, list));
        all.any(|part| part.contains_key("$ref"))
    };
    if !keyword::any_schema(root, lists_reference) {
        close(root, true);
    }
}

fn close(schema: &mut Object, is_root: bool) {
    let composes = |keyword: &String| LISTS.contains(&keyword.as_str()) || keyword == "$ref";
    if schema.keys().any(composes) {
        return;
    }
    for (keyword, value) in schema.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(all)) => {
                let schemas = all.values_mut().filter_map(Value::as_object_mut);
                schemas.for_each(|schema| close(schema, false));
            }
            ("items" | "additionalProperties", Value::Object(schema)) => close(schema, false),
            _ => {}
        }
    }
    if is_root || schema.contains_key("properties") {
        let rest = schema.entry("additionalProperties");
        rest.or_insert(Value::Bool(false));
    }
}

/// Adds the defaults of missing properties at every level that `value` reaches. Alternatives add
/// none: which one a value is meant for can depend on a property that is missing.
pub(super) fn apply(schema: &Object, value: &mut Object) {
    for (name, property) in properties(schema) {
        match value.get_mut(name) {
            Some(inner) => apply_to_value(property, inner),
            None => {
                if let Some(default) = default(property) {
                    let mut default = default.clone();
                    apply_to_value(property, &mut default);
                    value.insert(name.clone(), default);
                }
            }
        }
    }
    for part in parts(schema, "allOf") {
        apply(part, value);
    }
    if let Some(rest) = schema
        .get("additionalProperties")
        .and_then(Value::as_object)
    {
        let named = schema.get("properties");
        let is_other = |name: &str| named.is_none_or(|all| all.get(name).is_none());
        for (_, inner) in value.iter_mut().filter(|(name, _)| is_other(name)) {
            apply_to_value(rest, inner);
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
            for part in parts(schema, "allOf") {
                apply_to_value(part, value);
            }
        }
        _ => {}
    }
}

/// The default of a property, which can be in a schema that it is composed of.
fn default(schema: &Object) -> Option<&Value> {
    let own = schema.get("default");
    own.or_else(|| parts(schema, "allOf").find_map(default))
}

/// Writes numbers without a fraction as integers where `schemas`, which are parts of `root`, say
/// `integer`: 2.0 and 1e2 are ones, but programs do not read them alike.
pub(super) fn write_integers(root: &Object, schemas: &[&Object], entries: &mut Object) {
    let declared = Declared::of(root, schemas);
    for (key, value) in entries {
        write_integers_in(root, &declared.property(key), value);
    }
}

fn write_integers_in(root: &Object, schemas: &[&Object], value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let declared = Declared::of(root, schemas);
            let mut parts = declared.parts.iter();
            if parts.any(|part| translate::is_integer(part)) {
                *number = translate::written_as_integer(number);
            }
        }
        Value::Array(items) => {
            let schemas = Declared::of(root, schemas).items();
            for item in items {
                write_integers_in(root, &schemas, item);
            }
        }
        Value::Object(entries) => write_integers(root, schemas, entries),
        _ => {}
    }
}

/// Every default of a property with the JSON pointer of its schema.
pub(super) fn all(schema: &Object) -> Vec<(String, &Value, &Object)> {
    let mut found = Vec::new();
    collect(schema, "", false, &mut found);
    found
}

fn collect<'s>(
    schema: &'s Object,
    pointer: &str,
    is_property: bool,
    found: &mut Vec<(String, &'s Value, &'s Object)>,
) {
    if let Some(default) = schema.get("default").filter(|_| is_property) {
        found.push((pointer.to_owned(), default, schema));
    }
    for (name, property) in properties(schema) {
        let pointer = child(&format!("{pointer}/properties"), name);
        collect(property, &pointer, true, found);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(part) = schema.get(keyword).and_then(Value::as_object) {
            collect(part, &child(pointer, keyword), false, found);
        }
    }
    for (index, part) in parts(schema, "allOf").enumerate() {
        let pointer = format!("{pointer}/allOf/{index}");
        collect(part, &pointer, is_property, found);
    }
}

fn properties(schema: &Object) -> impl Iterator<Item = (&String, &Object)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties.filter_map(|(name, schema)| Some((name, schema.as_object()?)))
}

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

/// The keys that the schemas of one value declare together.
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
        let Some(schema) = keyword::target(root, schema) else {
            return;
        };
        if depth > MAX_DEPTH {
            return;
        }
        self.parts.push(schema);
        for keyword in LISTS {
            for part in parts(schema, keyword) {
                self.is_free |= keyword != "allOf" && is_free(root, part);
                self.add(root, part, depth + 1);
            }
        }
    }

    /// Returns true if an object has only the properties that are declared.
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

    /// Returns true if a schema declares the property `key`, and does not require it.
    pub(super) fn is_optional(&self, key: &str) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| declares(part, key) && required(part).all(|name| name != key))
    }

    /// Returns the schemas of the property `key`, or else the schemas of undeclared properties.
    pub(super) fn property(&self, key: &str) -> Vec<&'s Object> {
        let named = self.properties();
        let named: Vec<&Object> = named.filter_map(|all| all.get(key)?.as_object()).collect();
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

/// Returns true if the branch `schema` is a map with any keys, or any value.
fn is_free(root: &Object, schema: &Object) -> bool {
    keyword::target(root, schema).is_some_and(|schema| {
        schema.iter().all(|(keyword, value)| {
            ANNOTATIONS.contains(&keyword.as_str())
                || keyword.starts_with("x-")
                || keyword == "type" && value == "object"
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The pointers of the undeclared keys in the argument `a` of this schema.
    #[track_caller]
    fn check(schema: &Value, argument: &Value, expected: &[&str]) {
        let root = json!({"type": "object", "properties": {"a": schema, "other": {"type": "object", "properties": {"z": {}}}}});
        let root = Schema::from(root.as_object().unwrap().clone());
        let found = root.undeclared_nested(&json!({"a": argument, "b": {"c": 1}}));
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
    fn a_closed_object_is_declared_as_one() {
        let closed = |properties: Value| json!({"type": "object", "properties": properties, "additionalProperties": false});
        let open = |properties: Value| json!({"type": "object", "properties": properties});
        let x = json!({"x": {"type": "string"}});
        let governs = json!({"properties": {"x": {}}, "additionalProperties": true});
        for (schema, expected) in [
            (open(x.clone()), closed(x.clone())),
            (
                json!({"items": open(x.clone())}),
                json!({"items": closed(x.clone())}),
            ),
            (
                json!({"additionalProperties": open(x.clone())}),
                json!({"additionalProperties": closed(x.clone())}),
            ),
            (
                open(json!({"properties": open(x.clone())})),
                closed(json!({"properties": closed(x.clone())})),
            ),
            (json!({"type": "object"}), json!({"type": "object"})),
            (
                json!({"default": open(json!({}))}),
                json!({"default": open(json!({}))}),
            ),
            (governs.clone(), governs),
            (
                json!({"anyOf": [open(x.clone())]}),
                json!({"anyOf": [open(x.clone())]}),
            ),
            (
                json!({"$ref": "#/properties/b"}),
                json!({"$ref": "#/properties/b"}),
            ),
        ] {
            let mut declared = open(json!({"a": schema}));
            declare(declared.as_object_mut().unwrap());
            assert_eq!(declared, closed(json!({"a": expected})));
        }
        let mut root = json!({"type": "object", "minProperties": 0});
        declare(root.as_object_mut().unwrap());
        assert_eq!(root["additionalProperties"], false);
        // The list accepts the properties of `a` beside others.
        let reference = json!({"$ref": "#/properties/a"});
        let mut shared = open(json!({"a": open(x), "b": {"allOf": [reference]}}));
        let unchanged = shared.clone();
        declare(shared.as_object_mut().unwrap());
        assert_eq!(shared, unchanged);
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
