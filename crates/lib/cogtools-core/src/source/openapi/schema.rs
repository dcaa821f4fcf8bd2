//! Schemas of a specification, with their references resolved.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// The most values of a schema after references are resolved.
const MAX_VALUES: usize = 20_000;
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

/// The direction in which values of a schema go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the server: without `readOnly`.
    Request,
    /// From the server: without `writeOnly`.
    Response,
}

/// Resolves references in a specification.
pub(super) struct Resolver<'s> {
    root: &'s Value,
    direction: Direction,
    open: Vec<String>,
    count: usize,
}

impl<'s> Resolver<'s> {
    pub(super) const fn new(root: &'s Value, direction: Direction) -> Self {
        Self {
            root,
            direction,
            open: Vec::new(),
            count: 0,
        }
    }

    /// Returns the schema without references, and with `allOf` merged.
    pub(super) fn schema(&mut self, schema: &Value) -> Result<Value, String> {
        self.count += 1;
        if self.count > MAX_VALUES || self.open.len() > MAX_DEPTH {
            return Err("its schema is too large".to_owned());
        }
        let Value::Object(object) = schema else {
            return Ok(schema.clone());
        };
        if let Some(Value::String(reference)) = object.get("$ref") {
            if self.open.contains(reference) {
                return Err(format!("`{reference}` contains itself"));
            }
            let target = lookup(self.root, reference)?;
            self.open.push(reference.clone());
            let resolved = self.schema(target);
            self.open.pop();
            let mut resolved = resolved?;
            if let (Some(text), Some(found)) = (object.get("description"), resolved.as_object_mut())
            {
                found.insert("description".to_owned(), text.clone());
            }
            return Ok(resolved);
        }
        let mut out = Object::new();
        for (key, value) in object {
            if DROPPED.contains(&key.as_str()) || key.starts_with("x-") {
                continue;
            }
            let value = match value {
                Value::Object(members) if NAMED.contains(&key.as_str()) => self.members(members)?,
                Value::Array(items) if matches!(key.as_str(), "allOf" | "anyOf" | "oneOf") => {
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
        if out
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty)
        {
            out.remove("required");
        }
        Ok(Value::Object(merged(out)))
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
        let is_set = |schema: &Value| schema.get(key) == Some(&Value::Bool(true));
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| lookup(self.root, reference).ok());
        is_set(schema) || target.is_some_and(is_set)
    }
}

/// Returns the value that a reference leads to, through further references.
pub(super) fn follow<'s>(root: &'s Value, value: &'s Value) -> Result<&'s Value, String> {
    let mut value = value;
    for _ in 0..MAX_DEPTH {
        match value.get("$ref").and_then(Value::as_str) {
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
