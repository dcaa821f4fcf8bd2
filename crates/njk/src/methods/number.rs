//! The methods of numbers.

use std::sync::Arc;

use minijinja::value::Value;

use super::string::number as argument;
use crate::bridge::Helper;
use crate::error::Error;
use crate::runtime::Runtime;
use crate::value::number::{clamp, print, read, to_integer};
use crate::value::{View, view};

pub(super) fn find(name: &str) -> Option<Helper> {
    Some(match name {
        "toFixed" => to_fixed,
        "toPrecision" => to_precision,
        "toExponential" => to_exponential,
        "toString" => to_string,
        "toLocaleString" => |_, this, _| Ok(Value::from(grouped(value(this)))),
        _ => return None,
    })
}

fn value(this: &Value) -> f64 {
    match view(this) {
        View::Number(number) => number,
        _ => read(this),
    }
}

/// A number of digits between `least` and 100.
fn digits(runtime: &Runtime, arguments: &[Value], least: usize) -> Result<usize, Error> {
    let given = to_integer(argument(runtime, arguments, 0, 0.0)?);
    let digits = clamp(given, 101);
    if given < 0.0 || digits < least || digits > 100 {
        return Err(Error::bad_value(format!(
            "a number of digits must lie between {least} and 100"
        )));
    }
    Ok(digits)
}

/// A number with `digits` decimals, halves away from zero.
pub(crate) fn fixed(number: f64, digits: usize) -> String {
    // Enough decimals to distinguish an exact half from a value close to it.
    let exact = format!("{:.*}", digits + 60, number.abs());
    let end = exact.len() - 60;
    let (kept, rest) = exact.split_at(end);
    let half = rest.starts_with('5') && rest[1..].bytes().all(|digit| digit == b'0');
    let sign = if number < 0.0 { "-" } else { "" };
    if half {
        return format!("{sign}{}", increment(kept.trim_end_matches('.')));
    }
    format!("{sign}{:.*}", digits, number.abs())
}

/// The decimal number one unit in its last place above `digits`.
fn increment(digits: &str) -> String {
    let mut digits: Vec<u8> = digits.bytes().collect();
    for digit in digits.iter_mut().rev() {
        match *digit {
            b'9' => *digit = b'0',
            b'.' => {}
            _ => {
                *digit += 1;
                return String::from_utf8_lossy(&digits).into_owned();
            }
        }
    }
    format!("1{}", String::from_utf8_lossy(&digits))
}

fn to_fixed(runtime: &Arc<Runtime>, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let digits = digits(runtime, arguments, 0)?;
    let number = value(this);
    if !number.is_finite() || number.abs() >= 1e21 {
        return Ok(Value::from(print(number)));
    }
    let text = fixed(number, digits);
    let zero = text
        .trim_start_matches('-')
        .bytes()
        .all(|c| matches!(c, b'0' | b'.'));
    Ok(Value::from(if zero && number == 0.0 {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    }))
}

fn scientific(number: f64, decimals: Option<usize>) -> String {
    let text = match decimals {
        Some(decimals) => format!("{number:.decimals$e}"),
        None => format!("{number:e}"),
    };
    match text.split_once('e') {
        Some((mantissa, exponent)) if exponent.starts_with('-') => format!("{mantissa}e{exponent}"),
        Some((mantissa, exponent)) => format!("{mantissa}e+{exponent}"),
        None => text,
    }
}

fn to_exponential(
    runtime: &Arc<Runtime>,
    this: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    let number = value(this);
    if !number.is_finite() {
        return Ok(Value::from(print(number)));
    }
    let decimals = match arguments.first() {
        Some(given) if !given.is_undefined() => Some(digits(runtime, arguments, 0)?),
        _ => None,
    };
    Ok(Value::from(scientific(number, decimals)))
}

fn to_precision(runtime: &Arc<Runtime>, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let number = value(this);
    if arguments.first().is_none_or(Value::is_undefined) || !number.is_finite() {
        return Ok(Value::from(print(number)));
    }
    let precision = digits(runtime, arguments, 1)?;
    let text = format!("{:.*e}", precision - 1, number);
    let exponent = text
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse::<i64>().ok())
        .unwrap_or_default();
    let most = i64::try_from(precision).unwrap_or(i64::MAX);
    if exponent < -6 || exponent >= most {
        return Ok(Value::from(scientific(number, Some(precision - 1))));
    }
    let decimals = usize::try_from(most - 1 - exponent).unwrap_or_default();
    Ok(Value::from(fixed(number, decimals)))
}

#[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
fn to_string(runtime: &Arc<Runtime>, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let radix = to_integer(argument(runtime, arguments, 0, 10.0)?);
    if !(2.0..=36.0).contains(&radix) {
        return Err(Error::bad_value("a radix must lie between 2 and 36"));
    }
    let number = value(this);
    if radix == 10.0 || !number.is_finite() {
        return Ok(Value::from(print(number)));
    }
    Ok(Value::from(in_radix(number, radix)))
}

/// Digits in another base; fractions to about the available precision.
fn in_radix(number: f64, radix: f64) -> String {
    let digit = |value: f64| char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[clamp(value, 35)]);
    let mut whole = number.abs().trunc();
    let mut fraction = number.abs().fract();
    let mut text: Vec<char> = Vec::new();
    while whole >= 1.0 {
        text.push(digit(whole % radix));
        whole = (whole / radix).trunc();
    }
    if text.is_empty() {
        text.push('0');
    }
    if number < 0.0 {
        text.push('-');
    }
    text.reverse();
    let mut delta = (0.5 * (number.abs().next_up() - number.abs())).max(f64::MIN_POSITIVE);
    if fraction >= delta {
        text.push('.');
        while fraction >= delta {
            fraction *= radix;
            delta *= radix;
            text.push(digit(fraction.trunc()));
            fraction = fraction.fract();
            if fraction > 0.5 && fraction + delta > 1.0 {
                break;
            }
        }
    }
    text.into_iter().collect()
}

/// As written in English: groups of three, at most three decimals.
fn grouped(number: f64) -> String {
    if !number.is_finite() {
        return if number.is_nan() {
            "NaN"
        } else if number > 0.0 {
            "∞"
        } else {
            "-∞"
        }
        .to_owned();
    }
    let text = fixed(number, 3);
    let (sign, text) = text
        .strip_prefix('-')
        .map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let decimals = decimals.trim_end_matches('0');
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !decimals.is_empty() {
        grouped.push('.');
        grouped.push_str(decimals);
    }
    grouped
}
