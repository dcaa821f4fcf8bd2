//! JavaScript's number type: how values are made, printed and parsed.

use std::num::NonZeroU64;

/// A number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) value: f64,
    /// The magnitude of an integer of the context that no `f64` may hold: it prints as it is, and
    /// is rounded by arithmetic.
    magnitude: Option<NonZeroU64>,
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self {
            value,
            magnitude: None,
        }
    }
}

impl From<&serde_json::Number> for Number {
    fn from(number: &serde_json::Number) -> Self {
        let unsigned = number
            .as_u64()
            .or_else(|| Some(number.as_i64()?.unsigned_abs()));
        Self {
            value: number.as_f64().unwrap_or(f64::NAN),
            magnitude: unsigned
                .filter(|size| *size > 1 << 53)
                .and_then(NonZeroU64::new),
        }
    }
}

impl Number {
    /// The number as JavaScript prints it, except that large integers of the context are exact.
    pub(crate) fn text(self) -> String {
        match self.magnitude {
            Some(digits) if self.value < 0.0 => format!("-{digits}"),
            Some(digits) => digits.to_string(),
            None => print(self.value),
        }
    }
}

/// A number as JavaScript prints it.
pub(crate) fn print(number: f64) -> String {
    ryu_js::Buffer::new().format(number).to_owned()
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
pub(crate) fn relative(number: f64, len: usize) -> usize {
    let number = to_integer(number);
    clamp(
        if number < 0.0 {
            number + of(len)
        } else {
            number
        },
        len,
    )
}

/// A position clamped to `0..=len`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is clamped to the length first"
)]
pub(crate) fn clamp(number: f64, len: usize) -> usize {
    to_integer(number).clamp(0.0, of(len)) as usize
}

/// A length as a number.
#[allow(
    clippy::cast_precision_loss,
    reason = "no length in memory is beyond 2^53"
)]
pub(crate) fn of(len: usize) -> f64 {
    len as f64
}
