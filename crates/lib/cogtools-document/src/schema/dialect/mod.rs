//! The dialects of schemas in which APIs take parameters: Gemini's `parameters`, and the strict
//! mode of `OpenAI`.
//!
//! Both know few keywords and reject a whole request because of another one. A declaration leaves
//! it out, so it accepts more; arguments are always validated against the whole schema.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Value, json};

use super::closed::Declared;
use super::keyword::LISTS;
use super::translate::Purpose;
use super::{
    Object, Schema, declares, is_true, keyword, list_null, parts, recover, required, translate,
};

/// The keywords of Gemini's `parameters`.
pub const GEMINI_KEYWORDS: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
    "default",
    "example",
    "propertyOrdering",
];

/// The keywords of values without parts in strict mode, as a Schema Object has them.
const STRICT_KEYWORDS: [&str; 14] = [
    "type",
    "title",
    "description",
    "nullable",
    "enum",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];

/// The formats of strings in strict mode.
const STRICT_FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

impl Schema {
    /// The Schema Object with only what Gemini's `parameters` can say.
    pub fn gemini_object(&self) -> Cow<'_, Object> {
        let does_not_fit = &mut |schema: &Object| !fits_gemini(schema);
        if keyword::any_schema(&self.object, does_not_fit) {
            Cow::Owned(gemini(&recover::without_exclusive_bounds(&self.inlined())))
        } else {
            Cow::Borrowed(&self.object)
        }
    }

    /// The JSON Schema for `OpenAI`'s strict mode, in which an optional property is a required one
    /// that may be `null`; `None` if strict mode cannot say it: it has no maps, no values of any
    /// type, and no schemas that contain themselves.
    pub fn strict_object(&self) -> Option<Object> {
        self.strict(&self.inlined())
    }

    /// Removes each `null` that stands for an absent property: one that is optional, and that no
    /// `null` is a value of.
    pub fn remove_absent(&self, arguments: &mut Object) {
        self.remove_absent_in(&[&self.object], arguments);
    }

    /// The Schema Object without references; one that contains itself ends at some depth.
    fn inlined(&self) -> Cow<'_, Object> {
        let has_reference = &mut |part: &Object| part.contains_key("$ref");
        if keyword::any_schema(&self.object, has_reference) {
            Cow::Owned(recover::object(&self.object))
        } else {
            Cow::Borrowed(&self.object)
        }
    }

    fn strict(&self, schema: &Object) -> Option<Object> {
        let schema = plain(schema);
        let kept = schema.iter().filter(|(keyword, value)| {
            let known = STRICT_KEYWORDS.contains(&keyword.as_str());
            known && (*keyword != "pattern" || !value.as_str().is_some_and(looks_around))
        });
        let kept: Object = kept
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let mut result = translate::object(&kept, Purpose::Declare);
        result.retain(|keyword, value| {
            keyword != "format" || STRICT_FORMATS.iter().any(|format| value == format)
        });
        if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
            let strict = |choice: &Value| self.strict(choice.as_object()?).map(Value::Object);
            let choices: Option<Vec<Value>> = choices.iter().map(strict).collect();
            result.retain(|keyword, _| matches!(keyword.as_str(), "title" | "description"));
            result.insert("anyOf".into(), choices?.into());
            return Some(result);
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => self.strict_members(&schema, &mut result)?,
            Some("array") => {
                let items = self.strict(schema.get("items")?.as_object()?)?;
                result.insert("items".into(), items.into());
            }
            Some(_) => {}
            None => {
                let kinds = kinds(schema.get("enum")?.as_array()?)?;
                result.insert("type".into(), kinds.into());
            }
        }
        Some(result)
    }

    /// Adds the members of an object, which has no others.
    fn strict_members(&self, schema: &Object, result: &mut Object) -> Option<()> {
        if schema
            .get("additionalProperties")
            .is_some_and(|it| *it != false)
        {
            return None;
        }
        let mut properties = Object::new();
        for (name, property) in schema.get("properties")?.as_object()? {
            let mut property = self.strict(property.as_object()?)?;
            if required(schema).all(|it| it != name) {
                allow_null(&mut property);
            }
            properties.insert(name.clone(), property.into());
        }
        let names: Vec<&String> = properties.keys().collect();
        result.insert("required".into(), json!(names));
        result.insert("properties".into(), properties.into());
        result.insert("additionalProperties".into(), false.into());
        Some(())
    }

    fn remove_absent_in(&self, schemas: &[&Object], entries: &mut Object) {
        let declared = Declared::of(&self.object, schemas);
        entries.retain(|name, value| {
            let is_value = || {
                let schemas = declared.property(name);
                schemas.iter().any(|schema| self.accepts_null(schema))
            };
            !value.is_null() || !declared.is_optional(name) || is_value()
        });
        for (name, value) in entries {
            self.remove_absent_from(&declared.property(name), value);
        }
    }

    fn remove_absent_from(&self, schemas: &[&Object], value: &mut Value) {
        match value {
            Value::Object(entries) => self.remove_absent_in(schemas, entries),
            Value::Array(items) => {
                let schemas = Declared::of(&self.object, schemas).items();
                for item in items.iter_mut().filter(|_| !schemas.is_empty()) {
                    self.remove_absent_from(&schemas, item);
                }
            }
            _ => {}
        }
    }

    /// Returns true if `null` is a value of `schema`, a part of this one.
    fn accepts_null(&self, schema: &Object) -> bool {
        let Some(schema) = keyword::target(&self.object, schema) else {
            return true;
        };
        let values = schema.get("enum").and_then(Value::as_array);
        if values.is_some_and(|values| !values.contains(&Value::Null)) {
            return false;
        }
        let parts = |list: &str| schema.get(list).and_then(Value::as_array);
        let accepts = |part: &Value| part.as_object().is_none_or(|it| self.accepts_null(it));
        // OpenAPI 3.0.3 wants a type beside it.
        is_true(schema, "nullable") && schema.contains_key("type")
            || !schema.contains_key("type")
                && !schema.contains_key("properties")
                && parts("allOf").is_none_or(|parts| parts.iter().all(accepts))
                && ["anyOf", "oneOf"]
                    .into_iter()
                    .filter_map(parts)
                    .all(|it| it.iter().any(accepts))
    }
}

/// Returns true if Gemini's `parameters` can say what `schema` says beside its parts.
fn fits_gemini(schema: &Object) -> bool {
    let kind = schema.get("type").and_then(Value::as_str);
    schema
        .iter()
        .all(|(keyword, value)| match keyword.as_str() {
            "type" => kind != Some("array") || schema.contains_key("items"),
            "required" => required(schema).all(|name| declares(schema, name)),
            "anyOf" => kind.is_none() && !schema.contains_key("properties"),
            keyword => is_gemini_keyword(keyword, value, kind),
        })
}

/// Returns true if `parameters` can have the keyword with this value beside a type.
fn is_gemini_keyword(keyword: &str, value: &Value, kind: Option<&str>) -> bool {
    match keyword {
        "enum" => {
            let is_list = |it: &Vec<Value>| !it.is_empty() && it.iter().all(is_choice);
            kind == Some("string") && value.as_array().is_some_and(is_list)
        }
        "format" => kind != Some("string") || matches!(value.as_str(), Some("enum" | "date-time")),
        "properties" => value.as_object().is_some_and(|it| !it.is_empty()),
        keyword => GEMINI_KEYWORDS.contains(&keyword),
    }
}

/// Returns true if Gemini accepts a value of an enum.
fn is_choice(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// `schema`, which has no references and no exclusive bounds, with only what fits.
fn gemini(schema: &Object) -> Object {
    let mut schema = plain(schema);
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        // `nullable` says it.
        let count = values.len();
        values.retain(|value| !value.is_null());
        let has_null = values.len() < count;
        // Without a type, a value of any kind is declared, and `anyOf` stands alone.
        let kind = common_kind(values);
        if let Some(kind) =
            kind.filter(|_| !["type", "anyOf"].iter().any(|it| schema.contains_key(*it)))
        {
            schema.insert("type".into(), kind.into());
            if has_null {
                schema.insert("nullable".into(), true.into());
            }
        }
    }
    let kind = schema
        .get("type")
        .and_then(Value::as_str)
        .map(str::to_owned);
    if kind.as_deref() == Some("array") && !schema.contains_key("items") {
        schema.insert("items".into(), json!({}));
    }
    let known = required(&schema).filter(|name| declares(&schema, name));
    let known: Vec<Value> = known.map(Value::from).collect();
    if known.is_empty() {
        schema.shift_remove("required");
    } else {
        schema.insert("required".into(), known.into());
    }
    schema.retain(|keyword, value| is_gemini_keyword(keyword, value, kind.as_deref()));
    let parts = schema.into_iter().map(|(keyword, value)| {
        let takes = keyword::takes(&keyword).unwrap_or(keyword::KeywordKind::Any);
        let value = takes.convert(&value, |value| {
            Value::Object(value.as_object().map(gemini).unwrap_or_default())
        });
        (keyword, value)
    });
    parts.collect()
}

/// The type of all `values`, if they have one.
fn common_kind(values: &[Value]) -> Option<&'static str> {
    match kinds(values)?.as_slice() {
        [kind] => Some(kind),
        ["integer", "number"] | ["number", "integer"] => Some("number"),
        _ => None,
    }
}

/// The JSON types of `values`, each once; `None` if one has parts.
fn kinds(values: &[Value]) -> Option<Vec<&'static str>> {
    let mut kinds = Vec::new();
    for value in values {
        let kind = kind(value)?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Some(kinds)
}

/// The JSON type of a value without parts.
fn kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => Some("null"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::String(_) => Some("string"),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Lets a schema of strict mode accept `null`, too.
fn allow_null(schema: &mut Object) {
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.push(json!({"type": "null"}));
    }
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.iter().any(|it| it == "null") => {
            kinds.push("null".into());
        }
        Some(kind @ Value::String(_)) => *kind = json!([kind.take(), "null"]),
        _ => {}
    }
    list_null(schema);
}

/// Returns true if a pattern has look-ahead or look-behind, which strict mode rejects.
pub fn looks_around(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|it| pattern.contains(it))
}

/// `schema` with at most one list of schemas, `anyOf`, which then stands alone: what has to match
/// all of several schemas has the keywords of all, and an object has the properties of all its
/// alternatives. The result accepts at least as much.
fn plain(schema: &Object) -> Object {
    let mut result = schema.clone();
    let mut properties = Object::new();
    collect_properties(schema, &mut properties);
    for part in parts(schema, "allOf").map(plain) {
        for (keyword, value) in part {
            match (result.get_mut(&keyword), value) {
                (Some(Value::Array(names)), Value::Array(more)) if keyword == "required" => {
                    let more = more.into_iter().filter(|name| !names.contains(name));
                    let more: Vec<Value> = more.collect();
                    names.extend(more);
                }
                (None, value) => drop(result.insert(keyword, value)),
                (Some(_), _) => {}
            }
        }
    }
    if !result.contains_key("type") && !properties.is_empty() {
        let own = schema.contains_key("properties") || schema.contains_key("allOf");
        own.then(|| result.insert("type".into(), "object".into()));
    }
    let mut choices: Vec<Value> = Vec::new();
    for list in LISTS {
        if let Some(Value::Array(parts)) = result.shift_remove(list)
            && list != "allOf"
            && choices.is_empty()
        {
            choices = parts;
        }
    }
    match result.get("type") {
        Some(kind) if kind == "object" && !properties.is_empty() => {
            result.insert("properties".into(), properties.into());
        }
        None if !choices.is_empty() => drop(result.insert("anyOf".into(), choices.into())),
        _ => {}
    }
    result
}

/// Adds the properties of a schema and of the schemas that it lists; the first one of
/// each name wins.
pub fn collect_properties(schema: &Object, properties: &mut Object) {
    let named = schema.get("properties").and_then(Value::as_object);
    for (name, property) in named.into_iter().flatten() {
        if !properties.contains_key(name) {
            properties.insert(name.clone(), property.clone());
        }
    }
    for list in LISTS {
        for part in parts(schema, list) {
            collect_properties(part, properties);
        }
    }
}
