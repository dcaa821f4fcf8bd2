//! JavaScript's conversions to strings, numbers and keys.

use std::borrow::Cow;

use minijinja::value::Value;

use crate::error::{Error, ErrorKind};
use crate::runtime::Runtime;
use crate::value::{View, entries, number, view};

/// The maximum nesting of what is printed or written as JSON.
const MAX_DEPTH: usize = 200;

/// The result of JavaScript's `String(value)`.
pub(crate) fn to_text<'a>(value: &'a Value, runtime: &Runtime) -> Result<Cow<'a, str>, Error> {
    Ok(match view(value) {
        View::Undefined => Cow::Borrowed("undefined"),
        View::Null => Cow::Borrowed("null"),
        View::Bool(true) => Cow::Borrowed("true"),
        View::Bool(false) => Cow::Borrowed("false"),
        View::Number(_) => Cow::Owned(number::text(value)),
        View::Text(text) | View::Safe(text) => Cow::Borrowed(text),
        View::Dict(_) | View::Object => Cow::Borrowed("[object Object]"),
        View::Function(_) => Cow::Borrowed("[function]"),
        View::Regex(regex) => Cow::Owned(regex.to_string()),
        View::Array(array) => {
            let mut text = String::new();
            join(&array.items(), ",", &mut text, runtime, 0)?;
            Cow::Owned(text)
        }
    })
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
        match view(item) {
            View::Undefined | View::Null => {}
            View::Array(array) => join(&array.items(), ",", out, runtime, depth + 1)?,
            _ => out.push_str(&to_text(item, runtime)?),
        }
        runtime.grow(out.len() - before)?;
        runtime.check_len(out.len())?;
    }
    Ok(())
}

/// `value` as a number.
pub(crate) fn to_number(value: &Value, runtime: &Runtime) -> Result<f64, Error> {
    Ok(match view(value) {
        View::Null | View::Bool(false) => 0.0,
        View::Bool(true) => 1.0,
        View::Number(value) => value,
        View::Text(text) | View::Safe(text) => number::parse(text),
        View::Array(_) => number::parse(&to_text(value, runtime)?),
        View::Undefined | View::Dict(_) | View::Object | View::Function(_) | View::Regex(_) => {
            f64::NAN
        }
    })
}

/// `value` as an operand: objects become strings.
pub(crate) fn to_primitive<'a>(
    value: &'a Value,
    runtime: &Runtime,
) -> Result<Cow<'a, Value>, Error> {
    Ok(match view(value) {
        View::Undefined | View::Null | View::Bool(_) | View::Number(_) | View::Text(_) => {
            Cow::Borrowed(value)
        }
        _ => Cow::Owned(Value::from(to_text(value, runtime)?.into_owned())),
    })
}

struct Writer<'a> {
    out: String,
    indent: &'a str,
    runtime: &'a Runtime,
}

/// `value` as JSON; `None` for values that JSON omits, such as undefined.
pub(crate) fn stringify(
    value: &Value,
    indent: &str,
    runtime: &Runtime,
) -> Result<Option<String>, Error> {
    let mut writer = Writer {
        out: String::new(),
        indent,
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
        match view(value) {
            View::Undefined | View::Function(_) => return Ok(false),
            View::Bool(flag) => self.out.push_str(if flag { "true" } else { "false" }),
            View::Number(number) if number.is_finite() => self.out.push_str(&number::text(value)),
            View::Null | View::Number(_) => self.out.push_str("null"),
            View::Text(text) => quote(text, &mut self.out),
            View::Safe(text) => self.safe(text, depth),
            View::Regex(_) => self.out.push_str("{}"),
            View::Array(array) => {
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
            View::Dict(_) | View::Object => {
                self.out.push('{');
                let mut empty = true;
                for (key, item) in entries(value) {
                    if matches!(view(&item), View::Undefined | View::Function(_)) {
                        continue;
                    }
                    self.separate(empty, depth + 1)?;
                    empty = false;
                    quote(&key, &mut self.out);
                    self.out
                        .push_str(if self.indent.is_empty() { ":" } else { ": " });
                    self.value(&item, depth + 1)?;
                }
                self.close(empty, '}', depth)?;
            }
        }
        self.runtime.grow(self.out.len().saturating_sub(before))?;
        self.runtime.check_len(self.out.len())?;
        Ok(true)
    }

    /// A safe string is an object with the text and its length.
    fn safe(&mut self, text: &str, depth: usize) {
        let (line, inner, space) = if self.indent.is_empty() {
            (String::new(), String::new(), "")
        } else {
            let line = format!("\n{}", self.indent.repeat(depth));
            (line.clone(), format!("{line}{}", self.indent), " ")
        };
        self.out.push('{');
        self.out.push_str(&inner);
        self.out.push_str("\"val\":");
        self.out.push_str(space);
        quote(text, &mut self.out);
        let length = super::utf16::len(text).to_string();
        self.out
            .extend([",", &inner, "\"length\":", space, &length, &line, "}"]);
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

const HEX: [&str; 16] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f",
];

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => out.extend([
                "\\u00",
                if c < '\u{10}' { "0" } else { "1" },
                HEX[u32::from(c) as usize % 16],
            ]),
            c => out.push(c),
        }
    }
    out.push('"');
}
