//! `$ref` inside one schema: a JSON pointer that begins with `#`.
//!
//! A tool file has no other document to refer to. As OpenAPI 3.0 has it, what
//! stands beside a `$ref` is ignored.

use serde_json::{Map, Value};

use super::error::SchemaFault;

type Object = Map<String, Value>;

/// The schema that `target` leads to.
pub(super) fn resolve<'s>(root: &'s Object, target: &str) -> Option<&'s Object> {
    let pointer = target.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let (first, rest) = pointer
        .strip_prefix('/')?
        .split_once('/')
        .unwrap_or((&pointer[1..], ""));
    let inner = root.get(first)?;
    let inner = if rest.is_empty() {
        inner
    } else {
        inner.pointer(&format!("/{rest}"))?
    };
    inner.as_object()
}

/// Whether `target` leads to a schema, and on to a value of the arguments.
pub(super) fn check(root: &Object, target: &str) -> Result<(), SchemaFault> {
    let schema = resolve(root, target).ok_or_else(|| SchemaFault::Reference(target.to_owned()))?;
    if comes_back(root, schema, &mut vec![target.to_owned()]) {
        return Err(SchemaFault::Circular(target.to_owned()));
    }
    Ok(())
}

/// Whether checking one value against `schema` would ask for a target on `path` again.
fn comes_back(root: &Object, schema: &Object, path: &mut Vec<String>) -> bool {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        if path.iter().any(|seen| seen == target) {
            return true;
        }
        path.push(target.to_owned());
        let again = resolve(root, target).is_some_and(|next| comes_back(root, next, path));
        path.pop();
        return again;
    }
    schema
        .iter()
        .any(|(keyword, value)| match keyword.as_str() {
            "allOf" | "anyOf" | "oneOf" => value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_object)
                .any(|part| comes_back(root, part, path)),
            "not" => value
                .as_object()
                .is_some_and(|part| comes_back(root, part, path)),
            _ => false,
        })
}
