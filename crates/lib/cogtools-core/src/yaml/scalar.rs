//! The values of plain scalars: the core schema of YAML 1.2.
//!
//! `yes`, `no`, `on`, `off` and `1_000` are strings, as in YAML 1.2. What YAML parsers
//! read differently is an error, not a guess.

use serde_json::Number;

use super::error::YamlErrorKind;
use super::node::Data;

/// The value of the plain scalar `text`.
pub(super) fn resolve(text: &str) -> Result<Data, YamlErrorKind> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Data::Null),
        "true" | "True" | "TRUE" => return Ok(Data::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Data::Bool(false)),
        _ => {}
    }
    let string = || {
        Ok(Data::Text {
            text: text.to_owned(),
            block: None,
        })
    };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let Some(first) = unsigned.bytes().next() else {
        return string();
    };
    if first != b'.' && !first.is_ascii_digit() {
        return string();
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(YamlErrorKind::NotFinite(text.to_owned()));
    }
    if let Some(integer) = integer(text, unsigned)? {
        return Ok(Data::Number(integer));
    }
    if is_float(unsigned) {
        // The largest exponents are YAML but not finite.
        let number = text.parse::<f64>().ok().and_then(Number::from_f64);
        return number
            .map(Data::Number)
            .ok_or_else(|| YamlErrorKind::TooBig(text.to_owned()));
    }
    string()
}

fn integer(text: &str, unsigned: &str) -> Result<Option<Number>, YamlErrorKind> {
    let (digits, radix) = match unsigned.as_bytes() {
        [b'0', b'x', rest @ ..] if !rest.is_empty() => (&unsigned[2..], 16),
        [b'0', b'o', rest @ ..] if !rest.is_empty() => (&unsigned[2..], 8),
        _ => (unsigned, 10),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Ok(None);
    }
    if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
        return Err(YamlErrorKind::LeadingZero(text.to_owned()));
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let signed = i64::from_str_radix(&format!("{sign}{digits}"), radix).map(Number::from);
    signed
        .or_else(|error| match sign {
            "" => u64::from_str_radix(digits, radix).map(Number::from),
            _ => Err(error),
        })
        .map(Some)
        .map_err(|_| YamlErrorKind::TooBig(text.to_owned()))
}

/// `[0-9]+(\.[0-9]*)?` or `\.[0-9]+`, and an optional exponent.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    exponent && digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::yaml::Node;

    fn check(text: &str, expected: &Value) {
        let data = resolve(text).unwrap();
        let node = Node {
            data,
            span: crate::text::Span { start: 0, end: 0 },
        };
        assert_eq!(&node.to_json(), expected, "{text}");
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        for (text, expected) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("True", json!(true)),
            ("yes", json!("yes")),
            ("on", json!("on")),
            ("1_000", json!("1_000")),
            ("12", json!(12)),
            ("+12", json!(12)),
            ("-12", json!(-12)),
            ("0", json!(0)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("1.", json!(1.0)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("-", json!("-")),
            ("1.2.3", json!("1.2.3")),
            ("2026-11-21", json!("2026-11-21")),
            (
                "18446744073709551615",
                json!(18_446_744_073_709_551_615_u64),
            ),
            ("0x", json!("0x")),
        ] {
            check(text, &expected);
        }
    }

    #[test]
    fn scalars_that_yaml_parsers_read_differently_are_errors() {
        for (text, expected) in [
            (".inf", "`.inf` cannot be represented in JSON"),
            ("-.INF", "`-.INF` cannot be represented in JSON"),
            (".nan", "`.nan` cannot be represented in JSON"),
            (
                "017",
                "`017` is octal for some YAML parsers and decimal for others",
            ),
            (
                "18446744073709551616",
                "`18446744073709551616` does not fit in 64 bits",
            ),
            (
                "-9223372036854775809",
                "`-9223372036854775809` does not fit in 64 bits",
            ),
            ("1e999", "`1e999` does not fit in 64 bits"),
        ] {
            assert_eq!(resolve(text).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
