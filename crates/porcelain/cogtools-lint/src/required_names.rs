//! Names that a schema requires and does not declare.
//!
//! An object has only declared properties, unless a schema says otherwise: what is required
//! and not declared can be in no call.

use cogtools_core::pointer::child;
use cogtools_core::schema::{Schema, SubSchema};
use cogtools_core::suggest::did_you_mean;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// A required name that is not declared.
pub(crate) struct UndeclaredName {
    /// The JSON pointer of the list that has it.
    pub(crate) pointer: String,
    pub(crate) name: String,
    pub(crate) suggestion: Option<String>,
}

/// The keywords that compose a schema of others.
const COMPOSITION: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// The required names in `schema` that are not declared.
pub(crate) fn undeclared(schema: &Schema) -> Vec<UndeclaredName> {
    if schema.is_recovered() {
        return Vec::new();
    }
    let all = schema.sub_schemas();
    let whole = all.iter().filter(|it| !is_part(&it.pointer));
    whole.flat_map(|it| undeclared_in(it, &all)).collect()
}

/// Whether the schema at `pointer` is a part of another one.
fn is_part(pointer: &str) -> bool {
    let steps: Vec<&str> = pointer.split('/').collect();
    match steps.as_slice() {
        [.., before, keyword, _]
            if *before != "properties" && COMPOSITION[..3].contains(keyword) =>
        {
            true
        }
        [.., before, "not"] => *before != "properties",
        _ => false,
    }
}

/// The undeclared names of one schema and its parts.
fn undeclared_in(whole: &SubSchema<'_>, all: &[SubSchema<'_>]) -> Vec<UndeclaredName> {
    let belongs = |it: &&SubSchema<'_>| {
        let Some(rest) = it.pointer.strip_prefix(&whole.pointer) else {
            return false;
        };
        let mut steps = rest.split('/').skip(1);
        while let Some(keyword) = steps.next() {
            if !COMPOSITION[..3].contains(&keyword) || steps.next().is_none() {
                return false;
            }
        }
        true
    };
    let parts: Vec<&SubSchema<'_>> = all.iter().filter(belongs).collect();
    let is_open = |part: &&&SubSchema<'_>| {
        part.schema.contains_key("$ref")
            || part
                .schema
                .get("additionalProperties")
                .is_some_and(|value| *value != Value::Bool(false))
    };
    let declared: Vec<&str> = parts
        .iter()
        .filter_map(|part| part.schema.get("properties")?.as_object())
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let is_root = whole.pointer.is_empty();
    if parts.iter().any(|part| is_open(&part)) || (declared.is_empty() && !is_root) {
        return Vec::new();
    }
    let required = parts.iter().flat_map(|part| {
        let names = names(part.schema);
        names.map(|(index, name)| {
            (
                format!("{}/{index}", child(&part.pointer, "required")),
                name,
            )
        })
    });
    required
        .filter(|(_, name)| !declared.contains(name))
        .map(|(pointer, name)| UndeclaredName {
            pointer,
            name: name.to_owned(),
            suggestion: did_you_mean(name, declared.iter().copied()),
        })
        .collect()
}

fn names(schema: &Object) -> impl Iterator<Item = (usize, &str)> {
    let names = schema.get("required").and_then(Value::as_array);
    let names = names.into_iter().flatten().enumerate();
    names.filter_map(|(index, name)| Some((index, name.as_str()?)))
}
