//! Filters of numbers.

use minijinja::value::Value;

use super::keywords;
use crate::error::Error;
use crate::evaluator::operator::power;
use crate::native::{Native, argument};
use crate::runtime::Runtime;
use crate::value::number::{make, parse_float, parse_int};
use crate::value::text::{to_number, to_text};

pub(super) const FILTERS: &[(&str, Native)] = &[
    ("abs", |runtime, value, _| {
        Ok(make(to_number(value, runtime)?.abs()))
    }),
    ("float", float),
    ("int", int),
    ("round", round),
];

fn float(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let number = parse_float(&to_text(value, runtime)?);
    Ok(if number.is_nan() {
        argument(arguments, 0).clone()
    } else {
        make(number)
    })
}

/// The one filter besides `sort` that takes its arguments by name.
fn int(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let (positional, named) = keywords(arguments);
    let named = |name: &str| named.and_then(|named| named.get(name)).cloned();
    let default = positional.first().cloned().or_else(|| named("default"));
    let base = positional.get(1).cloned().or_else(|| named("base"));
    let base = match &base {
        Some(base) if !base.is_undefined() => to_number(base, runtime)?,
        _ => 10.0,
    };
    let number = parse_int(&to_text(value, runtime)?, base);
    Ok(if number.is_nan() {
        default.unwrap_or_default()
    } else {
        make(number)
    })
}

fn round(runtime: &Runtime, value: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let number = to_number(value, runtime)?;
    let precision = argument(arguments, 0);
    let precision = if precision.is_true() {
        to_number(precision, runtime)?
    } else {
        0.0
    };
    let factor = power(10.0, precision);
    let scaled = number * factor;
    let rounded = match argument(arguments, 1).as_str() {
        Some("ceil") => scaled.ceil(),
        Some("floor") => scaled.floor(),
        _ => half_up(scaled),
    };
    Ok(make(rounded / factor))
}

/// JavaScript's `Math.round`: halves go up, and what is rounded to zero keeps its sign.
fn half_up(number: f64) -> f64 {
    let floor = number.floor();
    let rounded = if number - floor >= 0.5 {
        floor + 1.0
    } else {
        floor
    };
    rounded.copysign(number)
}
