//! Schemas of a specification, with their references resolved.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::Options;

type Object = Map<String, Value>;

/// The most values of a schema after references are resolved.
const MAX_VALUES: usize = 20_000;
/// The most values of all schemas of a specification. GitHub's 1,223 operations have 112,000 of
/// them, and the 1,014 of Kubernetes 313,000.
const MAX_TOTAL: usize = 500_000;
/// The deepest nesting of schemas.
const MAX_DEPTH: usize = 40;
/// Keywords that say nothing about values.
const DROPPED: [&str; 9] = [
    "xml",
    "externalDocs",
    "discriminator",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$schema",
];
/// Keywords whose members are named schemas.
const NAMED: [&str; 3] = ["properties", "patternProperties", "$defs"];
/// Keywords with a list of schemas.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// The longest default that a description names, in bytes.
const MAX_DEFAULT: usize = 100;

/// The direction in which values of a schema go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// To the server: without `readOnly`.
    Request,
    /// From the server: without `writeOnly`.
    Response,
}

/// The place of an operation in a specification.
pub(super) struct Place<'s> {
    pub(super) root: &'s Value,
    pub(super) options: &'s Options,
    pub(super) item: &'s Value,
    pub(super) value: &'s Value,
    pub(super) resolved: &'s Resolved,
    pub(super) method: &'s str,
    pub(super) path: &'s str,
    /// Why its methods are not known.
    pub(super) fault: Option<String>,
}

/// The schemas of a specification that were resolved, and the number of values of all of them.
#[derive(Default)]
pub(super) struct Resolved {
    total: Cell<usize>,
    /// The schemas by their references, with the number of their values.
    known: RefCell<HashMap<(String, Direction), (Value, usize)>>,
}

impl Resolved {
    /// Returns true if the schemas have more values than a specification may have.
    pub(super) const fn is_full(&self) -> bool {
        self.total.get() > MAX_TOTAL
    }
}

/// Resolves references in a specification.
pub(super) struct Resolver<'s> {
    root: &'s Value,
    /// True from OpenAPI 3.1.
    is_current: bool,
    direction: Direction,
    resolved: &'s Resolved,
    open: Vec<String>,
    count: usize,
}

impl<'s> Resolver<'s> {
    pub(super) fn new(root: &'s Value, direction: Direction, resolved: &'s Resolved) -> Self {
        let version = root.get("openapi").map(Value::to_string);
        let version = version.as_ref().map(|it| it.trim_start_matches('"'));
        Self {
            root,
            is_current: version.is_some_and(|it| !it.starts_with("3.0")),
            direction,
            resolved,
            open: Vec::new(),
            count: 0,
        }
    }

    /// Returns the schema without references, and with `allOf` merged.
    pub(super) fn schema(&mut self, schema: &Value) -> Result<Value, String> {
        self.add(1)?;
        let Value::Object(object) = schema else {
            return Ok(schema.clone());
        };
        let reference = object.get("$ref").and_then(Value::as_str);
        let target = reference.map(|reference| self.target(reference));
        let target = target.transpose()?;
        let mut out = Object::new();
        for (key, value) in object {
            // Up to 3.0, keys beside a reference mean nothing; a description does no harm.
            let is_ignored = key != "description" && !self.is_current || key == "$ref";
            if DROPPED.contains(&key.as_str())
                || key.starts_with("x-")
                || target.is_some() && is_ignored
            {
                continue;
            }
            let value = match value {
                Value::Object(members) if NAMED.contains(&key.as_str()) => self.members(members)?,
                Value::Array(items) if LISTS.contains(&key.as_str()) => {
                    let items = items.iter().map(|item| self.schema(item));
                    Value::Array(items.collect::<Result<_, _>>()?)
                }
                Value::Object(_) if !matches!(key.as_str(), "default" | "const") => {
                    self.schema(value)?
                }
                value => value.clone(),
            };
            out.insert(key.clone(), value);
        }
        if let (Some(Value::Object(properties)), Some(Value::Array(required))) =
            (object.get("properties"), out.get_mut("required"))
        {
            required.retain(|name| {
                let property = name.as_str().and_then(|name| properties.get(name));
                !property.is_some_and(|property| self.is_left_out(property))
            });
        }
        if matches!(out.get("required"), Some(Value::Array(names)) if names.is_empty()) {
            out.remove("required");
        }
        if let Some(target) = target {
            if out.is_empty() {
                return Ok(target);
            }
            let all = out.entry("allOf").or_insert_with(|| json!([]));
            if let Some(all) = all.as_array_mut() {
                all.push(target);
            }
        }
        Ok(Value::Object(merged(out)))
    }

    /// Counts values, which must not be too many.
    fn add(&mut self, count: usize) -> Result<(), String> {
        self.count += count;
        self.resolved.total.update(|total| total + count);
        if self.count > MAX_VALUES || self.open.len() > MAX_DEPTH || self.resolved.is_full() {
            return Err("its schema is too large".to_owned());
        }
        Ok(())
    }

    /// Returns the schema that a reference leads to, which is resolved once.
    fn target(&mut self, reference: &str) -> Result<Value, String> {
        if self.open.iter().any(|open| open == reference) {
            return Err(format!("`{reference}` contains itself"));
        }
        let key = (reference.to_owned(), self.direction);
        if let Some((known, count)) = self.resolved.known.borrow().get(&key) {
            self.add(*count)?;
            return Ok(known.clone());
        }
        let target = lookup(self.root, reference)?;
        let before = self.count;
        self.open.push(reference.to_owned());
        let resolved = self.schema(target);
        self.open.pop();
        let resolved = resolved?;
        let known = (resolved.clone(), self.count - before);
        self.resolved.known.borrow_mut().insert(key, known);
        Ok(resolved)
    }

    fn members(&mut self, members: &Object) -> Result<Value, String> {
        let mut out = Object::new();
        for (name, schema) in members {
            if !self.is_left_out(schema) {
                out.insert(name.clone(), self.schema(schema)?);
            }
        }
        Ok(Value::Object(out))
    }

    /// Returns true if a property goes in the other direction only.
    fn is_left_out(&self, schema: &Value) -> bool {
        let key = match self.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let reference = schema["$ref"].as_str();
        let target = reference.and_then(|reference| lookup(self.root, reference).ok());
        schema[key] == true || target.is_some_and(|target| target[key] == true)
    }
}

/// Moves each default of a schema to its description: the server assumes it, and it is not sent.
pub(super) fn describe_defaults(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    let default = object.shift_remove("default");
    let default = default.filter(|it| !it.is_null()).map(|it| it.to_string());
    if let Some(default) = default.filter(|text| text.len() <= MAX_DEFAULT) {
        let own = object.get("description").and_then(Value::as_str);
        let own = own.map_or("", |text| text.trim().trim_end_matches('.'));
        let gap = if own.is_empty() { "" } else { ". " };
        let text = format!("{own}{gap}By default, {default}.");
        object.insert("description".to_owned(), text.into());
    }
    for (key, value) in object {
        match value {
            Value::Object(members) if NAMED.contains(&key.as_str()) => {
                members.values_mut().for_each(describe_defaults);
            }
            Value::Array(items) if LISTS.contains(&key.as_str()) => {
                items.iter_mut().for_each(describe_defaults);
            }
            Value::Object(_) if key != "const" => describe_defaults(value),
            _ => {}
        }
    }
}

/// Returns the value that a reference leads to, through further references.
pub(super) fn follow<'s>(root: &'s Value, value: &'s Value) -> Result<&'s Value, String> {
    let mut value = value;
    for _ in 0..MAX_DEPTH {
        match value["$ref"].as_str() {
            None => return Ok(value),
            Some(reference) => value = lookup(root, reference)?,
        }
    }
    Err("its references lead in a circle".to_owned())
}

fn lookup<'s>(root: &'s Value, reference: &str) -> Result<&'s Value, String> {
    let Some(pointer) = reference.strip_prefix('#') else {
        return Err(format!("`{reference}` is in another file"));
    };
    let pointer = percent_decode_str(pointer).decode_utf8_lossy();
    let found = root.pointer(&pointer);
    found.ok_or_else(|| format!("`{reference}` does not exist"))
}

/// Merges the members of `allOf` if all of them are objects with properties, or there is only one.
fn merged(mut schema: Object) -> Object {
    let Some(Value::Array(all)) = schema.get("allOf") else {
        return schema;
    };
    let is_plain = |part: &Value| {
        let has = |key: &str| part.get(key).is_some();
        let kind = part.get("type").is_none_or(|kind| kind == "object");
        kind && !has("anyOf") && !has("oneOf") && !has("not") && !has("allOf")
    };
    if all.len() > 1 && !all.iter().all(is_plain) {
        return schema;
    }
    let all = all.clone();
    schema.shift_remove("allOf");
    for part in all {
        let Value::Object(part) = part else { continue };
        for (key, value) in part {
            match (schema.get_mut(&key), value) {
                (Some(Value::Object(own)), Value::Object(more)) if key == "properties" => {
                    for (name, property) in more {
                        own.entry(name).or_insert(property);
                    }
                }
                (Some(Value::Array(own)), Value::Array(more)) if key == "required" => {
                    for name in more {
                        if !own.contains(&name) {
                            own.push(name);
                        }
                    }
                }
                (Some(_), _) => {}
                (None, value) => drop(schema.insert(key, value)),
            }
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::super::tests::{document, options, root, tools};
    use super::*;

    #[test]
    fn keys_beside_a_reference_count_from_3_1() {
        let sort = json!({"$ref": "#/color", "default": "blue", "description": "Sort by"});
        let own = json!({"$ref": "#/color", "default": "blue"});
        let mut root = root(&json!({"/x": {"get": {"operationId": "x", "parameters": [
            {"name": "sort", "in": "query", "schema": sort},
            {"name": "own", "in": "query", "schema": own},
            {"name": "shade", "in": "query", "schema": {"anyOf": [own, {"type": "null"}]}},
        ]}}}));
        root["color"] =
            json!({"type": "string", "enum": ["red", "blue"], "description": "A color"});
        for (version, texts) in [
            (
                "3.1.0",
                [
                    "Sort by. By default, \"blue\".",
                    "A color. By default, \"blue\".",
                ],
            ),
            ("3.0.3", ["Sort by", "A color"]),
        ] {
            root["openapi"] = version.into();
            let document = document(&tools(&root, &options()), "x");
            let properties = &document["parameters_schema"]["properties"];
            for (name, text) in ["sort", "own"].into_iter().zip(texts) {
                let expected =
                    json!({"type": "string", "enum": ["red", "blue"], "description": text});
                assert_eq!(properties[name], expected, "{version}");
            }
            let shade = &properties["shade"];
            assert_eq!(shade["enum"], json!(["red", "blue", null]), "{version}");
            assert_eq!(shade["nullable"], json!(true), "{version}");
        }
    }
}
