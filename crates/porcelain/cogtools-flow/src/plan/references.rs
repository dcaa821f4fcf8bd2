//! References and placeholders: results of steps in the arguments of later steps and in the reply.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, fail_on, pointer};
use cogtools_program::Input;
use serde_json::{Map, Value};

use super::contract::{RUN_JS, Step, coded, mismatch, missing};

/// The largest output, in bytes: a small input must not make a large one.
const MAX_BYTES: usize = Input::MAX_BYTES;

/// The failure of an output that would be larger than [`MAX_BYTES`].
fn too_large(what: &str) -> Box<Diagnostic> {
    let message = format!("{what} would be larger than {} MiB", MAX_BYTES >> 20);
    let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
    Box::new(diagnostic.hint("refer to smaller results"))
}

/// The record of a step: `result`, `status`, `tool` and `error`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record(Map<String, Value>);

/// The records of a plan.
pub(crate) type Records = BTreeMap<String, Record>;

impl Record {
    /// The record in `value`, if that is an object.
    pub(crate) fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(record) => Some(Self(record)),
            _ => None,
        }
    }

    /// Returns true if the step has no result: it failed, or was skipped.
    pub(crate) fn has_failed(&self) -> bool {
        let status = self.0.get("status").and_then(Value::as_str);
        matches!(status, Some("failed" | "skipped"))
    }

    /// The value at `path`: the result itself if that is empty. The first segment is a key of
    /// the record or, if it lacks that, leads into its result.
    pub(crate) fn get(&self, path: Option<&str>) -> Option<Cow<'_, Value>> {
        let result = self.0.get("result");
        let Some(path) = path else {
            return result.map(Cow::Borrowed);
        };
        let (first, rest) = match path.split_once('.') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path, None),
        };
        let own = self.0.get(first).filter(|_| !is_never_there(first));
        match (own, rest) {
            (Some(value), Some(rest)) => value_at(value, rest),
            (Some(value), None) => Some(Cow::Borrowed(value)),
            (None, _) => value_at(result?, path),
        }
    }

    /// The value at `path` for a person: of JavaScript, the returned one.
    fn shown(&self, path: Option<&str>) -> Option<Cow<'_, Value>> {
        let is_js = self.0.get("tool").and_then(Value::as_str) == Some(RUN_JS);
        let returned = || self.0.get("result")?.get("result").map(Cow::Borrowed);
        match path {
            None if is_js => returned().or_else(|| self.get(None)),
            path => self.get(path),
        }
    }
}

/// Replaces the references in `args`: strings that are `$tool.NAME` or `$tool.NAME.path` as a
/// whole. The value keeps its type, and is not searched for references itself. Every reference
/// that leads nowhere is reported.
pub(crate) fn resolve(mut args: Value, records: &Records) -> Result<Value, Vec<Diagnostic>> {
    let (mut values, mut missing) = (Vec::new(), Vec::new());
    // The number of bytes of results that may still be copied.
    let mut left = Some(MAX_BYTES);
    visit(&args, "", &mut |pointer, text, (name, path)| {
        let record = records.get(name);
        let found = record.filter(|record| !record.has_failed());
        match found.and_then(|record| record.get(path)) {
            Some(value) => {
                left = left.and_then(|left| copied(&value, left));
                values.push((pointer.to_owned(), value));
            }
            None if missing.len() <= Diagnostic::MAX_SHOWN => {
                missing.push(no_value(text, name, records).with_pointer(pointer));
            }
            None => {}
        }
    });
    left.ok_or_else(|| vec![*too_large("the arguments")])?;
    fail_on(Diagnostic::truncate(missing))?;
    for (pointer, value) in values {
        if let Some(place) = args.pointer_mut(&pointer) {
            *place = value.into_owned();
        }
    }
    Ok(args)
}

/// The failure of the reference `text` to the step `name`, which leads nowhere.
fn no_value(text: &str, name: &str, records: &Records) -> Diagnostic {
    let (message, hint) = match records.get(name) {
        None => (
            format!("no step has saved a result as `{name}`"),
            did_you_mean(name, records.keys().map(String::as_str))
                .unwrap_or_else(|| "refer to an earlier step by its `save_as`".to_owned()),
        ),
        Some(record) if record.has_failed() => (
            format!("the step `{name}` has no result"),
            "leave the reference out; only a reply reads steps that failed".to_owned(),
        ),
        Some(_) => (
            format!("the result of `{name}` has no such path"),
            "a path begins with a key of the result, or with `status`, `tool` or `error`"
                .to_owned(),
        ),
    };
    Diagnostic::new(Code::MissingReference, message)
        .with_subject(text)
        .hint(hint)
}

/// A function that gets a reference: its pointer, its text, its name and its path.
type OnReference<'f, 'v> = &'f mut dyn FnMut(&str, &'v str, (&'v str, Option<&'v str>));

/// Calls `on` for each reference in `value`, which is at `pointer`.
fn visit<'v>(value: &'v Value, pointer: &str, on: OnReference<'_, 'v>) {
    match value {
        Value::String(text) => {
            if let Some(parts) = reference(text) {
                on(pointer, text, parts);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(item, &format!("{pointer}/{index}"), on);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                visit(member, &pointer::child(pointer, key), on);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The name and the path of a reference: `^\$tool\.[^.]+(\..+)?$`, where no dot at the end and
/// no line end in the path is one.
pub(super) fn reference(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.strip_prefix("$tool.")?;
    let (name, path) = match text.split_once('.') {
        Some((name, path)) => (name, Some(path)),
        None => (text, None),
    };
    let is_line_end = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let is_path = |path: &str| !path.is_empty() && !path.contains(is_line_end);
    (!name.is_empty() && path.is_none_or(is_path)).then_some((name, path))
}

/// Returns the rest of `left` bytes after a copy of `value`; `None` if it is larger.
fn copied(value: &Value, left: usize) -> Option<usize> {
    let left = left.checked_sub(4)?;
    match value {
        Value::String(text) => left.checked_sub(text.len()),
        Value::Array(items) => items.iter().try_fold(left, |left, item| copied(item, left)),
        Value::Object(members) => members.iter().try_fold(left, |left, (key, member)| {
            copied(member, left.checked_sub(key.len())?)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(left),
    }
}

/// The text for a value that is not there.
const UNAVAILABLE: &str = "unavailable";

/// Replaces the placeholders of `template`. Scalars become text, arrays and objects compact
/// JSON. Records of steps that failed can be read, too. The result is not searched again.
pub(crate) fn hydrate(
    template: &str,
    last: &Value,
    records: &Records,
) -> Result<String, Box<Diagnostic>> {
    let mut reply = String::new();
    for part in parts(template) {
        let value = match part {
            Part::Text(text) => {
                reply.push_str(text);
                continue;
            }
            Part::Last(path) => value_at(last, path),
            Part::Step(path) => {
                let (name, path) = match path.split_once('.') {
                    Some((name, path)) => (name, Some(path)),
                    None => (path, None),
                };
                records.get(name).and_then(|record| record.shown(path))
            }
        };
        match value.as_deref() {
            None => reply.push_str(UNAVAILABLE),
            Some(Value::String(text)) => reply.push_str(text),
            Some(value) => reply.push_str(&value.to_string()),
        }
        if reply.len() > MAX_BYTES {
            return Err(too_large("the reply"));
        }
    }
    Ok(reply)
}

/// The names in the references of a step's arguments, sorted.
pub(crate) fn of_step(step: &Step) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    each_reference(step, |_, name| {
        names.insert(name);
    });
    names
}

/// Calls `on` for each reference in a step's arguments, with its pointer and its name.
pub(crate) fn each_reference<'s>(step: &'s Step, mut on: impl FnMut(&str, &'s str)) {
    for (key, value) in step.args.iter().flatten() {
        let pointer = pointer::child("", key);
        visit(value, &pointer, &mut |pointer, _, (name, _)| {
            on(pointer, name);
        });
    }
}

/// The names in the placeholders of a reply, sorted.
pub(crate) fn of_reply(reply: &str) -> BTreeSet<&str> {
    let names = parts(reply).filter_map(|part| match part {
        Part::Step(path) => path.split('.').next(),
        Part::Text(_) | Part::Last(_) => None,
    });
    names.collect()
}

/// Returns true if a reply has a placeholder for the last result.
pub(crate) fn has_last(reply: &str) -> bool {
    parts(reply).any(|part| matches!(part, Part::Last(_)))
}

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'t> {
    /// Text as it is.
    Text(&'t str),
    /// `{{tool.PATH}}`, where the path begins with the name of a step.
    Step(&'t str),
    /// `{{tool_result.PATH}}`, which leads into the last result.
    Last(&'t str),
}

/// The parts of `template`.
fn parts(template: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(at) = rest[from..].find("{{").map(|at| from + at) {
            let Some((part, length)) = placeholder(&rest[at..]) else {
                from = at + 1;
                continue;
            };
            if at > 0 {
                let text = &rest[..at];
                rest = &rest[at..];
                return Some(Part::Text(text));
            }
            rest = &rest[length..];
            return Some(part);
        }
        Some(Part::Text(std::mem::take(&mut rest)))
    })
}

/// The placeholder at the beginning of `text`, and its length.
fn placeholder(text: &str) -> Option<(Part<'_>, usize)> {
    let inner = text.strip_prefix("{{")?.trim_start_matches(' ');
    let (is_last, path) = match inner.strip_prefix("tool_result.") {
        Some(path) => (true, path),
        None => (false, inner.strip_prefix("tool.")?),
    };
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let after = path.trim_start_matches(is_path);
    let path = &path[..path.len() - after.len()];
    let rest = after.trim_start_matches(' ').strip_prefix("}}")?;
    let part = if is_last {
        Part::Last(path)
    } else {
        Part::Step(path)
    };
    (!path.is_empty()).then_some((part, text.len() - rest.len()))
}

/// Finds the value that a path leads to: one of the tree, or the length of an array. A key that an
/// object lacks is sought in its `result`, at any depth.
fn value_at<'v>(value: &'v Value, path: &str) -> Option<Cow<'v, Value>> {
    let mut here = Cow::Borrowed(value);
    for segment in path.split('.') {
        let Cow::Borrowed(value) = here else {
            // A length has no parts.
            return None;
        };
        here = step_into(value, segment)?;
    }
    Some(here)
}

fn step_into<'v>(value: &'v Value, segment: &str) -> Option<Cow<'v, Value>> {
    match value {
        Value::Object(object) if !is_never_there(segment) => match object.get(segment) {
            Some(value) => Some(Cow::Borrowed(value)),
            None => step_into(object.get("result")?, segment),
        },
        Value::Array(items) if segment == "length" => Some(Cow::Owned(items.len().into())),
        Value::Array(items) => items.get(index(segment)?).map(Cow::Borrowed),
        _ => None,
    }
}

/// Reads an index in its only spelling.
fn index(segment: &str) -> Option<usize> {
    let index: usize = segment.parse().ok()?;
    (index.to_string() == segment).then_some(index)
}

/// Returns true if every object of JavaScript inherits a property of that name: a path to it would
/// mean something else there.
fn is_never_there(segment: &str) -> bool {
    matches!(segment, "" | "constructor" | "prototype")
        || segment.len() > 4 && segment.starts_with("__") && segment.ends_with("__")
}

/// The input of `resolve`.
pub(crate) struct ResolveInput {
    /// The arguments, with references.
    pub(crate) args: Value,
    /// The records of earlier steps.
    pub(crate) records: Records,
}

/// The input of `hydrate`.
pub(crate) struct HydrateInput {
    /// The reply, with placeholders.
    pub(crate) template: String,
    /// The last result; `null` if there is none.
    pub(crate) last: Value,
    /// The records of all steps.
    pub(crate) records: Records,
}

impl ResolveInput {
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, Vec<Diagnostic>> {
        let mut object = object(bytes)?;
        let mut violations = Vec::new();
        let args = object.remove("args").unwrap_or_else(|| {
            violations.push(missing("/args", "the arguments of a step"));
            Value::Null
        });
        let records = records(&mut object, &mut violations);
        fail_on(coded(violations, Code::SchemaViolation))?;
        Ok(Self { args, records })
    }
}

impl HydrateInput {
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, Vec<Diagnostic>> {
        let mut object = object(bytes)?;
        let mut violations = Vec::new();
        let template = match object.remove("template") {
            Some(Value::String(template)) => template,
            other => {
                violations.push(match other {
                    Some(other) => mismatch("/template", "a string", &other),
                    None => missing("/template", "the text of the reply"),
                });
                String::new()
            }
        };
        let records = records(&mut object, &mut violations);
        fail_on(coded(violations, Code::SchemaViolation))?;
        let last = object.remove("last").unwrap_or_default();
        Ok(Self {
            template,
            last,
            records,
        })
    }
}

fn object(bytes: Vec<u8>) -> Result<Map<String, Value>, Vec<Diagnostic>> {
    Arguments::read(bytes, Syntax::Json)
        .map(Arguments::into_object)
        .map_err(|error| vec![error.diagnostic()])
}

/// Reads the records under the key `results` of an input.
fn records(object: &mut Map<String, Value>, violations: &mut Vec<Diagnostic>) -> Records {
    let results = match object.remove("results") {
        None => return Records::new(),
        Some(Value::Object(results)) => results,
        Some(other) => {
            violations.push(mismatch("/results", "an object", &other));
            return Records::new();
        }
    };
    let mut records = Records::new();
    for (name, record) in results {
        if let Value::Object(record) = record {
            records.insert(name, Record(record));
        } else {
            let pointer = pointer::child("/results", &name);
            violations.push(mismatch(pointer, "an object with a record", &record));
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_what_is_there_and_to_nothing_else() {
        let value =
            json!({"a": {"b": [10, {"c": null}]}, "s": "text", "0": 1, "__proto__": {"x": 1}});
        for (path, expected) in [
            ("a.b.0", Some(json!(10))),
            ("a.b.1.c", Some(json!(null))),
            ("a.b.length", Some(json!(2))),
            ("0", Some(json!(1))),
            ("a.b.length.x", None),
            ("a.b.2", None),
            ("a.b.00", None),
            ("a.b.+1", None),
            ("a.b.-1", None),
            ("a.b.18446744073709551616", None),
            ("s.length", None),
            ("s.0", None),
            ("a..b", None),
            ("", None),
            ("a.", None),
            ("__proto__.x", None),
            ("constructor", None),
            ("toString", None),
        ] {
            assert_eq!(
                value_at(&value, path).map(Cow::into_owned),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn only_placeholders_are_not_text() {
        use Part::{Last, Step, Text};
        for (template, expected) in [
            ("", vec![]),
            ("no tokens", vec![Text("no tokens")]),
            ("{{tool.a}}", vec![Step("a")]),
            ("{{  tool_result.a.0.b }}", vec![Last("a.0.b")]),
            (
                "x{{tool.a}}{{tool_result.b}} y",
                vec![Text("x"), Step("a"), Last("b"), Text(" y")],
            ),
            ("{{{tool.a}}}", vec![Text("{"), Step("a"), Text("}")]),
            ("{{tool..x}}", vec![Step(".x")]),
            ("{{tool.}} {{tool}}", vec![Text("{{tool.}} {{tool}}")]),
            ("{{tool.a-b}}", vec![Text("{{tool.a-b}}")]),
            ("{{tool.a b}}", vec![Text("{{tool.a b}}")]),
            ("{{\ttool.a}}", vec![Text("{{\ttool.a}}")]),
            ("{{ tool .a}}", vec![Text("{{ tool .a}}")]),
            ("{{tool_results.a}}", vec![Text("{{tool_results.a}}")]),
            ("{{tool.é}} {{", vec![Text("{{tool.é}} {{")]),
            ("{{ {{tool.a}}", vec![Text("{{ "), Step("a")]),
        ] {
            assert_eq!(parts(template).collect::<Vec<_>>(), expected, "{template}");
        }
    }

    #[test]
    fn only_whole_strings_of_one_form_are_references() {
        for (text, expected) in [
            ("$tool.a", Some(("a", None))),
            ("$tool.a b", Some(("a b", None))),
            ("$tool.a.b.0", Some(("a", Some("b.0")))),
            ("$tool.a..b", Some(("a", Some(".b")))),
            ("$tool.", None),
            ("$tool", None),
            ("$tool..a", None),
            ("$tool.a.", None),
            ("$tool.a.b\nc", None),
            (" $tool.a", None),
            ("pre $tool.a", None),
            ("$tools.a", None),
            ("$TOOL.a", None),
        ] {
            assert_eq!(reference(text), expected, "{text}");
        }
    }
}
