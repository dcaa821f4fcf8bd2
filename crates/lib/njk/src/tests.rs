//! The tests of Nunjucks, as in `x is odd`.

use minijinja::value::Value;
use std::cmp::Ordering;

use crate::error::{Error, ErrorKind};
use crate::native::{self, Native, argument};
use crate::runtime::Runtime;
use crate::value::compare::{order, strict};
use crate::value::text::to_number;
use crate::value::{View, as_text, is_present, type_name, view};

const TESTS: [(&str, Native); 26] = [
    ("callable", |_, value, _| {
        Ok(Value::from(matches!(view(value), View::Function(_))))
    }),
    ("defined", |_, value, _| {
        Ok(Value::from(!value.is_undefined()))
    }),
    ("divisibleby", |runtime, value, by| {
        remainder(runtime, value, argument(by, 0)).map(|rest| Value::from(rest == 0.0))
    }),
    ("escaped", |_, value, _| {
        Ok(Value::from(matches!(view(value), View::Safe(_))))
    }),
    ("equalto", equal),
    ("eq", equal),
    ("sameas", equal),
    ("even", |runtime, value, _| {
        remainder(runtime, value, &Value::from(2)).map(|rest| Value::from(rest == 0.0))
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
    ("null", |_, value, _| Ok(Value::from(value.is_none()))),
    ("number", |_, value, _| {
        Ok(Value::from(matches!(view(value), View::Number(_))))
    }),
    ("odd", |runtime, value, _| {
        remainder(runtime, value, &Value::from(2))
            .map(|rest| Value::from(rest.to_bits() == 1.0_f64.to_bits()))
    }),
    ("string", |_, value, _| {
        Ok(Value::from(matches!(view(value), View::Text(_))))
    }),
    ("truthy", |_, value, _| Ok(Value::from(value.is_true()))),
    ("undefined", |_, value, _| {
        Ok(Value::from(value.is_undefined()))
    }),
    ("iterable", iterable),
    ("mapping", |_, value, _| {
        let object = matches!(
            view(value),
            View::Dict(_) | View::Object | View::Safe(_) | View::Regex(_)
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
    match (view(value), as_text(value)) {
        (View::Text(text), _) => Ok(Value::from(convert(text) == text)),
        (_, Some(_)) => Ok(Value::from(false)),
        _ => Err(Error::bad_value(format!(
            "expected a string, not {}",
            type_name(value)
        ))),
    }
}

fn iterable(_: &Runtime, value: &Value, _: &[Value]) -> Result<Value, Error> {
    if !is_present(value) {
        return Err(Error::bad_value(format!(
            "{} has no members",
            type_name(value)
        )));
    }
    let iterable = matches!(view(value), View::Array(_) | View::Text(_) | View::Safe(_));
    Ok(Value::from(iterable))
}
