//! The changes that a configuration makes to the tools of a source, under `tools`.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::Name;
use crate::filter::Pattern;
use crate::schema::Schema;

/// The keys that may contain the parameters; the first is from OpenAPI, the others
/// contain JSON Schema.
pub(super) const SCHEMAS: [&str; 4] = [
    "parameters",
    "parametersJsonSchema",
    "inputSchema",
    "input_schema",
];

/// The changes of one tool, or of all whose names match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolChanges {
    /// Its name here, in the place of the prefix and the source's name for it.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "tool_name"
    )]
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,46}$"))]
    pub rename: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True to leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide: Option<bool>,
    /// True to declare it before other tools where a budget has no room for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<bool>,
    /// True if each call of it needs an answer of the user; false for an exception from `ask` of its
    /// source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<bool>,
    /// Its arguments.
    #[serde(skip_serializing_if = "ArgumentChanges::is_empty")]
    pub arguments: ArgumentChanges,
}

fn tool_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(from)?;
    match Name::new(&name) {
        Ok(_) => Ok(Some(name)),
        Err(_) => Err(D::Error::custom(
            "the name of a tool (letters from a to z, digits, `_` and `-`)",
        )),
    }
}

/// The changes of the arguments of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ArgumentChanges {
    /// Values that every call has. They are not declared.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fixed: Map<String, Value>,
    /// Values of calls that have none.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub default: Map<String, Value>,
    /// The names of those that are not declared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<String>,
}

/// Keywords that say something about several arguments.
const ABOUT_SEVERAL: [&str; 12] = [
    "allOf",
    "anyOf",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "then",
];

/// Returns true if a part of a schema may speak of an argument that `is_changed`, or of their number.
fn mentions(part: &Value, is_changed: &impl Fn(&str) -> bool) -> bool {
    match part {
        Value::String(text) => is_changed(text),
        Value::Array(items) => items.iter().any(|it| mentions(it, is_changed)),
        Value::Object(entries) => entries.iter().any(|(key, it)| {
            let is_other = matches!(key.as_str(), "$ref" | "maxProperties" | "minProperties");
            is_other || is_changed(key) || mentions(it, is_changed)
        }),
        _ => false,
    }
}

impl ArgumentChanges {
    fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.default.is_empty() && self.hide.is_empty()
    }
}

/// The changes of the tools of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChanges {
    /// By names and patterns of the source's names.
    tools: BTreeMap<String, ToolChanges>,
    /// True to leave out each tool that is not annotated as read-only.
    read_only: bool,
    /// True if calls need an answer of the user.
    ask: bool,
    /// The changes in words, each on a line: what the user reviews before approval.
    pub(super) lines: Vec<String>,
}

impl SourceChanges {
    /// Makes the changes under `tools`, `read_only` and `ask`.
    pub(crate) fn new(tools: BTreeMap<String, ToolChanges>, read_only: bool, ask: bool) -> Self {
        let only = read_only.then(|| "only tools that read".to_owned());
        let asked = ask.then(|| "asks before each call".to_owned());
        let each = tools.iter().map(|(pattern, changes)| {
            // Text, numbers and JSON can always be serialized.
            let changes = serde_json::to_string(changes).unwrap_or_default();
            format!("{pattern}: {changes}")
        });
        let lines = only.into_iter().chain(asked).chain(each).collect();
        Self {
            tools,
            read_only,
            ask,
            lines,
        }
    }

    /// Returns true if calls of its tools need an answer of the user.
    pub(super) const fn asks(&self) -> bool {
        self.ask
    }

    /// Returns the exact names, without patterns.
    pub(super) fn exact_names(&self) -> impl Iterator<Item = &String> {
        let names = self.tools.keys();
        names.filter(|name| !name.contains(['*', '?']))
    }

    /// Returns true if tools get other names.
    pub(super) fn renames(&self) -> bool {
        self.tools.values().any(|changes| changes.rename.is_some())
    }

    /// Returns true if a tool may be called `name` here.
    pub(super) fn names(&self, name: &str) -> bool {
        let mut tools = self.tools.values();
        tools.any(|changes| changes.rename.as_deref() == Some(name))
    }

    /// Merges the changes of the tool that the source calls `name`. Its own entry overrides those of
    /// matching patterns.
    pub(super) fn of(&self, name: &str) -> ToolChanges {
        let is_pattern = |pattern: &str| pattern != name && Pattern::new(pattern).matches(name);
        let matching = self.tools.iter().filter(|(pattern, _)| is_pattern(pattern));
        let own = self.tools.get(name);
        let mut all = ToolChanges::default();
        for changes in matching.map(|(_, changes)| changes).chain(own) {
            all.extend(changes.clone());
        }
        all
    }

    /// Returns true if the configuration leaves out the tool with the declaration `value`.
    pub(super) fn leaves_out(&self, changes: &ToolChanges, value: &Value) -> bool {
        let reads = value.pointer("/annotations/readOnlyHint");
        changes.hide == Some(true) || self.read_only && reads != Some(&Value::Bool(true))
    }
}

impl ToolChanges {
    fn extend(&mut self, other: Self) {
        self.rename = other.rename.or(self.rename.take());
        self.title = other.title.or(self.title.take());
        self.description = other.description.or(self.description.take());
        self.hide = other.hide.or(self.hide);
        self.pin = other.pin.or(self.pin);
        self.ask = other.ask.or(self.ask);
        self.arguments.fixed.extend(other.arguments.fixed);
        self.arguments.default.extend(other.arguments.default);
        self.arguments.hide.extend(other.arguments.hide);
    }

    /// The declaration `value` with the changes.
    ///
    /// # Errors
    /// The mistake, for an argument that is changed and not declared, hidden and required, or has a
    /// value that does not fit its schema.
    pub(super) fn apply(&self, value: &Arc<Value>) -> Result<Arc<Value>, String> {
        let is_same = self.title.is_none() && self.description.is_none();
        if is_same && self.arguments.is_empty() {
            return Ok(Arc::clone(value));
        }
        let mut changed = Value::clone(value);
        for (key, text) in [("title", &self.title), ("description", &self.description)] {
            if let Some(text) = text {
                changed[key] = text.as_str().into();
            }
        }
        if !self.arguments.is_empty() {
            let mut keys = SCHEMAS.iter();
            let key = keys.find(|key| changed.get(**key).is_some_and(Value::is_object));
            let schema = key.and_then(|key| changed[*key].as_object_mut());
            self.arguments.apply(schema)?;
        }
        Ok(Arc::new(changed))
    }
}

impl ArgumentChanges {
    fn apply(&self, schema: Option<&mut Map<String, Value>>) -> Result<(), String> {
        let mut none = Map::new();
        let schema = schema.unwrap_or(&mut none);
        let names = self.fixed.keys().chain(self.default.keys());
        let names = names.chain(&self.hide);
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_unknown = |name: &&String| properties.is_none_or(|all| !all.contains_key(*name));
        if let Some(name) = names.clone().find(is_unknown) {
            return Err(format!("changes the argument `{name}`, which there is not"));
        }
        if let Some((name, why)) = self.misfit(schema) {
            return Err(format!(
                "gives the argument `{name}` a value that does not fit: {why}"
            ));
        }
        let is_sent =
            |name: &String| self.fixed.contains_key(name) || self.default.contains_key(name);
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            let is_hidden =
                |name: &&String| required.iter().any(|it| it == *name) && !is_sent(name);
            if let Some(name) = self.hide.iter().find(is_hidden) {
                return Err(format!(
                    "hides the argument `{name}`, which every call needs: give it under `fixed`"
                ));
            }
            required.retain(|it| !names.clone().any(|name| it == name));
            if required.is_empty() {
                schema.shift_remove("required");
            }
        }
        // The server still checks what it says about several arguments: it sees all of them.
        let is_changed = |text: &str| names.clone().any(|name| name == text);
        schema.retain(|key, value| {
            !ABOUT_SEVERAL.contains(&key.as_str())
                || !key.ends_with("Properties") && !mentions(value, &is_changed)
        });
        let properties = schema.get_mut("properties");
        if let Some(properties) = properties.and_then(Value::as_object_mut) {
            for (name, value) in &self.default {
                if let Some(property) = properties.get_mut(name).and_then(Value::as_object_mut) {
                    property.insert("default".to_owned(), value.clone());
                }
            }
            properties
                .retain(|name, _| !self.fixed.contains_key(name) && !self.hide.contains(name));
        }
        Ok(())
    }

    /// Returns the first argument whose value does not fit `schema`, and why.
    fn misfit(&self, schema: &Map<String, Value>) -> Option<(String, String)> {
        let given = self.default.iter().chain(&self.fixed);
        let arguments: Map<String, Value> = given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if arguments.is_empty() {
            return None;
        }
        // What is said about several arguments is for the call.
        let about_each = ["type", "properties", "$defs", "definitions"];
        let mut schema = schema.clone();
        schema.retain(|key, _| about_each.contains(&key.as_str()));
        let schema = Schema::from_foreign(&schema);
        let validator = schema.validator().ok()?;
        let violations = validator.violations(&schema, &Value::Object(arguments));
        violations.into_iter().find_map(|violation| {
            let name = violation.pointer.split('/').nth(1)?.to_owned();
            Some((name, violation.kind.to_string()))
        })
    }

    /// Adds the values that the user has set to the arguments of a call.
    ///
    /// # Errors
    /// The name of an argument that is not declared.
    pub(super) fn add_to(&self, arguments: &mut Map<String, Value>) -> Result<(), String> {
        let mut names = self.fixed.keys().chain(&self.hide);
        if let Some(name) = names.find(|name| arguments.contains_key(*name)) {
            return Err(name.clone());
        }
        for (name, value) in &self.default {
            arguments.entry(name).or_insert_with(|| value.clone());
        }
        arguments.extend(self.fixed.clone());
        Ok(())
    }
}
