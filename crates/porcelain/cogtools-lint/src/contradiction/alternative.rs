//! A schema as alternatives: each is a list of schemas without compositions that all hold, and
//! of schemas that do not.

use cogtools_core::pointer::segments;
use serde_json::Value;

use super::Object;

/// More alternatives than this are not compared.
const MAX_ALTERNATIVES: usize = 64;
/// Compositions that nest deeper are not followed.
const MAX_DEPTH: usize = 16;

/// Schemas that all hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Alternative<'s> {
    pub(super) parts: Vec<&'s Object>,
    /// Schemas that do not hold.
    pub(super) negated: Vec<&'s Object>,
}

/// The alternatives of all `schemas` together. What is left out makes them wider, never
/// narrower.
pub(super) fn alternatives<'s>(root: &'s Object, schemas: &[&'s Object]) -> Vec<Alternative<'s>> {
    let start = vec![Alternative::default()];
    schemas.iter().fold(start, |all, schema| {
        product(all, &of_schema(root, schema, 0))
    })
}

fn of_schema<'s>(root: &'s Object, schema: &'s Object, depth: usize) -> Vec<Alternative<'s>> {
    let Some(schema) = target(root, schema).filter(|_| depth < MAX_DEPTH) else {
        return vec![Alternative::default()];
    };
    let mut all = vec![Alternative {
        parts: vec![schema],
        negated: schema
            .get("not")
            .and_then(Value::as_object)
            .into_iter()
            .collect(),
    }];
    for part in parts(schema, "allOf") {
        all = product(all, &of_schema(root, part, depth + 1));
    }
    for keyword in ["anyOf", "oneOf"] {
        let branches: Vec<&Object> = parts(schema, keyword).collect();
        if branches.is_empty() {
            continue;
        }
        let mut either = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            for mut one in of_schema(root, branch, depth + 1) {
                if keyword == "oneOf" {
                    let others = branches.iter().enumerate();
                    let others = others.filter(|(other, _)| *other != index);
                    one.negated.extend(others.map(|(_, other)| *other));
                }
                either.push(one);
            }
        }
        all = product(all, &either);
    }
    all
}

/// Every one of `left` together with every one of `right`; `left` alone if those are too many.
fn product<'s>(left: Vec<Alternative<'s>>, right: &[Alternative<'s>]) -> Vec<Alternative<'s>> {
    if left.len() * right.len() > MAX_ALTERNATIVES {
        return left;
    }
    let both = |one: &Alternative<'s>, other: &Alternative<'s>| Alternative {
        parts: [&one.parts[..], &other.parts].concat(),
        negated: [&one.negated[..], &other.negated].concat(),
    };
    left.iter()
        .flat_map(|one| right.iter().map(move |other| both(one, other)))
        .collect()
}

/// The schemas in the list under `keyword`.
pub(super) fn parts<'s>(
    schema: &'s Object,
    keyword: &str,
) -> impl Iterator<Item = &'s Object> + use<'s> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object)
}

/// The schema that a reference leads to, or the schema itself.
pub(super) fn target<'s>(root: &'s Object, schema: &'s Object) -> Option<&'s Object> {
    let mut schema = schema;
    for _ in 0..MAX_DEPTH {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        let pointer = reference.strip_prefix('#')?;
        let mut names = segments(pointer).into_iter();
        let Some(first) = names.next() else {
            schema = root;
            continue;
        };
        let found = names.try_fold(root.get(&first)?, |value, name| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            value => value.get(&name),
        });
        schema = found?.as_object()?;
    }
    None
}
