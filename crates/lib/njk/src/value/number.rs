//! JavaScript's number type: how values are made, printed and parsed.

use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};

/// NaN, which minijinja would take for true.
#[derive(Debug)]
pub(crate) struct Nan;

impl Object for Nan {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        false
    }
}

/// Beyond this, not every integer is representable.
const MAX_SAFE: f64 = 9_007_199_254_740_992.0;

/// A whole number in the safe range. Of zeros there is one.
#[allow(
    clippy::cast_possible_truncation,
    reason = "only whole numbers in the range of i64 get there"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

/// A number as a value: whole ones as integers.
pub(crate) fn make(number: f64) -> Value {
    if number.is_nan() {
        Value::from_object(Nan)
    } else if number.fract() == 0.0
        && number.abs() < MAX_SAFE
        && !(number == 0.0 && number.is_sign_negative())
    {
        Value::from(whole(number))
    } else {
        Value::from(number)
    }
}

/// A count as a value.
pub(crate) fn count(count: usize) -> Value {
    Value::from(u64::try_from(count).unwrap_or(u64::MAX))
}

/// The number of a numeric value.
pub(crate) fn read(value: &Value) -> f64 {
    f64::try_from(value.clone()).unwrap_or(f64::NAN)
}

/// A numeric value as JavaScript prints it, except that large integers of the context are exact.
pub(crate) fn text(value: &Value) -> String {
    let number = read(value);
    if value.is_integer() && number.abs() >= MAX_SAFE {
        return value.to_string();
    }
    print(number)
}

/// A number as JavaScript prints it.
pub(crate) fn print(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    if number.fract() == 0.0 && number.abs() < MAX_SAFE {
        return whole(number).to_string();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    // The shortest digits that parse to the same number, and the position of the
    // point.
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    format!("{sign}{}", place(&digits, point))
}

/// `digits` with a decimal point after the first `point` of them.
fn place(digits: &str, point: i32) -> String {
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    if count <= point && point <= 21 {
        return format!("{digits}{}", zeros(point - count));
    }
    if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or_default());
        return format!("{whole}.{fraction}");
    }
    if -6 < point && point <= 0 {
        return format!("0.{}{digits}", zeros(-point));
    }
    let exponent = point - 1;
    let sign = if exponent < 0 { '-' } else { '+' };
    let (first, rest) = digits.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{first}{dot}{rest}e{sign}{}", exponent.abs())
}

/// The number in a whole string; NaN if it is not a number.
pub(crate) fn parse(text: &str) -> f64 {
    let text = text.trim_matches(crate::lexer::is_space);
    if text.is_empty() {
        return 0.0;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        let head = text.get(..2).unwrap_or_default();
        if head.eq_ignore_ascii_case(prefix) {
            let digits = &text[2..];
            let legal = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            return if legal {
                digits_value(digits, radix)
            } else {
                f64::NAN
            };
        }
    }
    match decimal(text) {
        Some((number, "")) => number,
        _ => f64::NAN,
    }
}

/// JavaScript's `parseFloat`.
pub(crate) fn parse_float(text: &str) -> f64 {
    let text = text.trim_start_matches(crate::lexer::is_space);
    decimal(text).map_or(f64::NAN, |(number, _)| number)
}

/// The decimal number at the start of `text`, and what follows it.
fn decimal(text: &str) -> Option<(f64, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(rest) = unsigned.strip_prefix("Infinity") {
        let number = if text.starts_with('-') {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        return Some((number, rest));
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let mut end = whole;
    let mut fraction = 0;
    if unsigned[end..].starts_with('.') {
        fraction = digits(&unsigned[end + 1..]);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if let Some(exponent) = unsigned[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let count = digits(&exponent[sign..]);
        if count > 0 {
            end += 1 + sign + count;
        }
    }
    let end = text.len() - unsigned.len() + end;
    let number = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}

/// JavaScript's `parseInt`; `radix` 0 means the default.
pub(crate) fn parse_int(text: &str, radix: f64) -> f64 {
    let text = text.trim_matches(crate::lexer::is_space);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let hex = unsigned
        .get(..2)
        .is_some_and(|head| head.eq_ignore_ascii_case("0x"));
    let radix = to_i32(radix);
    let (radix, digits) = match radix {
        0 | 16 if hex => (16, &unsigned[2..]),
        0 => (10, unsigned),
        2..=36 => (radix.unsigned_abs(), unsigned),
        _ => return f64::NAN,
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    if end == 0 {
        return f64::NAN;
    }
    let value = digits_value(&digits[..end], radix);
    if text.starts_with('-') { -value } else { value }
}

fn digits_value(digits: &str, radix: u32) -> f64 {
    if radix == 10 {
        return digits.parse().unwrap_or(f64::NAN);
    }
    let digits = digits.chars().filter_map(|c| c.to_digit(radix));
    digits.fold(0.0, |value, digit| {
        value * f64::from(radix) + f64::from(digit)
    })
}

/// JavaScript's conversion to a 32-bit integer.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "wrapping is what the conversion is defined to do"
)]
pub(crate) fn to_i32(number: f64) -> i32 {
    if !number.is_finite() {
        return 0;
    }
    number.trunc().rem_euclid(4_294_967_296.0) as u32 as i32
}

/// JavaScript's conversion to a 32-bit integer without a sign: -1 is the largest.
#[allow(
    clippy::cast_sign_loss,
    reason = "wrapping is what the conversion is defined to do"
)]
pub(crate) fn to_u32(number: f64) -> u32 {
    to_i32(number) as u32
}

/// A number as an integer, NaN as 0, infinities unchanged.
pub(crate) fn to_integer(number: f64) -> f64 {
    if number.is_nan() { 0.0 } else { number.trunc() }
}

/// A position counted from the start, or from the end if negative, as in the
/// methods of strings and arrays.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the number is clamped to the length first"
)]
pub(crate) fn relative(number: f64, len: usize) -> usize {
    let number = to_integer(number);
    let from_end = if number < 0.0 {
        number + len as f64
    } else {
        number
    };
    from_end.clamp(0.0, len as f64) as usize
}

/// A position clamped to `0..=len`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the number is clamped to the length first"
)]
pub(crate) fn clamp(number: f64, len: usize) -> usize {
    to_integer(number).clamp(0.0, len as f64) as usize
}

/// A length as a number.
#[allow(
    clippy::cast_precision_loss,
    reason = "no length in memory is beyond 2^53"
)]
pub(crate) fn of(len: usize) -> f64 {
    len as f64
}
