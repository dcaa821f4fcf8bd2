//! The methods of numbers.

use crate::error::Error;
use crate::native::{self, Native};
use crate::runtime::Runtime;
use crate::value::Value;
use crate::value::number::{clamp, print, to_integer};
use crate::value::text::to_text;

pub(super) fn find(name: &str) -> Option<Native> {
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
    match this {
        Value::Number(number) => number.value,
        _ => f64::NAN,
    }
}

/// A number of digits between `least` and 100.
fn digits(runtime: &Runtime, arguments: &[Value], least: usize) -> Result<usize, Error> {
    let given = to_integer(native::number(runtime, arguments, 0, 0.0)?);
    let digits = clamp(given, 101);
    if given < 0.0 || digits < least || digits > 100 {
        return Err(Error::bad_value(format!(
            "a number of digits must lie between {least} and 100"
        )));
    }
    Ok(digits)
}

/// The sign of a number below zero.
fn sign(number: f64) -> &'static str {
    if number < 0.0 { "-" } else { "" }
}

fn to_fixed(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let digits = digits(runtime, arguments, 0)?;
    let number = value(this);
    if !number.is_finite() || number.abs() >= 1e21 {
        return Ok(Value::from(print(number)));
    }
    let digits = u8::try_from(digits).unwrap_or(100);
    let mut buffer = ryu_js::Buffer::new();
    Ok(Value::from(buffer.format_to_fixed(number, digits)))
}

fn to_exponential(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let number = value(this);
    if !number.is_finite() {
        return Ok(Value::from(print(number)));
    }
    let decimal = match arguments.first() {
        Some(given) if !given.is_undefined() => {
            Decimal::rounded(number.abs(), digits(runtime, arguments, 0)? + 1)
        }
        _ => Decimal::shortest(number.abs()),
    };
    let text = decimal.scientific();
    Ok(Value::from(format!("{}{text}", sign(number))))
}

fn to_precision(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let number = value(this);
    if arguments.first().is_none_or(Value::is_undefined) || !number.is_finite() {
        return Ok(Value::from(print(number)));
    }
    let precision = digits(runtime, arguments, 1)?;
    let decimal = Decimal::rounded(number.abs(), precision);
    let exponent = decimal.exponent();
    let text = if exponent < -6 || i64::from(exponent) >= i64::try_from(precision).unwrap_or(101) {
        decimal.scientific()
    } else {
        decimal.plain()
    };
    Ok(Value::from(format!("{}{text}", sign(number))))
}

#[allow(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
fn to_string(runtime: &Runtime, this: &Value, arguments: &[Value]) -> Result<Value, Error> {
    let radix = to_integer(native::number(runtime, arguments, 0, 10.0)?);
    if !(2.0..=36.0).contains(&radix) {
        return Err(Error::bad_value("a radix must lie between 2 and 36"));
    }
    let number = value(this);
    if radix == 10.0 || !number.is_finite() {
        return Ok(Value::from(to_text(this, runtime)?));
    }
    Ok(Value::from(in_radix(number, radix)))
}

/// From here on, not every integer is representable: digits that are not become zeros.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Digits in another base: the fewest that distinguish the number from its neighbours.
fn in_radix(number: f64, radix: f64) -> String {
    let digit = |value: f64| char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[clamp(value, 35)]);
    let (mut whole, fraction) = fraction_digits(number.abs(), radix);
    let mut text: Vec<char> = Vec::new();
    while whole / radix >= MAX_EXACT {
        whole /= radix;
        text.push('0');
    }
    loop {
        let remainder = whole % radix;
        text.push(digit(remainder));
        whole = (whole - remainder) / radix;
        if whole <= 0.0 {
            break;
        }
    }
    text.extend(sign(number).chars());
    text.reverse();
    if !fraction.is_empty() {
        text.push('.');
        text.extend(fraction.into_iter().map(digit));
    }
    text.into_iter().collect()
}

/// The whole part of a number, which rounding may have raised, and the digits after the point.
#[allow(clippy::float_cmp, reason = "a half is exact")]
fn fraction_digits(number: f64, radix: f64) -> (f64, Vec<f64>) {
    let whole = number.floor();
    let mut fraction = number - whole;
    let mut digits = Vec::new();
    // Half the distance to the next number: what is smaller is not part of this one.
    let mut delta = (0.5 * (number.next_up() - number)).max(f64::from_bits(1));
    while fraction >= delta {
        fraction *= radix;
        delta *= radix;
        let digit = fraction.trunc();
        digits.push(digit);
        fraction -= digit;
        let up = fraction > 0.5 || fraction == 0.5 && digit % 2.0 == 1.0;
        if up && fraction + delta > 1.0 {
            while let Some(digit) = digits.pop() {
                if digit + 1.0 < radix {
                    digits.push(digit + 1.0);
                    return (whole, digits);
                }
            }
            return (whole + 1.0, digits);
        }
    }
    (whole, digits)
}

/// As written in English: groups of three, at most three decimals.
fn grouped(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if !number.is_finite() {
        return if number.is_nan() {
            "NaN".to_owned()
        } else {
            format!("{sign}∞")
        };
    }
    let text = cut(&number.abs().to_string(), 3);
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
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

/// No number has more significant digits than this.
const EXACT: usize = 780;

/// The digits of a number that is finite and not negative: `d.ddd` times ten to `exponent`.
pub(super) struct Decimal {
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// `number` with that many significant digits, at least one.
    pub(super) fn rounded(number: f64, count: usize) -> Self {
        let mut exact = Self::parse(&format!("{number:.EXACT$e}"));
        let rest = exact.digits.split_off(count.min(exact.digits.len()));
        if rest.starts_with(['5', '6', '7', '8', '9']) {
            let length = exact.digits.len();
            exact.digits = increment(&exact.digits);
            if exact.digits.len() > length {
                exact.digits.truncate(length);
                exact.exponent += 1;
            }
        }
        exact
    }

    /// The fewest digits that distinguish `number` from all others.
    pub(super) fn shortest(number: f64) -> Self {
        Self::parse(&format!("{number:e}"))
    }

    /// Reads a number in Rust's scientific form.
    fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        Self {
            digits: mantissa.chars().filter(|c| *c != '.').collect(),
            exponent: exponent.parse().unwrap_or_default(),
        }
    }

    /// The power of ten of the first digit.
    pub(super) fn exponent(&self) -> i32 {
        self.exponent
    }

    /// `1.25e+2`.
    pub(super) fn scientific(&self) -> String {
        let (first, rest) = self.digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("{first}{dot}{rest}e{sign}{}", self.exponent.unsigned_abs())
    }

    /// `125.0`, for an exponent that is smaller than the number of digits.
    pub(super) fn plain(&self) -> String {
        let Ok(exponent) = usize::try_from(self.exponent) else {
            let zeros = self.exponent.unsigned_abs() as usize - 1;
            return format!("0.{}{}", "0".repeat(zeros), self.digits);
        };
        match self.digits.split_at_checked(exponent + 1) {
            Some((whole, "")) => whole.to_owned(),
            Some((whole, fraction)) => format!("{whole}.{fraction}"),
            None => self.digits.clone(),
        }
    }
}

/// The decimal number in `text`, which is not negative, with `decimals` of its decimals.
pub(super) fn cut(text: &str, decimals: usize) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let kept = &fraction[..decimals.min(fraction.len())];
    let dot = if decimals == 0 { "" } else { "." };
    let number = format!("{whole}{dot}{kept:0<decimals$}");
    if fraction[kept.len()..].starts_with(['5', '6', '7', '8', '9']) {
        increment(&number)
    } else {
        number
    }
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
