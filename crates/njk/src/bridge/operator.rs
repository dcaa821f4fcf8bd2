//! JavaScript's operators.

use std::cmp::Ordering;
use std::sync::Arc;

use minijinja::value::Value;

use super::{Helper, argument};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::value::compare::{loose, order, strict};
use crate::value::number;
use crate::value::text::{to_number, to_primitive, to_text};

pub(super) fn find(name: &str) -> Option<Helper> {
    Some(match name {
        "add" => add,
        "concat" => concat,
        "sub" => |runtime, left, right| numeric(runtime, left, right, |left, right| left - right),
        "mul" => |runtime, left, right| numeric(runtime, left, right, |left, right| left * right),
        "div" => |runtime, left, right| numeric(runtime, left, right, |left, right| left / right),
        "mod" => |runtime, left, right| numeric(runtime, left, right, |left, right| left % right),
        "floor" => |runtime, value, _| Ok(number::make(to_number(value, &runtime.budget)?.floor())),
        "pow" => |runtime, left, right| numeric(runtime, left, right, power),
        "neg" => |runtime, value, _| Ok(number::make(-to_number(value, &runtime.budget)?)),
        "pos" => |runtime, value, _| Ok(number::make(to_number(value, &runtime.budget)?)),
        "lt" => |runtime, left, right| ordered(runtime, left, right, Ordering::is_lt),
        "gt" => |runtime, left, right| ordered(runtime, left, right, Ordering::is_gt),
        "le" => |runtime, left, right| ordered(runtime, left, right, Ordering::is_le),
        "ge" => |runtime, left, right| ordered(runtime, left, right, Ordering::is_ge),
        "eq" => |runtime, left, right| equal(runtime, left, right).map(Value::from),
        "ne" => |runtime, left, right| Ok(Value::from(!equal(runtime, left, right)?)),
        "same" => |_, left, right| Ok(Value::from(strict(left, argument(right, 0)))),
        "differ" => |_, left, right| Ok(Value::from(!strict(left, argument(right, 0)))),
        _ => return None,
    })
}

/// `+`: strings are joined, everything else is added.
pub(crate) fn add(runtime: &Arc<Runtime>, left: &Value, right: &[Value]) -> Result<Value, Error> {
    let budget = &runtime.budget;
    let left = to_primitive(left, budget)?;
    let right = to_primitive(argument(right, 0), budget)?;
    if left.as_str().is_some() || right.as_str().is_some() {
        return joined(runtime, &left, &right);
    }
    let sum = to_number(&left, budget)? + to_number(&right, budget)?;
    Ok(number::make(sum))
}

fn concat(runtime: &Arc<Runtime>, left: &Value, right: &[Value]) -> Result<Value, Error> {
    joined(runtime, left, argument(right, 0))
}

fn joined(runtime: &Runtime, left: &Value, right: &Value) -> Result<Value, Error> {
    let budget = &runtime.budget;
    let (left, right) = (to_text(left, budget)?, to_text(right, budget)?);
    budget.string(left.len() + right.len())?;
    let mut text = String::with_capacity(left.len() + right.len());
    text.push_str(&left);
    text.push_str(&right);
    Ok(Value::from(text))
}

fn numeric(
    runtime: &Runtime,
    left: &Value,
    right: &[Value],
    operation: fn(f64, f64) -> f64,
) -> Result<Value, Error> {
    let left = to_number(left, &runtime.budget)?;
    let right = to_number(argument(right, 0), &runtime.budget)?;
    Ok(number::make(operation(left, right)))
}

/// JavaScript's power is not a number where IEEE's is 1. Its digits are those of the same
/// algorithm that V8 uses, on every platform.
#[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) {
        return f64::NAN;
    }
    libm::pow(base, exponent)
}

fn ordered(
    runtime: &Runtime,
    left: &Value,
    right: &[Value],
    wanted: fn(Ordering) -> bool,
) -> Result<Value, Error> {
    let order = order(left, argument(right, 0), &runtime.budget)?;
    Ok(Value::from(order.is_some_and(wanted)))
}

fn equal(runtime: &Runtime, left: &Value, right: &[Value]) -> Result<bool, Error> {
    loose(left, argument(right, 0), &runtime.budget)
}
