//! Filters that convert values or supply defaults.

use std::sync::Arc;

use minijinja::value::Value;

use super::expected;
use crate::error::Error;
use crate::native::{Native, argument};
use crate::runtime::Runtime;
use crate::value::dict::Entries;
use crate::value::json::stringify;
use crate::value::number::{clamp, count};
use crate::value::safe::copy_safeness;
use crate::value::text::to_text;
use crate::value::{View, entries, is_present, type_name, utf16, view};

pub(super) const FILTERS: &[(&str, Native)] = &[
    ("default", default),
    ("d", default),
    ("dump", dump),
    ("length", length),
    ("list", list),
    ("string", |runtime, value, _| {
        if !is_present(value) {
            return Err(Error::bad_value(format!(
                "{} has no string form",
                type_name(value)
            )));
        }
        let text = to_text(value, runtime)?.into_owned();
        Ok(copy_safeness(value, text))
    }),
];

#[allow(
    clippy::unnecessary_wraps,
    reason = "all tests and filters have one signature"
)]
fn default(_: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let missing = if argument(arguments, 1).is_true() {
        !value.is_true()
    } else {
        value.is_undefined()
    };
    Ok(if missing {
        argument(arguments, 0).clone()
    } else {
        value.clone()
    })
}

fn dump(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let indent = match view(argument(arguments, 0)) {
        View::Number(width) => " ".repeat(clamp(width, 10)),
        View::Text(text) | View::Safe(text) => utf16::slice(text, 0, 10).into_owned(),
        _ => String::new(),
    };
    let json = stringify(value, &indent, runtime)?;
    Ok(json.map_or(Value::UNDEFINED, Value::from))
}

fn length(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    Ok(match view(value) {
        View::Undefined | View::Null | View::Bool(false) => Value::from(0),
        View::Text(text) | View::Safe(text) => {
            runtime.spend(text.len() / 64)?;
            count(utf16::len(text))
        }
        View::Array(array) => count(array.len()),
        View::Dict(dict) => count(dict.entries().len()),
        View::Object => count(entries(value).len()),
        View::Bool(true) | View::Number(_) | View::Function(_) | View::Regex(_) => Value::UNDEFINED,
    })
}

fn list(runtime: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    match view(value) {
        View::Text(text) | View::Safe(text) => {
            runtime.grow(text.len().saturating_mul(size_of::<Value>()))?;
            runtime.array(
                utf16::characters(text)
                    .into_iter()
                    .map(Value::from)
                    .collect(),
            )
        }
        View::Dict(_) | View::Object => {
            let mut pairs = Vec::new();
            for (key, value) in entries(value) {
                let mut pair = Entries::new();
                pair.insert(Arc::from("key"), Value::from(&*key));
                pair.insert(Arc::from("value"), value);
                pairs.push(runtime.dict(pair)?);
            }
            runtime.array(pairs)
        }
        View::Array(_) => Ok(value.clone()),
        _ => Err(expected("an array, an object or a string", value)),
    }
}
