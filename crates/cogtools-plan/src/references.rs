//! Which steps another step, or the reply, depends on: the names in references and placeholders.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::placeholder::{Part, parts};
use crate::resolve::reference;
use crate::step::Step;

/// The names in the references of a step's arguments, sorted.
pub(crate) fn of_step(step: &Step) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for value in step.args().into_iter().flat_map(serde_json::Map::values) {
        collect(value, &mut names);
    }
    names
}

/// The names in the placeholders of a reply, sorted.
pub(crate) fn of_reply(reply: &str) -> BTreeSet<&str> {
    let names = parts(reply).filter_map(|part| match part {
        Part::Step(path) => path.split('.').next(),
        Part::Text(_) | Part::Last(_) => None,
    });
    names.collect()
}

/// Whether a reply has a placeholder for the last result.
pub(crate) fn has_last(reply: &str) -> bool {
    parts(reply).any(|part| matches!(part, Part::Last(_)))
}

fn collect<'v>(value: &'v Value, names: &mut BTreeSet<&'v str>) {
    match value {
        Value::String(text) => names.extend(reference(text).map(|(name, _)| name)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        Value::Object(members) => members.values().for_each(|member| collect(member, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
