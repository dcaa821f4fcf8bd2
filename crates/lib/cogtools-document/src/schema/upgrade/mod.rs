//! From JSON Schema of any draft to draft 2020-12, for the tools of MCP servers and providers.
//!
//! Servers declare what their libraries generate: words of older drafts, booleans in the place of
//! schemas, roots without a type. Clients drop a whole list of tools for one of them. So what an
//! older draft says is translated, what is incomplete is completed, and what is not valid is left
//! out, which never rejects arguments that the server accepts.

pub(super) mod repairs;

use std::cell::RefCell;
use std::collections::HashSet;

use serde_json::{Value, json};

use crate::pointer::{child, segments};
use crate::schema::keyword::{KeywordKind, json_schema_takes};
pub use crate::schema::upgrade::repairs::Repairs;
use crate::schema::{Object, Schema, is_of_type, is_true, list_null};

/// Maximum nesting of schemas; deeper ones accept anything.
const MAX_DEPTH: usize = 64;
/// Maximum number of references one after another at the root.
const MAX_CHAIN: usize = 8;

impl Schema {
    /// Converts a JSON Schema of any draft, which others have declared for arguments: what is not
    /// valid in it is repaired or left out.
    pub fn from_foreign(schema: &Object) -> Self {
        Self::upgraded(schema, None)
    }

    /// Lists the repairs of [`Schema::from_foreign`] in a JSON Schema.
    pub fn repairs(schema: &Object) -> Repairs {
        let repairs = RefCell::default();
        Self::upgraded(schema, Some(&repairs));
        repairs.into_inner()
    }

    fn upgraded(schema: &Object, repairs: Option<&RefCell<Repairs>>) -> Self {
        let upgraded = Self::from_json_schema(object(schema, Patterns::Kept, repairs));
        if upgraded.has_pattern() && upgraded.validator().is_err() {
            return Self::from_json_schema(object(schema, Patterns::LeftOut, repairs));
        }
        upgraded
    }
}

/// The schema in draft 2020-12; always of `type: object`, as arguments are.
fn object(schema: &Object, patterns: Patterns, repairs: Option<&RefCell<Repairs>>) -> Object {
    let upgrade = Upgrade {
        root: schema,
        is_old: is_old(schema),
        anchors: anchors(schema),
        patterns,
        repairs,
    };
    let mut root = schema;
    // Some libraries put the schema itself below `definitions`.
    for _ in 0..MAX_CHAIN {
        match upgrade.target(root) {
            Some(target) => root = target,
            None => break,
        }
    }
    let mut upgraded = upgrade.schema(root, MAX_DEPTH);
    if !std::ptr::eq(root, schema) {
        for key in ["definitions", "$defs"] {
            if let Some(definitions) = schema.get(key) {
                upgrade.entry(schema, key, definitions, MAX_DEPTH, &mut upgraded);
            }
        }
    }
    let mut result = Object::with_capacity(upgraded.len() + 1);
    result.insert("type".into(), "object".into());
    if upgraded.shift_remove("type").is_none() {
        upgrade.note(|repairs| repairs.add("type"));
    }
    result.extend(upgraded);
    result
}

/// Returns true if the siblings of a reference mean nothing, as up to draft 7.
fn is_old(schema: &Object) -> bool {
    let draft = schema.get("$schema").and_then(Value::as_str);
    draft.is_some_and(|draft| {
        ["draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|old| draft.contains(old))
    })
}

/// The treatment of regular expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patterns {
    /// They stay.
    Kept,
    /// One of them is not valid: they are left out.
    LeftOut,
}

struct Upgrade<'s> {
    root: &'s Object,
    is_old: bool,
    /// The names that references may have in place of a pointer.
    anchors: HashSet<&'s str>,
    patterns: Patterns,
    /// Where repairs are noted, if anybody wants to know.
    repairs: Option<&'s RefCell<Repairs>>,
}

impl Upgrade<'_> {
    fn schema(&self, schema: &Object, depth: usize) -> Object {
        let mut result = Object::with_capacity(schema.len());
        if depth == 0 {
            return result;
        }
        let is_reference = self.is_old && schema.contains_key("$ref");
        for (keyword, value) in schema {
            let is_kept = matches!(
                keyword.as_str(),
                "$ref" | "description" | "title" | "default"
            );
            if !is_reference || is_kept || keyword.ends_with("efs") || keyword == "definitions" {
                self.entry(schema, keyword, value, depth, &mut result);
            }
        }
        complete(schema, &mut result);
        self.note(|repairs| repairs.compare(schema, &result));
        result
    }

    fn note(&self, note: impl FnOnce(&mut Repairs)) {
        if let Some(repairs) = self.repairs {
            note(&mut repairs.borrow_mut());
        }
    }

    /// A schema in the place where one is expected; `None` for what is no schema.
    fn any(&self, value: &Value, depth: usize) -> Option<Value> {
        if value.is_boolean() {
            self.note(Repairs::boolean);
        }
        match value {
            Value::Object(schema) => Some(self.schema(schema, depth - 1).into()),
            Value::Bool(true) => Some(json!({})),
            Value::Bool(false) => Some(json!({"not": {}})),
            _ => None,
        }
    }

    /// Adds what `keyword` with `value`, an entry of `schema`, says in draft 2020-12.
    fn entry(
        &self,
        schema: &Object,
        keyword: &str,
        value: &Value,
        depth: usize,
        result: &mut Object,
    ) {
        if self.old_entry(schema, keyword, value, depth, result) {
            return;
        }
        let upgraded = match (json_schema_takes(keyword), value) {
            (Some(KeywordKind::SchemaOrFlag), Value::Bool(_)) => Some(value.clone()),
            (Some(KeywordKind::Schema | KeywordKind::SchemaOrFlag), value) => {
                self.any(value, depth)
            }
            (Some(KeywordKind::Schemas), Value::Array(items)) => self.list(items, depth),
            (Some(KeywordKind::Properties), Value::Object(entries)) => {
                Some(self.map(entries.iter(), depth).into())
            }
            (Some(KeywordKind::Count), value) => repairs::count(value).map(Value::from),
            (Some(KeywordKind::Names), value) => repairs::names(value),
            (Some(KeywordKind::Object), Value::Object(entries)) => {
                let mut lists = entries.values();
                let are_names = lists.all(|names| repairs::names(names).is_some());
                are_names.then(|| value.clone())
            }
            (Some(takes), value) => takes.accepts(value).then(|| value.clone()),
            (None, _) => None,
        };
        set(result, keyword, upgraded);
    }

    /// Converts keywords whose meaning has changed, and keywords that need more than their
    /// value; returns true if `keyword` is one of them.
    fn old_entry(
        &self,
        schema: &Object,
        keyword: &str,
        value: &Value,
        depth: usize,
        result: &mut Object,
    ) -> bool {
        match (keyword, value) {
            ("$ref", Value::String(target)) => {
                let found = self.resolve(target).map(|(pointer, _)| pointer);
                let is_kept = target == "#" || self.has_anchor(target);
                let found = found.or_else(|| is_kept.then(|| target.clone()));
                set(result, keyword, found.map(Value::from));
            }
            ("$schema", value) => {
                let draft = value.as_str().unwrap_or_default();
                let is_current = draft.contains("2020-12");
                set(result, keyword, is_current.then(|| value.clone()));
            }
            ("pattern" | "patternProperties", _) if self.patterns == Patterns::LeftOut => {}
            ("type", _) => set(result, keyword, repairs::types(value)),
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(true)) => {
                let bound = keyword.replace("exclusiveM", "m");
                let number = schema.get(&bound).filter(|value| value.is_number());
                set(result, keyword, number.cloned());
            }
            ("minimum", _) if is_true(schema, "exclusiveMinimum") => {}
            ("maximum", _) if is_true(schema, "exclusiveMaximum") => {}
            ("items", Value::Array(items)) => {
                set(result, "prefixItems", self.list(items, depth));
                let rest = schema.get("additionalItems");
                set(result, "items", rest.and_then(|rest| self.any(rest, depth)));
            }
            ("dependencies", Value::Object(entries)) => {
                self.dependencies(entries, depth, result);
            }
            ("definitions", Value::Object(entries)) => {
                let mut definitions = self.map(entries.iter(), depth);
                if let Some(Value::Object(own)) = result.remove("$defs") {
                    definitions.extend(own);
                }
                result.insert("$defs".into(), definitions.into());
            }
            _ => return false,
        }
        true
    }

    /// Draft 7's `dependencies`: two keywords today.
    fn dependencies(&self, entries: &Object, depth: usize, result: &mut Object) {
        let (names, schemas): (Vec<_>, Vec<_>) =
            entries.iter().partition(|(_, value)| value.is_array());
        let names = names
            .into_iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        let names: Object = names.collect();
        let schemas = self.map(schemas.into_iter(), depth);
        set(
            result,
            "dependentRequired",
            (!names.is_empty()).then(|| names.into()),
        );
        set(
            result,
            "dependentSchemas",
            (!schemas.is_empty()).then(|| schemas.into()),
        );
    }

    /// Converts the schemas among `items`; `None` without any.
    fn list(&self, items: &[Value], depth: usize) -> Option<Value> {
        let items = items.iter().filter_map(|item| self.any(item, depth));
        let items: Vec<Value> = items.collect();
        (!items.is_empty()).then(|| items.into())
    }

    /// The schemas of `entries`; one that is not valid accepts anything.
    fn map<'e>(
        &self,
        entries: impl Iterator<Item = (&'e String, &'e Value)>,
        depth: usize,
    ) -> Object {
        let entry = |(name, value): (&'e String, &'e Value)| {
            let schema = self.any(value, depth).unwrap_or_else(|| json!({}));
            (name.clone(), schema)
        };
        entries.map(entry).collect()
    }
}

fn set(result: &mut Object, keyword: &str, value: Option<Value>) {
    if let Some(value) = value {
        result.insert(keyword.to_owned(), value);
    }
}

/// Adds what models and strict clients need: types, items of arrays, `null` where OpenAPI says
/// `nullable`; and names that draft 3 wrote at the properties.
fn complete(schema: &Object, result: &mut Object) {
    const OPEN: [&str; 8] = [
        "type", "$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const",
    ];
    let is_open = !OPEN.iter().any(|keyword| result.contains_key(*keyword));
    if is_open && result.contains_key("properties") {
        result.insert("type".into(), "object".into());
    } else if is_open && (result.contains_key("items") || result.contains_key("prefixItems")) {
        result.insert("type".into(), "array".into());
    }
    let is_array = is_of_type(result, "array");
    if is_array && !result.contains_key("items") && !result.contains_key("prefixItems") {
        result.insert("items".into(), json!({}));
    }
    if is_true(schema, "nullable")
        && let Some(Value::String(kind)) = result.get("type")
    {
        let kinds = json!([kind, "null"]);
        result.insert("type".into(), kinds);
        list_null(result);
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

impl<'s> Upgrade<'s> {
    /// The schema that the reference in `schema` leads to.
    fn target(&self, schema: &Object) -> Option<&'s Object> {
        let target = schema.get("$ref")?.as_str()?;
        self.resolve(target)?.1.as_object()
    }

    /// Returns true if a reference to `target` leads to a schema whose `$anchor` it names.
    fn has_anchor(&self, target: &str) -> bool {
        let anchor = target.strip_prefix('#');
        anchor.is_some_and(|anchor| self.anchors.contains(anchor))
    }

    /// Where `target` is after the upgrade, and what is there now.
    fn resolve(&self, target: &str) -> Option<(String, &'s Value)> {
        let pointer = target.strip_prefix('#')?;
        if pointer.is_empty() {
            return None;
        }
        let mut upgraded = "#".to_owned();
        let mut path = segments(pointer.strip_prefix('/').map(|_| pointer)?).into_iter();
        let mut schema = self.root;
        loop {
            let keyword = path.next()?;
            let mut value = schema.get(&keyword)?;
            let (mut name, mut inner) = (keyword.as_str(), None);
            match (json_schema_takes(&keyword)?, value) {
                (KeywordKind::Schema | KeywordKind::SchemaOrFlag, Value::Array(_))
                | (KeywordKind::Schemas, _) => {
                    name = if keyword == "items" {
                        "prefixItems"
                    } else {
                        name
                    };
                    inner = Some(path.next()?);
                }
                (KeywordKind::Schema | KeywordKind::SchemaOrFlag, _) => {}
                (KeywordKind::Properties, _) => inner = Some(path.next()?),
                _ => return None,
            }
            if name == "definitions" {
                name = "$defs";
            }
            upgraded.push('/');
            upgraded.push_str(name);
            if let Some(inner) = inner {
                value = match value {
                    Value::Array(items) => items.get(inner.parse::<usize>().ok()?)?,
                    other => other.get(&inner)?,
                };
                upgraded = child(&upgraded, &inner);
            }
            if path.len() == 0 {
                return Some((upgraded, value));
            }
            schema = value.as_object()?;
        }
    }
}

/// The names under `$anchor` anywhere in `root`.
fn anchors(root: &Object) -> HashSet<&str> {
    let mut anchors = HashSet::new();
    let mut schemas = vec![root];
    while let Some(schema) = schemas.pop() {
        anchors.extend(schema.get("$anchor").and_then(Value::as_str));
        for value in schema.values() {
            schemas.extend(value.as_object());
            let items = value.as_array().into_iter().flatten();
            schemas.extend(items.filter_map(Value::as_object));
        }
    }
    anchors
}

#[cfg(test)]
mod tests;
