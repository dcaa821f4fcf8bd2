//! Arguments with their references replaced by results.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, pointer};
use serde_json::Value;

use crate::limit::{MAX_BYTES, TooLarge};
use crate::record::{Record, Records};

/// Replaces the references in `args`: strings that are `$tool.NAME` or `$tool.NAME.path` as a
/// whole. The value keeps its type, and is not searched for references itself. Every reference
/// that leads nowhere is reported.
pub(crate) fn resolve(mut args: Value, records: &Records) -> Result<Value, Vec<Diagnostic>> {
    let mut resolver = Resolver {
        records,
        left: MAX_BYTES,
        missing: Vec::new(),
    };
    resolver
        .value(&mut args, "")
        .map_err(|error| vec![error.diagnostic()])?;
    if resolver.missing.is_empty() {
        return Ok(args);
    }
    Err(Diagnostic::truncate(resolver.missing))
}

struct Resolver<'r> {
    records: &'r Records,
    /// How many bytes of results may still be copied.
    left: usize,
    missing: Vec<Diagnostic>,
}

impl Resolver<'_> {
    /// Resolves `value`, which is at `pointer`.
    fn value(&mut self, value: &mut Value, pointer: &str) -> Result<(), TooLarge> {
        match value {
            Value::String(text) => {
                if let Some(found) = self.text(text, pointer)? {
                    *value = found;
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.value(item, &format!("{pointer}/{index}"))?;
                }
            }
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    self.value(member, &pointer::child(pointer, key))?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }

    /// The value that `text` refers to, if it is a reference.
    fn text(&mut self, text: &str, pointer: &str) -> Result<Option<Value>, TooLarge> {
        let Some((name, path)) = reference(text) else {
            return Ok(None);
        };
        let record = self.records.get(name);
        let found = record.filter(|record| !record.has_failed());
        let Some(found) = found.and_then(|record| record.get(path)) else {
            if self.missing.len() <= Diagnostic::MAX_SHOWN {
                self.missing.push(self.missing(text, name, record, pointer));
            }
            return Ok(None);
        };
        self.left = copied(&found, self.left).ok_or(TooLarge("the arguments"))?;
        Ok(Some(found.into_owned()))
    }

    fn missing(
        &self,
        text: &str,
        name: &str,
        record: Option<&Record>,
        pointer: &str,
    ) -> Diagnostic {
        let message = match record {
            None => format!("no step has saved a result as `{name}`"),
            Some(record) if record.has_failed() => format!("the step `{name}` has no result"),
            Some(_) => format!("the result of `{name}` has no such path"),
        };
        let names = self.records.keys().map(String::as_str);
        let hint = match record {
            None => did_you_mean(name, names)
                .unwrap_or_else(|| "refer to an earlier step by its `save_as`".to_owned()),
            Some(record) if record.has_failed() => {
                "leave the reference out; only a reply reads steps that failed".to_owned()
            }
            Some(_) => "a path begins with a key of the result, or with `status`, `tool` or \
                        `error`"
                .to_owned(),
        };
        Diagnostic::new(Code::MissingReference, message)
            .with_subject(text)
            .with_pointer(pointer)
            .hint(hint)
    }
}

/// The name and the path of a reference: `^\$tool\.[^.]+(\..+)?$`, where no dot at the end and
/// no line end in the path is one.
pub(crate) fn reference(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.strip_prefix("$tool.")?;
    let (name, path) = match text.split_once('.') {
        Some((name, path)) => (name, Some(path)),
        None => (text, None),
    };
    let is_line_end = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let is_path = |path: &str| !path.is_empty() && !path.contains(is_line_end);
    (!name.is_empty() && path.is_none_or(is_path)).then_some((name, path))
}

/// What is left of `left` bytes after a copy of `value`; `None` if it is larger.
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

#[cfg(test)]
mod tests {
    use super::*;

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
