//! Keeps personal data out of lines: addresses of e-mail, telephone numbers, payment cards and
//! bank accounts, each in the form that it has all over the world.
//!
//! What has a check digit is masked only if that is right; a telephone number begins with `+`.

use serde_json::{Map, Value};

/// How many digits a telephone number has (E.164), and a payment card (ISO/IEC 7812).
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;
const CARD_DIGITS: std::ops::RangeInclusive<usize> = 14..=19;
/// How many characters an IBAN has (ISO 13616).
const IBAN_CHARS: std::ops::RangeInclusive<usize> = 15..=34;

/// Masks personal data in every text of `value`, the keys of objects too. Returns whether there
/// was any.
pub fn mask_personal(value: &mut Value) -> bool {
    match value {
        Value::String(text) => mask_text(text),
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |masked, item| mask_personal(item) | masked),
        Value::Object(fields) => mask_fields(fields),
        Value::Number(number) => {
            let mut text = number.to_string();
            let is_masked = mask_text(&mut text);
            if is_masked {
                *value = text.into();
            }
            is_masked
        }
        Value::Null | Value::Bool(_) => false,
    }
}

/// The same in a text.
pub fn mask_text(text: &mut String) -> bool {
    let mut masked = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        let Some((kind, end)) = find(text.as_bytes(), at) else {
            at += 1;
            continue;
        };
        masked.push_str(&text[copied..at]);
        masked.push_str("[masked: ");
        masked.push_str(kind);
        masked.push(']');
        (copied, at) = (end, end);
    }
    if copied == 0 {
        return false;
    }
    masked.push_str(&text[copied..]);
    *text = masked;
    true
}

fn mask_fields(fields: &mut Map<String, Value>) -> bool {
    let mut is_masked = false;
    for (mut key, mut value) in std::mem::take(fields) {
        is_masked |= mask_text(&mut key);
        is_masked |= mask_personal(&mut value);
        fields.insert(key, value);
    }
    is_masked
}

/// What begins at `start`, and where it ends. Only ASCII is looked at, so that both are between
/// characters.
fn find(text: &[u8], start: usize) -> Option<(&'static str, usize)> {
    let before = start.checked_sub(1).map(|at| text[at]);
    // A run of such characters is read once, from its beginning.
    if !before.is_some_and(is_local)
        && let Some(end) = email(text, start)
    {
        return Some(("email", end));
    }
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let found = match text[start] {
        b'+' => ("phone", phone(text, start)?),
        b'0'..=b'9' => ("card", card(text, start)?),
        b'A'..=b'Z' => ("iban", iban(text, start)?),
        _ => return None,
    };
    Some(found)
}

/// Whether a character can be before the `@`.
const fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn email(text: &[u8], start: usize) -> Option<usize> {
    let at = start + text[start..].iter().position(|byte| !is_local(*byte))?;
    if at == start || text[at] != b'@' {
        return None;
    }
    let is_domain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let domain = &text[at + 1..];
    let len = domain.iter().take_while(|byte| is_domain(byte)).count();
    // The end of a sentence is no part of it.
    let len = domain[..len].iter().rposition(u8::is_ascii_alphanumeric)? + 1;
    let top = domain[..len].rsplit(|byte| *byte == b'.').next()?;
    let has_top = top.len() >= 2 && top.len() < len && top.iter().all(u8::is_ascii_alphabetic);
    has_top.then_some(at + 1 + len)
}

/// The digits from `start` on, at most `most`, with one of `separators` or none between them, and
/// the end of the last one.
fn digits(text: &[u8], start: usize, most: usize, separators: &[u8]) -> (Vec<u8>, usize) {
    let (mut digits, mut end, mut gap) = (Vec::new(), start, 0);
    for (at, byte) in text.iter().enumerate().skip(start) {
        if byte.is_ascii_digit() && digits.len() <= most {
            digits.push(byte - b'0');
            (end, gap) = (at + 1, 0);
        } else if separators.contains(byte) && gap < 2 {
            gap += 1;
        } else {
            break;
        }
    }
    (digits, end)
}

/// Whether a number goes on after its end.
fn goes_on(text: &[u8], end: usize) -> bool {
    text.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

fn phone(text: &[u8], start: usize) -> Option<usize> {
    let begins = text
        .get(start + 1)
        .is_some_and(|byte| matches!(byte, b'1'..=b'9'));
    let (digits, end) = digits(text, start + 1, *PHONE_DIGITS.end(), b" -.()");
    (begins && PHONE_DIGITS.contains(&digits.len()) && !goes_on(text, end)).then_some(end)
}

fn card(text: &[u8], start: usize) -> Option<usize> {
    // The networks whose cards people pay with.
    let begins = matches!(text[start], b'2'..=b'6');
    let (digits, end) = digits(text, start, *CARD_DIGITS.end(), b" -");
    let is_valid = CARD_DIGITS.contains(&digits.len()) && luhn(&digits);
    (begins && is_valid && !goes_on(text, end)).then_some(end)
}

/// Whether the last digit is the check digit of the others.
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn iban(text: &[u8], start: usize) -> Option<usize> {
    let [b'A'..=b'Z', b'A'..=b'Z', b'0'..=b'9', b'0'..=b'9', ..] = &text[start..] else {
        return None;
    };
    let (mut account, mut end) = (Vec::new(), start);
    for (at, byte) in text.iter().enumerate().skip(start) {
        if matches!(byte, b'A'..=b'Z' | b'0'..=b'9') && account.len() <= *IBAN_CHARS.end() {
            account.push(*byte);
            end = at + 1;
        // It is written in groups of four.
        } else if *byte != b' ' || at != end || account.len() % 4 != 0 {
            break;
        }
    }
    // Words in capitals may follow: the longest beginning that is one counts.
    while account.len() >= *IBAN_CHARS.start() {
        if IBAN_CHARS.contains(&account.len()) && !goes_on(text, end) && remainder(&account) == 1 {
            return Some(end);
        }
        account.pop();
        end -= 1;
        while text[end - 1] == b' ' {
            end -= 1;
        }
    }
    None
}

/// The remainder by 97 of the number that an account stands for: its first four characters come
/// last, and letters count from 10 on.
fn remainder(account: &[u8]) -> u32 {
    let (first, rest) = account.split_at(4);
    rest.iter().chain(first).fold(0, |remainder, byte| {
        let value = match byte {
            b'0'..=b'9' => u32::from(byte - b'0'),
            byte => u32::from(byte - b'A') + 10,
        };
        let shift = if value < 10 { 10 } else { 100 };
        (remainder * shift + value) % 97
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn personal_data_is_masked() {
        for (text, expected) in [
            ("to ann.lee+x@mail.example.org.", "to [masked: email]."),
            (
                "<ann@example.org>,bob@b.de",
                "<[masked: email]>,[masked: email]",
            ),
            ("call +49 (30) 123-456 78!", "call [masked: phone]!"),
            ("4111 1111 1111 1111", "[masked: card]"),
            ("3782-822463-10005", "[masked: card]"),
            ("5555555555554444.", "[masked: card]."),
            ("DE89 3704 0044 0532 0130 00 OK", "[masked: iban] OK"),
            ("GB82WEST12345698765432", "[masked: iban]"),
            ("é ann@example.org ü", "é [masked: email] ü"),
        ] {
            let mut masked = text.to_owned();
            assert!(mask_text(&mut masked), "{text}");
            assert_eq!(masked, expected);
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "",
            "@",
            "a@b",
            "me@localhost",
            "@scope/package@1.2.3",
            "npm i x@1.0.0",
            "1 + 23456789",
            "c++11 1763900000000 1763900000000000000",
            "4111 1111 1111 1112",
            "sha 41111111111111111111111111",
            "+123",
            "DE88370400440532013000",
            "AB12",
            "2026-11-22T10:00:00.000Z",
        ] {
            let mut masked = text.to_owned();
            assert!(!mask_text(&mut masked), "{text}: {masked}");
            assert_eq!(masked, text);
        }
    }

    #[test]
    fn keys_and_numbers_are_masked() {
        let mut value = json!({"a@b.org": [4_111_111_111_111_111_u64, 7], "x": null});
        assert!(mask_personal(&mut value));
        let expected = json!({"[masked: email]": ["[masked: card]", 7], "x": null});
        assert_eq!(value, expected);
    }

    #[test]
    fn time_is_linear() {
        let began = std::time::Instant::now();
        for part in ["a", "a-", "+1 ", "4 ", "DE89 ", "a@", "a@b.", "1"] {
            mask_text(&mut part.repeat(200_000));
        }
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }
}
