//! Whether any value satisfies a schema: certain where it says no, and exact where there are
//! few values.

use serde_json::{Value, json};

use super::acceptor::Acceptor;
use super::alternative::{Alternative, alternatives};
use super::{Object, Outcome, Reason, implied, limits, number, text};

/// Objects and lists that nest deeper are not examined.
const MAX_DEPTH: usize = 8;

/// Decides about the parts of one schema.
#[derive(Clone, Copy)]
pub(super) struct Decider<'s> {
    pub(super) root: &'s Object,
}

/// The types of JSON.
pub(super) const KINDS: [&str; 6] = ["null", "boolean", "number", "string", "array", "object"];

impl<'s> Decider<'s> {
    /// Why no value satisfies `schema`, if that is certain.
    pub(super) fn reason(self, schema: &'s Object) -> Option<Reason> {
        self.reason_for_all(&[schema], 0)
    }

    /// Why no value satisfies all `schemas`, if that is certain.
    pub(super) fn reason_for_all(self, schemas: &[&'s Object], depth: usize) -> Option<Reason> {
        match self.outcome(schemas, depth) {
            Outcome::Empty(reason) => Some(reason),
            Outcome::Values(_) | Outcome::Open => None,
        }
    }

    /// The values that satisfy all `schemas`.
    fn outcome(self, schemas: &[&'s Object], depth: usize) -> Outcome {
        if depth > MAX_DEPTH {
            return Outcome::Open;
        }
        let whole = json!({"allOf": schemas});
        let mut acceptor = None;
        let mut values = Vec::new();
        let mut reason = None;
        for alternative in alternatives(self.root, schemas) {
            match self.of_alternative(&alternative, depth) {
                Outcome::Open => return Outcome::Open,
                Outcome::Empty(why) => reason = reason.or(Some(why)),
                Outcome::Values(candidates) => {
                    let acceptor = acceptor.get_or_insert_with(|| {
                        whole.as_object().map(|it| Acceptor::of(self.root, it))
                    });
                    let is_valid = |value: &Value| {
                        acceptor
                            .as_ref()
                            .is_none_or(|acceptor| acceptor.accepts(value))
                    };
                    values.extend(candidates.into_iter().filter(|value| is_valid(value)));
                }
            }
        }
        if !values.is_empty() {
            return Outcome::Values(values);
        }
        Outcome::Empty(reason.unwrap_or_else(|| none_of_the_values(schemas)))
    }

    fn of_alternative(self, alternative: &Alternative<'s>, depth: usize) -> Outcome {
        let parts = &alternative.parts;
        let lists = parts.iter().filter_map(|part| part.get("enum")?.as_array());
        if let Some(values) = lists.min_by_key(|values| values.len()) {
            return Outcome::Values(values.clone());
        }
        let mut values = Vec::new();
        let mut reason = None;
        for kind in KINDS.into_iter().filter(|kind| permits(parts, kind)) {
            match self.of_kind(kind, parts, depth) {
                Outcome::Open => {
                    let negated = alternative.negated.iter();
                    let mut covering =
                        negated.filter(|negated| implied::by(self.root, parts, negated, kind));
                    if covering.next().is_none() {
                        return Outcome::Open;
                    }
                    let what = "`not` or another branch of `oneOf` excludes every value";
                    reason = reason.or(Some(Reason::new("not", what)));
                }
                Outcome::Empty(why) => reason = reason.or(Some(why)),
                Outcome::Values(candidates) => values.extend(candidates),
            }
        }
        if values.is_empty() {
            let what = "no type satisfies all its parts";
            return Outcome::Empty(reason.unwrap_or_else(|| Reason::new("allOf", what)));
        }
        Outcome::Values(values)
    }

    fn of_kind(self, kind: &str, parts: &[&'s Object], depth: usize) -> Outcome {
        match kind {
            "null" => Outcome::Values(vec![Value::Null]),
            "boolean" => Outcome::Values(vec![json!(true), json!(false)]),
            "number" => number::numbers(parts, is_integer(parts)),
            "string" => text::texts(parts),
            "array" => self.lists(parts, depth),
            _ => self.objects(parts, depth),
        }
    }

    fn lists(self, parts: &[&'s Object], depth: usize) -> Outcome {
        let (least, most) = limits(parts, "minItems", "maxItems");
        if let Some(most) = most.filter(|most| least > *most) {
            let what = format!("no list has at least {least} and at most {most} items");
            return Outcome::Empty(Reason::new("minItems", what));
        }
        let items: Vec<&'s Object> = parts
            .iter()
            .filter_map(|part| part.get("items")?.as_object())
            .collect();
        let is_unique = parts
            .iter()
            .any(|part| part.get("uniqueItems") == Some(&Value::Bool(true)));
        if least > 0 && !items.is_empty() {
            match self.outcome(&items, depth + 1) {
                Outcome::Empty(_) => {
                    let what = "it needs items, and an item can have no value";
                    return Outcome::Empty(Reason::new("items", what));
                }
                Outcome::Values(values) if is_unique && distinct(&values) < least => {
                    let count = distinct(&values);
                    let what =
                        format!("it needs {least} different items, and there are only {count}");
                    return Outcome::Empty(Reason::new("uniqueItems", what));
                }
                _ => {}
            }
        }
        match most {
            Some(0) => Outcome::Values(vec![json!([])]),
            _ => Outcome::Open,
        }
    }

    fn objects(self, parts: &[&'s Object], depth: usize) -> Outcome {
        let (least, most) = limits(parts, "minProperties", "maxProperties");
        if let Some(most) = most.filter(|most| least > *most) {
            let what = format!("no object has at least {least} and at most {most} properties");
            return Outcome::Empty(Reason::new("minProperties", what));
        }
        let mut required: Vec<&str> = parts
            .iter()
            .flat_map(|part| names(part, "required"))
            .collect();
        required.sort_unstable();
        required.dedup();
        if let Some(most) = most.filter(|most| required.len() > *most) {
            let what = format!(
                "{} properties are required, and at most {most} permitted",
                required.len()
            );
            return Outcome::Empty(Reason::new("maxProperties", what));
        }
        for name in required {
            let Some(schemas) = property(parts, name) else {
                let what = format!("`{name}` is required, and not permitted");
                return Outcome::Empty(Reason::new("required", what));
            };
            if !schemas.is_empty() && self.reason_for_all(&schemas, depth + 1).is_some() {
                let what = format!("`{name}` is required, and can have no value");
                return Outcome::Empty(Reason::new("required", what));
            }
        }
        let closed = parts.iter().filter(|part| is_closed(part));
        let permitted = closed.map(|part| properties(part).count()).min();
        let permitted = permitted.or_else(|| declared(parts));
        if let Some(count) = permitted.filter(|count| least > *count) {
            let what = format!("it needs {least} properties, and has at most {count}");
            return Outcome::Empty(Reason::new("minProperties", what));
        }
        match most {
            Some(0) => Outcome::Values(vec![json!({})]),
            _ => Outcome::Open,
        }
    }
}

/// Whether all `parts` permit values of `kind`.
fn permits(parts: &[&Object], kind: &str) -> bool {
    parts.iter().all(|part| {
        let written = part.get("type").and_then(Value::as_str);
        let is_nullable = part.get("nullable") == Some(&Value::Bool(true));
        match written {
            None => true,
            Some(_) if kind == "null" => is_nullable,
            Some("integer") => kind == "number",
            Some(written) => written == kind,
        }
    })
}

pub(super) fn is_integer(parts: &[&Object]) -> bool {
    let mut kinds = parts.iter().filter_map(|part| part.get("type"));
    kinds.any(|kind| kind == "integer")
}

/// The schemas of the property `name`; none if it is not permitted.
pub(super) fn property<'s>(parts: &[&'s Object], name: &str) -> Option<Vec<&'s Object>> {
    let mut schemas = Vec::new();
    for part in parts {
        let own = part.get("properties").and_then(|all| all.get(name));
        match own.or_else(|| part.get("additionalProperties")) {
            Some(Value::Bool(false)) => return None,
            Some(schema) => schemas.extend(schema.as_object()),
            None => {}
        }
    }
    Some(schemas)
}

pub(super) fn properties(part: &Object) -> impl Iterator<Item = (&String, &Value)> {
    let properties = part.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

pub(super) fn is_closed(part: &Object) -> bool {
    part.get("additionalProperties") == Some(&Value::Bool(false))
}

pub(super) fn names<'s>(
    part: &'s Object,
    keyword: &str,
) -> impl Iterator<Item = &'s str> + use<'s> {
    let list = part.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

/// How many properties an object has at most that names them and does not mention others,
/// which are then rejected.
fn declared(parts: &[&Object]) -> Option<usize> {
    let is_open = ["additionalProperties", "anyOf", "oneOf"];
    let has = |keyword: &&str| parts.iter().any(|part| part.contains_key(*keyword));
    if is_open.iter().any(has) || !has(&"properties") {
        return None;
    }
    let mut names: Vec<&String> = parts
        .iter()
        .flat_map(|part| properties(part))
        .map(|it| it.0)
        .collect();
    names.sort_unstable();
    names.dedup();
    Some(names.len())
}

fn distinct(values: &[Value]) -> usize {
    let first = |(index, value): &(usize, &Value)| !values[..*index].contains(value);
    values.iter().enumerate().filter(first).count()
}

fn none_of_the_values(schemas: &[&Object]) -> Reason {
    let has_enum = schemas.iter().any(|schema| schema.contains_key("enum"));
    let keyword = if has_enum { "enum" } else { "type" };
    Reason::new(keyword, "none of its values satisfies the rest of it")
}
