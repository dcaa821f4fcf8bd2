//! The tests of Nunjucks, as in `x is odd`.

use std::cmp::Ordering;

use crate::error::{Error, ErrorKind};
use crate::native::{self, Native, argument, expected, require_members};
use crate::runtime::Runtime;
use crate::value::Value;
use crate::value::compare::{order, strict};
use crate::value::text::to_number;

const TESTS: [(&str, Native); 26] = [
    ("callable", |_, value, _| {
        Ok(Value::from(matches!(value, Value::Function(_))))
    }),
    ("defined", |_, value, _| {
        Ok(Value::from(!value.is_undefined()))
    }),
    ("divisibleby", |runtime, value, by| {
        remainder(runtime, value, argument(by, 0)).map(|rest| Value::from(rest == 0.0))
    }),
    ("escaped", |_, value, _| {
        Ok(Value::from(matches!(value, Value::Safe(_))))
    }),
    ("equalto", equal),
    ("eq", equal),
    ("sameas", equal),
    ("even", |runtime, value, _| {
        remainder(runtime, value, &Value::from(2.0)).map(|rest| Value::from(rest == 0.0))
    }),
    ("falsy", |_, value, _| Ok(Value::from(!value.is_true()))),
    ("ge", |runtime, value, other| {
        ordered(runtime, value, other, Ordering::is_ge)
    }),
    ("greaterthan", greater),
    ("gt", greater),
    ("le", |runtime, value, other| {
        ordered(runtime, value, other, Ordering::is_le)
    }),
    ("lessthan", less),
    ("lt", less),
    ("lower", |_, value, _| cased(value, str::to_lowercase)),
    ("upper", |_, value, _| cased(value, str::to_uppercase)),
    ("ne", |_, value, other| {
        Ok(Value::from(!strict(value, argument(other, 0))))
    }),
    ("null", |_, value, _| {
        Ok(Value::from(matches!(value, Value::Null)))
    }),
    ("number", |_, value, _| {
        Ok(Value::from(matches!(value, Value::Number(_))))
    }),
    ("odd", |runtime, value, _| {
        remainder(runtime, value, &Value::from(2.0))
            .map(|rest| Value::from(rest.to_bits() == 1.0_f64.to_bits()))
    }),
    ("string", |_, value, _| {
        Ok(Value::from(matches!(value, Value::Text(_))))
    }),
    ("truthy", |_, value, _| Ok(Value::from(value.is_true()))),
    ("undefined", |_, value, _| {
        Ok(Value::from(value.is_undefined()))
    }),
    ("iterable", iterable),
    ("mapping", |_, value, _| {
        let object = matches!(
            value,
            Value::Dict(_) | Value::Special(_) | Value::Safe(_) | Value::Regex(_)
        );
        Ok(Value::from(object))
    }),
];

/// The test of that name.
pub(crate) fn find(name: &str) -> Option<Native> {
    let found = TESTS.iter().find(|(known, _)| *known == name);
    found.map(|(_, test)| *test)
}

/// The names of all tests.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TESTS.iter().map(|(name, _)| *name)
}

/// The test that a template names at run time.
pub(crate) fn named(name: &str) -> Result<Native, Error> {
    find(name).ok_or_else(|| unknown(name))
}

/// The error for a test that does not exist.
pub(crate) fn unknown(name: &str) -> Error {
    native::unknown(ErrorKind::UnknownTest, "test", name, &mut names())
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "all tests and filters have one signature"
)]
fn equal(_: &Runtime, value: &Value, other: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(strict(value, argument(other, 0))))
}

fn greater(runtime: &Runtime, value: &Value, other: &[Value]) -> Result<Value, Error> {
    ordered(runtime, value, other, Ordering::is_gt)
}

fn less(runtime: &Runtime, value: &Value, other: &[Value]) -> Result<Value, Error> {
    ordered(runtime, value, other, Ordering::is_lt)
}

fn ordered(
    runtime: &Runtime,
    value: &Value,
    other: &[Value],
    wanted: fn(Ordering) -> bool,
) -> Result<Value, Error> {
    let order = order(value, argument(other, 0), runtime)?;
    Ok(Value::from(order.is_some_and(wanted)))
}

fn remainder(runtime: &Runtime, value: &Value, by: &Value) -> Result<f64, Error> {
    let value = to_number(value, runtime)?;
    Ok(value % to_number(by, runtime)?)
}

fn cased(value: &Value, convert: fn(&str) -> String) -> Result<Value, Error> {
    match (value, value.as_text()) {
        (Value::Text(text), _) => Ok(Value::from(convert(text) == **text)),
        (_, Some(_)) => Ok(Value::from(false)),
        _ => Err(expected("a string", value)),
    }
}

fn iterable(_: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    require_members(value)?;
    let iterable = matches!(value, Value::Array(_) | Value::Text(_) | Value::Safe(_));
    Ok(Value::from(iterable))
}
