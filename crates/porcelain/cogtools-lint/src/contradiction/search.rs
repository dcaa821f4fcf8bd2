//! The search for contradictions in a schema and all its parts, inner ones first: what only
//! follows from an inner one is not reported again.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cogtools_core::pointer::child;
use cogtools_core::schema::{Schema, SubSchema};
use serde_json::{Value, json};

use super::acceptor::Acceptor;
use super::alternative::{parts, target};
use super::decider::{Decider, properties};
use super::sample::samples;
use super::{Contradiction, ContradictionKind, Object};

/// The contradictions in `schema`.
pub(crate) fn contradictions(schema: &Schema) -> Vec<Contradiction> {
    if schema.is_recovered() {
        return Vec::new();
    }
    let mut search = Search {
        root: schema.as_object(),
        found: Vec::new(),
    };
    // What is under `not` is not a value of the call.
    let all = schema.sub_schemas().into_iter().rev();
    for sub_schema in all.filter(|it| !is_negated(&it.pointer)) {
        search.examine(&sub_schema);
    }
    search.found
}

/// Whether the schema at `pointer` is under `not`.
fn is_negated(pointer: &str) -> bool {
    let steps: Vec<&str> = pointer.split('/').collect();
    steps
        .windows(2)
        .any(|it| it[1] == "not" && it[0] != "properties")
}

struct Search<'s> {
    root: &'s Object,
    found: Vec<Contradiction>,
}

impl Search<'_> {
    fn report(&mut self, kind: ContradictionKind, pointer: String, message: String) {
        self.found.push(Contradiction {
            kind,
            pointer,
            message,
        });
    }

    fn is_found_below(&self, pointer: &str) -> bool {
        self.found.iter().any(|one| {
            let rest = one.pointer.strip_prefix(pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn examine(&mut self, sub_schema: &SubSchema<'_>) {
        let (schema, pointer) = (sub_schema.schema, sub_schema.pointer.as_str());
        if schema.contains_key("$ref") {
            return;
        }
        if let Some(reason) = (Decider { root: self.root }).reason(schema) {
            if !self.is_found_below(pointer) {
                let is_there = schema.contains_key(reason.keyword);
                let at = if is_there {
                    child(pointer, reason.keyword)
                } else {
                    pointer.to_owned()
                };
                let message = format!("no value is valid here: {}", reason.text);
                self.report(ContradictionKind::Schema, at, message);
            }
            return;
        }
        self.values(schema, pointer);
        self.nullable(schema, pointer);
        for keyword in ["oneOf", "anyOf"] {
            self.branches(schema, pointer, keyword);
        }
        if ["allOf", "not", "maxProperties"]
            .iter()
            .any(|it| schema.contains_key(*it))
        {
            self.properties(schema, pointer);
        }
    }

    /// Values of an enum that are not valid, or twice in it.
    fn values(&mut self, schema: &Object, pointer: &str) {
        let Some(values) = schema.get("enum").and_then(Value::as_array) else {
            return;
        };
        let acceptor = Acceptor::of(self.root, schema);
        let mut seen: HashMap<String, &Value> = HashMap::new();
        for (index, value) in values.iter().enumerate() {
            let at = child(&child(pointer, "enum"), &index.to_string());
            if !acceptor.accepts(value) {
                let message = format!("{value} is never valid: the rest of the schema excludes it");
                self.report(ContradictionKind::Choice, at, message);
                continue;
            }
            match seen.entry(identity(value)) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(entry) => {
                    let twin = *entry.get();
                    let is_text = value != twin && value.is_string();
                    let message = if is_text {
                        format!("{value} differs from {twin} only in case or blanks")
                    } else {
                        format!("{value} is in the enum twice")
                    };
                    self.report(ContradictionKind::Choice, at, message);
                }
            }
        }
    }

    fn nullable(&mut self, schema: &Object, pointer: &str) {
        let is_set = schema.get("nullable") == Some(&Value::Bool(true));
        if is_set
            && schema.contains_key("type")
            && !Acceptor::of(self.root, schema).accepts(&Value::Null)
        {
            let what = if schema.contains_key("enum") {
                "`nullable` has no effect: the enum does not have null"
            } else {
                "`nullable` has no effect: the rest of the schema excludes null"
            };
            self.report(
                ContradictionKind::Nullable,
                child(pointer, "nullable"),
                what.to_owned(),
            );
        }
    }

    fn branches(&mut self, schema: &Object, pointer: &str, keyword: &str) {
        let branches: Vec<&Object> = parts(schema, keyword).collect();
        let mut dead = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let at = child(&child(pointer, keyword), &index.to_string());
            if self.is_found_below(&at) {
                dead.push(index);
                continue;
            }
            let mut rest = schema.clone();
            rest.remove(keyword);
            let with = |more: Value| json!({"allOf": [rest, branch, more]});
            if let Some(reason) = self.reason(&with(json!({}))) {
                dead.push(index);
                let message = format!("no value is valid in this branch: {}", reason.text);
                self.report(ContradictionKind::Choice, at, message);
                continue;
            }
            let earlier = branches[..index]
                .iter()
                .position(|other| bare(other) == bare(branch));
            if let Some(earlier) = earlier {
                dead.push(index);
                let message = format!("the same as branch {}", earlier + 1);
                self.report(ContradictionKind::Overlap, at, message);
                continue;
            }
            let others = branches
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index);
            let covering = (keyword == "oneOf")
                .then(|| {
                    others
                        .into_iter()
                        .find(|(_, it)| self.reason(&with(json!({"not": it}))).is_some())
                })
                .flatten();
            if let Some((other, _)) = covering {
                dead.push(index);
                let message = format!(
                    "branch {} takes every value of this one, and `oneOf` rejects what two branches take",
                    other + 1
                );
                self.report(ContradictionKind::Overlap, at, message);
            }
        }
        if keyword == "oneOf" {
            self.overlaps(schema, pointer, &branches, &dead);
        }
    }

    /// Values that two branches of `oneOf` take.
    fn overlaps(&mut self, schema: &Object, pointer: &str, branches: &[&Object], dead: &[usize]) {
        let mut rest = schema.clone();
        rest.remove("oneOf");
        let acceptors: Vec<Acceptor> = branches
            .iter()
            .map(|branch| {
                let whole = json!({"allOf": [rest, branch]});
                whole
                    .as_object()
                    .map_or_else(Acceptor::any, |it| Acceptor::of(self.root, it))
            })
            .collect();
        for (index, branch) in branches.iter().enumerate() {
            if dead.contains(&index) {
                continue;
            }
            let values = samples(self.root, schema, branch);
            let mut others = (0..branches.len()).filter(|it| *it != index && !dead.contains(it));
            let shared = others.find_map(|other| {
                let takes = |value: &&Value| {
                    acceptors[index].accepts(value) && acceptors[other].accepts(value)
                };
                values.iter().find(takes).map(|value| (other, value))
            });
            if let Some((other, value)) = shared {
                let at = child(&child(pointer, "oneOf"), &index.max(other).to_string());
                let message = format!(
                    "branch {} takes {value}, too, and `oneOf` rejects what two branches take",
                    index.min(other) + 1
                );
                self.report(ContradictionKind::Overlap, at, message);
                return;
            }
        }
    }

    /// Properties that no object can have.
    fn properties(&mut self, schema: &Object, pointer: &str) {
        for (at, name) in all_properties(self.root, schema, pointer) {
            let with = json!({"allOf": [schema, {"required": [name]}]});
            if !self.is_found_below(&at)
                && let Some(reason) = self.reason(&with)
            {
                let message = format!("no call can have `{name}`: {}", reason.text);
                self.report(ContradictionKind::Choice, at, message);
            }
        }
    }

    fn reason(&self, schema: &Value) -> Option<super::Reason> {
        Decider { root: self.root }.reason(schema.as_object()?)
    }
}

/// The properties that a schema and its parts under `allOf` name, with their pointers.
fn all_properties(root: &Object, schema: &Object, pointer: &str) -> Vec<(String, String)> {
    let below = child(pointer, "properties");
    let own = properties(schema).map(|(name, _)| (child(&below, name), name.clone()));
    let mut found: Vec<(String, String)> = own.collect();
    for (index, part) in parts(schema, "allOf").enumerate() {
        let at = child(&child(pointer, "allOf"), &index.to_string());
        if let Some(part) = target(root, part) {
            found.extend(properties(part).map(|(name, _)| {
                let at = child(&child(&at, "properties"), name);
                (at, name.clone())
            }));
        }
    }
    found
}

/// The schema without its words, and with the values of its enum in order.
fn bare(schema: &Object) -> Object {
    let mut bare = schema.clone();
    bare.retain(|key, _| !["description", "title", "example"].contains(&key.as_str()));
    if let Some(values) = bare.get_mut("enum").and_then(Value::as_array_mut) {
        values.sort_by_key(ToString::to_string);
    }
    bare
}

/// What two values have in common that are equal, or that a model takes for each other: texts
/// that differ only in letter case or in blanks around them. Short ones, such as units, can
/// differ in case only.
fn identity(value: &Value) -> String {
    match value {
        Value::String(text) if text.trim().chars().count() > 2 => {
            format!("\"{}", text.trim().to_lowercase())
        }
        Value::String(text) => format!("\"{}", text.trim()),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(String::new, |it| it.to_string()),
        other => other.to_string(),
    }
}
