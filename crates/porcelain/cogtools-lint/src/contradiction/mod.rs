//! Contradictions in a schema: bounds that leave nothing, types that exclude each other, values
//! that an enum has in vain, branches that take the same value.
//!
//! Only what the keywords of one schema, its `allOf` and one branch say is compared; the
//! validator decides about single values.

use std::cell::Cell;
use std::collections::HashMap;

use cogtools_core::pointer::child;
use cogtools_core::schema::{Schema, Validator};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// A contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    /// The name of the rule that reports it.
    pub(crate) rule: &'static str,
    /// The JSON pointer of the keyword or value.
    pub(crate) pointer: String,
    /// Lower case, no full stop.
    pub(crate) message: String,
}

/// Finds the contradictions in `schema`, inner schemas first.
pub(crate) fn contradictions(schema: &Schema) -> Vec<Contradiction> {
    let mut search = Search {
        root: schema.as_object(),
        work: Cell::new(MAX_WORK),
        found: Vec::new(),
    };
    if schema.is_recovered() {
        return search.found;
    }
    for sub_schema in schema.sub_schemas().iter().rev() {
        let steps: Vec<&str> = sub_schema.pointer.split('/').collect();
        // A value under `not` is none of the call.
        let is_negated = steps
            .windows(2)
            .any(|it| it[1] == "not" && it[0] != "properties");
        if search.work.get() == 0 {
            break;
        }
        if !is_negated && !sub_schema.schema.contains_key("$ref") {
            search.examine(sub_schema.schema, &sub_schema.pointer);
        }
    }
    search.found
}

/// Makes up arguments that `root` may permit: all of them, those that it needs, and all with
/// each one changed.
pub(crate) fn arguments(root: &Object) -> impl Iterator<Item = Object> {
    let whole = sample_values(root, root, 0).into_iter();
    let whole = whole.filter_map(|value| match value {
        Value::Object(arguments) => Some(arguments),
        _ => None,
    });
    let whole: Vec<Object> = whole.collect();
    let full = whole.first().cloned();
    let properties = root.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    let changes = properties.flat_map(|(name, property)| {
        let samples = property.as_object().map(|it| sample_values(it, it, 0));
        let samples = samples.into_iter().flatten();
        samples.map(move |value| (name, value))
    });
    let changed = changes.map_while(move |(name, value)| {
        let mut changed = full.clone()?;
        changed.insert(name.clone(), value);
        Some(changed)
    });
    whole.into_iter().chain(changed)
}

/// The nodes of schemas and values that are compared in one search.
const MAX_WORK: usize = 200_000;
/// The branches of one list that are compared with each other, and the values of each.
const MAX_COMPARED: usize = 32;

struct Search<'s> {
    root: &'s Object,
    /// The work that may still be done. What a stranger's schema costs is limited.
    work: Cell<usize>,
    found: Vec<Contradiction>,
}

impl Search<'_> {
    fn report(&mut self, rule: &'static str, pointer: String, message: impl Into<String>) {
        let message = message.into();
        self.found.push(Contradiction {
            rule,
            pointer,
            message,
        });
    }

    /// Returns false when the work is used up.
    fn spend(&self, work: usize) -> bool {
        self.work.set(self.work.get().saturating_sub(work));
        self.work.get() > 0
    }

    fn examine(&mut self, schema: &Object, pointer: &str) {
        if let Some((keyword, reason)) = nothing_left(&with_parts(schema)) {
            self.spend(self.found.len());
            let is_found_below = self.found.iter().any(|one| {
                let rest = one.pointer.strip_prefix(pointer);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            if !is_found_below {
                let is_own = schema.contains_key(keyword);
                let at = if is_own {
                    &child(pointer, keyword)
                } else {
                    pointer
                };
                let message = format!("no value is valid here: {reason}");
                self.report("impossible-schema", at.to_owned(), message);
            }
            return;
        }
        self.values(schema, pointer);
        let is_nullable = schema.get("nullable") == Some(&Value::Bool(true));
        if is_nullable && schema.contains_key("type") && !self.accepts(schema, &Value::Null) {
            let message = "`nullable` has no effect: the rest of the schema excludes null";
            self.report("lone-nullable", child(pointer, "nullable"), message);
        }
        for keyword in ["oneOf", "anyOf"] {
            self.branches(schema, pointer, keyword);
        }
    }

    /// Reports values of an enum that are not valid, or twice in it.
    fn values(&mut self, schema: &Object, pointer: &str) {
        let Some(values) = schema.get("enum").and_then(Value::as_array) else {
            return;
        };
        let at = child(pointer, "enum");
        // Each value is in the enum: looking it up there again would be quadratic.
        let mut rest = schema.clone();
        rest.remove("enum");
        let validator = self.validator(&rest);
        let is_valid = |value: &Value| accepts(validator.as_ref(), value);
        if !values.iter().any(is_valid) {
            let message = "no value is valid here: the rest of the schema excludes each of them";
            return self.report("impossible-schema", at, message);
        }
        let mut seen: HashMap<String, &Value> = HashMap::new();
        for (index, value) in values.iter().enumerate() {
            let message = if !is_valid(value) {
                format!("{value} is never valid: the rest of the schema excludes it")
            } else if let Some(twin) = seen.insert(identity(value), value) {
                if value.is_string() && value != twin {
                    format!("{value} differs from {twin} only in case or blanks")
                } else {
                    format!("{value} is in the enum twice")
                }
            } else {
                continue;
            };
            self.report("impossible-choice", child(&at, &index.to_string()), message);
        }
    }

    fn branches(&mut self, schema: &Object, pointer: &str, keyword: &str) {
        let branches: Vec<&Object> = parts(schema, keyword).collect();
        let at = |index: usize| child(&child(pointer, keyword), &index.to_string());
        let mut rest = schema.clone();
        rest.remove(keyword);
        let own = with_parts(schema);
        let (mut open, mut dead, mut known) = (Vec::new(), Vec::new(), HashMap::new());
        for (index, branch) in branches.iter().enumerate() {
            let all = [own.clone(), with_parts(branch)].concat();
            if !self.spend(all.len()) {
                return;
            }
            if let Some((_, reason)) = nothing_left(&all) {
                if nothing_left(&with_parts(branch)).is_none() {
                    dead.push((index, reason));
                }
            } else if let Some(twin) = known.get(&bare(branch)) {
                let message = format!("the same as branch {}", twin + 1);
                self.report("overlapping-branches", at(index), message);
            } else {
                known.insert(bare(branch), index);
                open.push(index);
            }
        }
        if dead.len() == branches.len() && !dead.is_empty() {
            let message = "no value is valid here: not in any branch";
            let at = child(pointer, keyword);
            return self.report("impossible-schema", at, message);
        }
        for (index, reason) in dead {
            let message = format!("no value is valid in this branch: {reason}");
            self.report("impossible-choice", at(index), message);
        }
        if keyword == "anyOf" {
            return;
        }
        open.truncate(MAX_COMPARED);
        let compared = open.iter().map(|&index| {
            let whole = json!({"allOf": [rest, branches[index]]});
            let validator = whole.as_object().and_then(|whole| self.validator(whole));
            (index, validator)
        });
        let compared: Vec<(usize, Option<Validator>)> = compared.collect();
        let shared = compared.iter().find_map(|(index, own)| {
            let mut values = sample_values(schema, branches[*index], 0);
            values.truncate(MAX_COMPARED);
            values.retain(|value| accepts(own.as_ref(), value));
            let mut others = compared.iter().filter(|(other, _)| other != index);
            others.find_map(|(other, validator)| {
                let mut values = values.iter();
                let value = values
                    .find(|value| self.spend(nodes(value)) && accepts(validator.as_ref(), value))?;
                Some((*index.min(other), *index.max(other), value.clone()))
            })
        });
        if let Some((first, second, value)) = shared {
            let message = format!(
                "branch {} takes {value}, too, and `oneOf` rejects what two branches take",
                first + 1
            );
            self.report("overlapping-branches", at(second), message);
        }
    }

    fn accepts(&self, schema: &Object, value: &Value) -> bool {
        accepts(self.validator(schema).as_ref(), value)
    }

    /// Compiles `schema`, a part of the root, as the one property of an object.
    fn validator(&self, schema: &Object) -> Option<Validator> {
        let mut properties = Map::new();
        // References lead to the properties of the root.
        if let Some(Value::Object(others)) = self.root.get("properties")
            && schema.values().any(refers)
        {
            properties.extend(others.clone());
        }
        properties.insert(NAME.to_owned(), Value::Object(schema.clone()));
        let whole = json!({"type": "object", "properties": properties});
        self.spend(nodes(&whole));
        Schema::from(whole.as_object()?.clone()).validator().ok()
    }
}

/// The name under which a value is validated, which no schema has.
const NAME: &str = "\u{0}value";

/// Returns true if `value` is valid, or nothing can decide that.
fn accepts(validator: Option<&Validator>, value: &Value) -> bool {
    let whole = Map::from_iter([(NAME.to_owned(), value.clone())]);
    validator.is_none_or(|validator| validator.accepts(&Value::Object(whole)))
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(refers),
        Value::Object(entries) => entries.contains_key("$ref") || entries.values().any(refers),
        _ => false,
    }
}

/// The keyword that leaves no value which satisfies all `parts`, and the reason.
fn nothing_left(parts: &[&Object]) -> Option<(&'static str, String)> {
    let mut kinds = parts.iter().filter_map(|part| part.get("type")?.as_str());
    let mut is_integer = false;
    let mut kind = None;
    for next in kinds.by_ref() {
        is_integer |= next == "integer";
        let next = if next == "integer" { "number" } else { next };
        if *kind.get_or_insert(next) != next {
            let other = kind.unwrap_or_default();
            return Some(("type", format!("a {other} is never a {next}")));
        }
    }
    for (what, least, most) in [
        ("characters", "minLength", "maxLength"),
        ("items", "minItems", "maxItems"),
        ("properties", "minProperties", "maxProperties"),
    ] {
        let (low, high) = limits(parts, least, most);
        if let Some(high) = high.filter(|high| low > *high) {
            return Some((least, format!("at least {low} and at most {high} {what}")));
        }
    }
    let (items, _) = limits(parts, "minItems", "maxItems");
    let is_unique = |part: &&Object| part.get("uniqueItems") == Some(&Value::Bool(true));
    let values = parts.iter().find_map(|part| {
        let items = part.get("items")?;
        match items.get("type")?.as_str()? {
            "boolean" => Some(2),
            _ => Some(items.get("enum")?.as_array()?.len()),
        }
    });
    if let Some(count) = values.filter(|count| items > *count && parts.iter().any(is_unique)) {
        let message = format!("it needs {items} different items, and there are only {count}");
        return Some(("uniqueItems", message));
    }
    no_number(parts, is_integer).map(|message| ("minimum", message))
}

/// Says why no number is within the bounds of all `parts`.
fn no_number(parts: &[&Object], is_integer: bool) -> Option<String> {
    let (mut low, mut high) = ((f64::NEG_INFINITY, false), (f64::INFINITY, false));
    for part in parts {
        let number = |keyword: &str| part.get(keyword).and_then(Value::as_f64);
        let flag = |keyword: &str| part.get(keyword) == Some(&Value::Bool(true));
        if let Some(bound) = number("minimum").filter(|bound| *bound >= low.0) {
            let is_open = flag("exclusiveMinimum") || (low.1 && bound <= low.0);
            low = (bound, is_open);
        }
        if let Some(bound) = number("maximum").filter(|bound| *bound <= high.0) {
            let is_open = flag("exclusiveMaximum") || (high.1 && bound >= high.0);
            high = (bound, is_open);
        }
    }
    if low.0 > high.0 || (low.0 >= high.0 && (low.1 || high.1)) {
        let words = |is_open: bool, open: &'static str, closed: &'static str| {
            if is_open { open } else { closed }
        };
        return Some(format!(
            "no number is {} {} and {} {}",
            words(low.1, "more than", "at least"),
            low.0,
            words(high.1, "less than", "at most"),
            high.0
        ));
    }
    let first = if low.1 {
        low.0.floor() + 1.0
    } else {
        low.0.ceil()
    };
    let last = if high.1 {
        high.0.ceil() - 1.0
    } else {
        high.0.floor()
    };
    (is_integer && first > last).then(|| "no integer is within its bounds".to_owned())
}

/// The schema and the schemas of its `allOf`.
fn with_parts(schema: &Object) -> Vec<&Object> {
    let parts = parts(schema, "allOf");
    std::iter::once(schema).chain(parts).collect()
}

/// The schemas in the list under `keyword`.
fn parts<'s>(schema: &'s Object, keyword: &str) -> impl Iterator<Item = &'s Object> + use<'s> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object)
}

/// The greatest lower and the least upper limit that `parts` set.
fn limits(parts: &[&Object], least: &str, most: &str) -> (usize, Option<usize>) {
    let number = |part: &&Object, keyword: &str| usize::try_from(part.get(keyword)?.as_u64()?).ok();
    let least = parts.iter().filter_map(|part| number(part, least)).max();
    let most = parts.iter().filter_map(|part| number(part, most)).min();
    (least.unwrap_or(0), most)
}

/// The number of values in `value`, itself included.
fn nodes(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Value::Object(entries) => 1 + entries.values().map(nodes).sum::<usize>(),
        _ => 1,
    }
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

/// The common form of values that are equal, or that a model takes for each other: texts that
/// differ only in letter case or in blanks around them. Short ones, such as units, can differ in
/// case only.
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

/// Deeper values are not made up.
const MAX_DEPTH: usize = 6;
/// The number of items of an array that is made up; half of it in an array within, and so on.
const MAX_ITEMS: usize = 8;

/// Makes up values of `schema`. `around` is the schema whose branch it is: it can declare the
/// properties.
fn sample_values(around: &Object, schema: &Object, depth: usize) -> Vec<Value> {
    if depth >= MAX_DEPTH || schema.contains_key("$ref") {
        return Vec::new();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.clone();
    }
    let inner = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .flat_map(|keyword| parts(schema, keyword));
    let mut values: Vec<Value> = inner
        .take(4)
        .flat_map(|part| sample_values(schema, part, depth + 1))
        .collect();
    let kind = schema.get("type").or_else(|| around.get("type"));
    match kind.and_then(Value::as_str) {
        Some("string") => values.extend(strings(schema)),
        Some(kind @ ("integer" | "number")) => values.extend(numbers(schema, kind)),
        Some("boolean") => values.extend([json!(true), json!(false)]),
        Some("array") => {
            let (least, _) = limits(&[schema], "minItems", "maxItems");
            let most = MAX_ITEMS >> depth;
            let items = schema.get("items").and_then(Value::as_object);
            let samples = items.map(|items| sample_values(items, items, depth + 1));
            let item = samples.and_then(|samples| samples.into_iter().next());
            let two = item.into_iter().flat_map(|item| {
                [least.max(2), least.max(1)].map(|count| json!(vec![item.clone(); count.min(most)]))
            });
            values.extend(two.filter(|it| schema.get("uniqueItems").is_none() || it[1].is_null()));
            values.push(json!([]));
        }
        Some("object") => values.extend(objects(around, schema, depth)),
        _ => {}
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        values.push(Value::Null);
    }
    values
}

fn strings(schema: &Object) -> Vec<Value> {
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => return vec![json!("2024-01-31")],
        Some("date-time") => return vec![json!("2024-01-31T12:00:00Z")],
        Some("uuid") => return vec![json!("123e4567-e89b-42d3-a456-426614174000")],
        Some("email") => return vec![json!("a@example.org")],
        Some("uri") => return vec![json!("https://example.org/")],
        Some("ipv4") => return vec![json!("192.0.2.1")],
        Some("password") | None => {}
        Some(_) => return Vec::new(),
    }
    let (least, most) = limits(&[schema], "minLength", "maxLength");
    let lengths = [least.max(1), most.unwrap_or(5), 5, least];
    let lengths = lengths.into_iter().filter(|length| *length <= 4_096);
    let mut texts: Vec<Value> = lengths.map(|length| json!("a".repeat(length))).collect();
    texts.extend([json!("1"), json!("https://example.org/")]);
    // A text with quotes breaks what is not escaped.
    let fits = least <= 7 && most.is_none_or(|most| most >= 7) && !schema.contains_key("pattern");
    texts.splice(0..0, fits.then(|| json!("a \"b\" c")));
    texts
}

fn numbers(schema: &Object, kind: &str) -> Vec<Value> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let (low, high) = (bound("minimum"), bound("maximum"));
    let mut numbers = vec![0.0, 1.0];
    numbers.extend(low.into_iter().flat_map(|low| [low, low + 1.0]));
    numbers.extend(high.into_iter().flat_map(|high| [high, high - 1.0]));
    if kind == "number" {
        numbers.push(0.5);
    }
    numbers.into_iter().map(Value::from).collect()
}

/// The objects with all that is required, and with all that this schema names itself.
fn objects(around: &Object, schema: &Object, depth: usize) -> Vec<Value> {
    let value = |name: &str| {
        let find = |schema: &'_ Object| schema.get("properties")?.get(name)?.as_object().cloned();
        let property = find(schema).or_else(|| find(around))?;
        let samples = sample_values(&property, &property, depth + 1);
        samples.into_iter().next()
    };
    let required = schema.get("required").or_else(|| around.get("required"));
    let required = required.and_then(Value::as_array).into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let all = properties.into_iter().flatten().map(|it| it.0.as_str());
    let full: Vec<&str> = required.iter().copied().chain(all).collect();
    // Made once: deeper values would be made again for each object around them.
    let mut made = HashMap::new();
    for name in &full {
        made.entry(*name).or_insert_with(|| value(name));
    }
    let object = |chosen: Vec<&str>| {
        let entry = |name: &str| Some((name.to_owned(), made.get(name)?.clone()?));
        let entries = chosen.into_iter().map(entry);
        entries.collect::<Option<Object>>().map(Value::Object)
    };
    let objects = [object(full), object(required)];
    objects.into_iter().flatten().collect()
}
