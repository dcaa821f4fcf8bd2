//! JavaScript's operators.

use std::cmp::Ordering;

use minijinja::value::Value;

use crate::ast::{Binary, Unary};
use crate::error::Error;
use crate::methods;
use crate::runtime::Runtime;
use crate::value::compare::{loose, order, strict};
use crate::value::number;
use crate::value::text::{to_number, to_primitive, to_text};
use crate::value::{View, type_name, view};

/// The result of a binary operator that needs both its operands.
pub(super) fn apply(
    runtime: &Runtime,
    operator: Binary,
    left: &Value,
    right: &Value,
) -> Result<Value, Error> {
    let numeric = |operation: fn(f64, f64) -> f64| -> Result<Value, Error> {
        let (left, right) = (to_number(left, runtime)?, to_number(right, runtime)?);
        Ok(number::make(operation(left, right)))
    };
    let ordered = |wanted: fn(Ordering) -> bool| -> Result<Value, Error> {
        let order = order(left, right, runtime)?;
        Ok(Value::from(order.is_some_and(wanted)))
    };
    match operator {
        Binary::Or => Ok(if left.is_true() { left } else { right }.clone()),
        Binary::And => Ok(if left.is_true() { right } else { left }.clone()),
        Binary::Equal => Ok(Value::from(loose(left, right, runtime)?)),
        Binary::Unequal => Ok(Value::from(!loose(left, right, runtime)?)),
        Binary::StrictEqual => Ok(Value::from(strict(left, right))),
        Binary::StrictUnequal => Ok(Value::from(!strict(left, right))),
        Binary::Less => ordered(Ordering::is_lt),
        Binary::Greater => ordered(Ordering::is_gt),
        Binary::LessEqual => ordered(Ordering::is_le),
        Binary::GreaterEqual => ordered(Ordering::is_ge),
        Binary::Add => add(runtime, left, right),
        Binary::Concat => joined(runtime, left, right),
        Binary::Subtract => numeric(|left, right| left - right),
        Binary::Multiply => numeric(|left, right| left * right),
        Binary::Divide => numeric(|left, right| left / right),
        Binary::Remainder => numeric(|left, right| left % right),
        Binary::Floor => numeric(|left, right| (left / right).floor()),
        Binary::Power => numeric(power),
    }
}

pub(super) fn apply_unary(
    runtime: &Runtime,
    operator: Unary,
    target: &Value,
) -> Result<Value, Error> {
    let number = || to_number(target, runtime);
    Ok(match operator {
        Unary::Not => Value::from(!target.is_true()),
        Unary::Minus => number::make(-number()?),
        Unary::Plus => number::make(number()?),
        Unary::Floor => number::make(number()?.floor()),
    })
}

/// `+`: strings are joined, everything else is added.
pub(crate) fn add(runtime: &Runtime, left: &Value, right: &Value) -> Result<Value, Error> {
    let (left, right) = (to_primitive(left, runtime)?, to_primitive(right, runtime)?);
    if left.as_str().is_some() || right.as_str().is_some() {
        return joined(runtime, &left, &right);
    }
    let sum = to_number(&left, runtime)? + to_number(&right, runtime)?;
    Ok(number::make(sum))
}

fn joined(runtime: &Runtime, left: &Value, right: &Value) -> Result<Value, Error> {
    let (left, right) = (to_text(left, runtime)?, to_text(right, runtime)?);
    runtime.string(left.len() + right.len())?;
    let mut text = String::with_capacity(left.len() + right.len());
    text.push_str(&left);
    text.push_str(&right);
    Ok(Value::from(text))
}

/// JavaScript's power is not a number where IEEE's is 1. Its digits equal the same
/// algorithm that V8 uses, on every platform.
#[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) {
        return f64::NAN;
    }
    libm::pow(base, exponent)
}

/// `item in container`.
pub(super) fn contains(runtime: &Runtime, item: &Value, container: &Value) -> Result<Value, Error> {
    let found = match view(container) {
        View::Array(array) => {
            let items = array.items();
            runtime.spend(items.len())?;
            items.iter().any(|other| strict(other, item))
        }
        View::Text(text) | View::Safe(text) => {
            runtime.spend(text.len() / 16)?;
            text.contains(&*to_text(item, runtime)?)
        }
        View::Dict(_) | View::Object => methods::has(runtime, container, item)?,
        _ => {
            let message = format!(
                "`in` needs an array, a string or an object, not {}",
                type_name(container)
            );
            return Err(Error::bad_value(message));
        }
    };
    Ok(Value::from(found))
}
