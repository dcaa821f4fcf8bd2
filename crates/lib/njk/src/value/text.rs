//! JavaScript's conversions to strings, numbers and keys.

use std::borrow::Cow;
use std::rc::Rc;

use crate::error::{Error, ErrorKind};
use crate::runtime::Runtime;
use crate::value::{Value, number};

/// The maximum nesting of what is printed or written as JSON.
const MAX_DEPTH: usize = 200;

/// The result of JavaScript's `String(value)`.
pub(crate) fn to_text<'a>(value: &'a Value, runtime: &Runtime) -> Result<Cow<'a, str>, Error> {
    Ok(match value {
        Value::Undefined => Cow::Borrowed("undefined"),
        Value::Null => Cow::Borrowed("null"),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Owned(number.text()),
        Value::Text(text) | Value::Safe(text) => Cow::Borrowed(text),
        Value::Dict(_) | Value::Special(_) => Cow::Borrowed("[object Object]"),
        Value::Function(_) => Cow::Borrowed("[function]"),
        Value::Regex(regex) => Cow::Owned(regex.to_string()),
        Value::Array(array) => {
            let mut text = String::new();
            join(&array.items(), ",", &mut text, runtime, 0)?;
            Cow::Owned(text)
        }
    })
}

/// Like [`to_text`], for a text that is read: with [`Shared::legible`](crate::engine::Shared), it
/// fails where the text would only say that there is an object, or nothing.
pub(crate) fn legible<'a>(value: &'a Value, runtime: &Runtime) -> Result<Cow<'a, str>, Error> {
    let text = to_text(value, runtime)?;
    let (what, hint) = match value {
        _ if !runtime.shared.legible => return Ok(text),
        Value::Dict(_) | Value::Special(_) => (
            "an object",
            "print a member of it, or the whole by `| dump`",
        ),
        Value::Undefined => (
            "a value that is not there",
            "give it a default: `| default('')`",
        ),
        _ => return Ok(text),
    };
    Err(Error::bad_value(format!("{what} prints as `{text}`")).with_hint(hint))
}

/// Appends the items of an array, separated, as `Array.prototype.join` does.
pub(crate) fn join(
    items: &[Value],
    separator: &str,
    out: &mut String,
    runtime: &Runtime,
    depth: usize,
) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(
            ErrorKind::TooDeep,
            "the array is nested too deeply to print",
        ));
    }
    runtime.spend(items.len())?;
    for (index, item) in items.iter().enumerate() {
        let before = out.len();
        if index > 0 {
            out.push_str(separator);
        }
        match item {
            Value::Undefined | Value::Null => {}
            Value::Array(array) => join(&array.items(), ",", out, runtime, depth + 1)?,
            _ => out.push_str(&legible(item, runtime)?),
        }
        runtime.grow(out.len() - before)?;
        runtime.check_len(out.len())?;
    }
    Ok(())
}

/// `value` as a number.
pub(crate) fn to_number(value: &Value, runtime: &Runtime) -> Result<f64, Error> {
    Ok(match value {
        Value::Null | Value::Bool(false) => 0.0,
        Value::Bool(true) => 1.0,
        Value::Number(number) => number.value,
        Value::Text(text) | Value::Safe(text) => number::parse(text),
        Value::Array(_) => number::parse(&to_text(value, runtime)?),
        Value::Undefined
        | Value::Dict(_)
        | Value::Special(_)
        | Value::Function(_)
        | Value::Regex(_) => f64::NAN,
    })
}

/// `value` as an operand: objects become strings.
pub(crate) fn to_primitive<'a>(
    value: &'a Value,
    runtime: &Runtime,
) -> Result<Cow<'a, Value>, Error> {
    Ok(match value {
        Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {
            Cow::Borrowed(value)
        }
        _ => Cow::Owned(Value::from(to_text(value, runtime)?)),
    })
}

struct Writer<'a> {
    out: String,
    indent: &'a str,
    /// True for the value itself, rather than what JavaScript's `JSON.stringify` makes of it: a
    /// safe string is text, and a number that JSON does not have fails.
    is_exact: bool,
    runtime: &'a Runtime,
}

/// `value` as JSON, as JavaScript writes it, or with `is_exact` as it is; `None` for values that
/// JSON omits, such as undefined.
pub(crate) fn stringify(
    value: &Value,
    indent: &str,
    is_exact: bool,
    runtime: &Runtime,
) -> Result<Option<String>, Error> {
    let mut writer = Writer {
        out: String::new(),
        indent,
        is_exact,
        runtime,
    };
    let written = writer.value(value, 0)?;
    Ok(written.then_some(writer.out))
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<bool, Error> {
        if depth > MAX_DEPTH {
            let message = "the value is nested too deeply, or holds itself";
            return Err(Error::new(ErrorKind::TooDeep, message));
        }
        self.runtime.spend(1)?;
        let before = self.out.len();
        match value {
            Value::Undefined | Value::Function(_) => return Ok(false),
            Value::Bool(flag) => self.out.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) if number.value.is_finite() => self.out.push_str(&number.text()),
            Value::Number(number) if self.is_exact => {
                let message = format!("the value is {}, which is no number in JSON", number.text());
                return Err(Error::bad_value(message));
            }
            Value::Null | Value::Number(_) => self.out.push_str("null"),
            Value::Text(text) => self.quote(text),
            Value::Safe(text) if self.is_exact => self.quote(text),
            // An object with the text and its length.
            Value::Safe(text) => {
                let length = Value::from(super::utf16::len(text));
                let entries = [("val", Value::Text(Rc::clone(text))), ("length", length)];
                let entries = entries.map(|(key, value)| (Rc::from(key), value));
                self.object(entries.into(), depth)?;
            }
            Value::Regex(_) => self.out.push_str("{}"),
            Value::Array(array) => {
                self.out.push('[');
                let items = array.items();
                for (index, item) in items.iter().enumerate() {
                    self.separate(index == 0, depth + 1)?;
                    if !self.value(item, depth + 1)? {
                        self.out.push_str("null");
                    }
                }
                self.close(items.is_empty(), ']', depth)?;
            }
            Value::Dict(_) | Value::Special(_) => self.object(value.entries(), depth)?,
        }
        self.runtime.grow(self.out.len().saturating_sub(before))?;
        self.runtime.check_len(self.out.len())?;
        Ok(true)
    }

    fn object(&mut self, entries: Vec<(Rc<str>, Value)>, depth: usize) -> Result<(), Error> {
        self.out.push('{');
        let mut empty = true;
        for (key, item) in entries {
            if matches!(&item, Value::Undefined | Value::Function(_)) {
                continue;
            }
            self.separate(empty, depth + 1)?;
            empty = false;
            self.quote(&key);
            self.out
                .push_str(if self.indent.is_empty() { ":" } else { ": " });
            self.value(&item, depth + 1)?;
        }
        self.close(empty, '}', depth)
    }

    fn quote(&mut self, text: &str) {
        self.out
            .push_str(&serde_json::Value::from(text).to_string());
    }

    fn separate(&mut self, first: bool, depth: usize) -> Result<(), Error> {
        if !first {
            self.out.push(',');
        }
        self.line(depth)
    }

    fn close(&mut self, empty: bool, bracket: char, depth: usize) -> Result<(), Error> {
        if !empty {
            self.line(depth)?;
        }
        self.out.push(bracket);
        Ok(())
    }

    fn line(&mut self, depth: usize) -> Result<(), Error> {
        if self.indent.is_empty() {
            return Ok(());
        }
        self.out.push('\n');
        for _ in 0..depth {
            self.out.push_str(self.indent);
        }
        self.runtime.check_len(self.out.len())
    }
}
