//! Numbers in the syntax of RFC 8259, and in other notations.

use std::borrow::Cow;

/// Whether `text` is a number of RFC 8259.
pub(crate) fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (integer, rest) = digits(text);
    if integer.is_empty() || integer.len() > 1 && integer.starts_with('0') {
        return false;
    }
    let rest = match rest.strip_prefix('.') {
        Some(rest) => match digits(rest) {
            ("", _) => return false,
            (_, rest) => rest,
        },
        None => rest,
    };
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else {
        return rest.is_empty();
    };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    matches!(digits(exponent), (digits, "") if !digits.is_empty())
}

fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The number of RFC 8259 that `text` is in another notation: `+1`, `.5`, `1.`, `1_000`,
/// `0xff`, `1n`, and `2e`, which was cut off. Leading zeros are not among them: what has
/// them is an identifier as often as a number.
pub(super) fn rewrite(text: &str) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let number = u64::from_str_radix(hex, 16).ok()?;
        return Some(format!("{sign}{number}"));
    }
    let rest = rest.strip_suffix('n').unwrap_or(rest);
    let mut rest = without_separators(rest)?.into_owned();
    if rest.starts_with('.') {
        rest.insert(0, '0');
    }
    if rest.ends_with(['.', 'e', 'E', '+', '-']) {
        rest.push('0');
    } else if let Some(at) = rest.find(".e").or_else(|| rest.find(".E")) {
        rest.insert(at + 1, '0');
    }
    let number = format!("{sign}{rest}");
    is_number(&number).then_some(number)
}

/// `1_000` as `1000`, if each underscore is between digits.
fn without_separators(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(text.into());
    }
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split('_');
    parts
        .clone()
        .all(is_digits)
        .then(|| parts.by_ref().collect::<String>().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_json_are_numbers() {
        for text in ["0", "-0", "10", "0.0", "1e5", "1E+5", "-1.5e-3"] {
            assert!(is_number(text), "{text}");
        }
        for text in [
            "", "-", "01", "-01", ".5", "1.", "1e", "1e+", "+1", "0x1", "1 ", "1.e1", "١",
        ] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn other_notations_are_rewritten() {
        for (text, expected) in [
            ("+1", Some("1")),
            (".5", Some("0.5")),
            ("-.5", Some("-0.5")),
            ("1.", Some("1.0")),
            ("1.e3", Some("1.0e3")),
            ("2e", Some("2e0")),
            ("2e+", Some("2e+0")),
            ("1_000", Some("1000")),
            ("0xFF", Some("255")),
            ("-0x10", Some("-16")),
            ("12n", Some("12")),
            ("01", None),
            ("0789", None),
            ("1__0", None),
            ("_1", None),
            ("1_", None),
            ("0x", None),
            ("-", None),
            (".", None),
            ("...", None),
            ("0.0.1", None),
            ("12-34", None),
            ("2e3.4", None),
            ("5n1", None),
        ] {
            assert_eq!(rewrite(text).as_deref(), expected, "{text}");
        }
    }
}
