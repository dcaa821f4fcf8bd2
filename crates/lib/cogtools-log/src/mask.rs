//! Keeps secrets and personal data out of a session.
//!
//! Secrets are the values of variables that the agent names: a model or a tool may repeat a key that
//! it has seen. What a provider signs stays as it is. Personal data are addresses of e-mail,
//! telephone numbers, payment cards and bank accounts, each in its international form; what has a
//! check digit is masked only if that is right.

use cogtools_document::json::replace_texts;
use serde_json::{Map, Value};

/// The shortest value that is masked, in bytes: a shorter one occurs by accident.
const MIN_BYTES: usize = 8;
/// The fields that a provider compares with its own.
pub const SIGNATURES: [&str; 2] = ["thoughtSignature", "thought_signature"];

/// The secrets of a session.
#[derive(Clone, Default)]
pub struct Mask {
    /// Secrets and their replacements, the longest first.
    secrets: Vec<(String, String)>,
    /// Texts that a line contains if a secret is in it.
    probes: Vec<String>,
}

impl Mask {
    /// Masks the values of these variables, by name.
    pub fn new<N: AsRef<str>, V: AsRef<str>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut secrets = Vec::new();
        for (name, value) in variables {
            let value = value.as_ref();
            if value.len() < MIN_BYTES {
                continue;
            }
            let replacement = format!("[masked: {}]", name.as_ref());
            // Arguments are JSON in a JSON string, for some providers.
            for secret in [value.to_owned(), escape(value)] {
                if secrets.iter().all(|(other, _)| *other != secret) {
                    secrets.push((secret, replacement.clone()));
                }
            }
        }
        secrets.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
        let probes = secrets.iter().map(|(secret, _)| escape(secret)).collect();
        Self { secrets, probes }
    }

    /// Returns true if the JSON `text` may contain a secret.
    pub(crate) fn may_be_in(&self, text: &str) -> bool {
        let mut probes = self.probes.iter();
        probes.any(|probe| text.contains(probe.as_str()))
    }

    /// Masks every text in `value`, the keys of objects too, and numbers that are secrets.
    pub fn mask(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(masked) = self.masked(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(fields) => self.mask_fields(fields),
            // A part of another number is no secret, and the numbers of the log stay what they are.
            Value::Number(number) => {
                let text = number.to_string();
                let mut secrets = self.secrets.iter();
                if let Some((_, replacement)) = secrets.find(|(secret, _)| *secret == text) {
                    *value = replacement.as_str().into();
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn mask_fields(&self, fields: &mut Map<String, Value>) {
        for (key, value) in fields.iter_mut() {
            if !SIGNATURES.contains(&key.as_str()) {
                self.mask(value);
            }
        }
        if fields.keys().any(|key| self.masked(key).is_some()) {
            let old = std::mem::take(fields);
            let masked = |key: String| self.masked(&key).unwrap_or(key);
            fields.extend(old.into_iter().map(|(key, value)| (masked(key), value)));
        }
    }

    /// `text` without secrets, if it has any.
    pub fn masked(&self, text: &str) -> Option<String> {
        let mut masked: Option<String> = None;
        for (secret, replacement) in &self.secrets {
            let current = masked.as_deref().unwrap_or(text);
            if current.contains(secret.as_str()) {
                masked = Some(current.replace(secret.as_str(), replacement));
            }
        }
        masked
    }
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({} secrets)", self.secrets.len())
    }
}

/// `text` as in a JSON string, without the quotes.
fn escape(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The digits of a telephone number (E.164), and of a payment card (ISO/IEC 7812).
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;
const CARD_DIGITS: std::ops::RangeInclusive<usize> = 14..=19;
/// The characters of an IBAN (ISO 13616).
const IBAN_CHARS: std::ops::RangeInclusive<usize> = 15..=34;

/// Masks personal data in every text of `value`, the keys of objects too. Returns whether there
/// was any.
pub fn mask_personal(value: &mut Value) -> bool {
    replace_texts(value, &mut mask_text)
}

/// Masks personal data in a text. Returns whether there was any.
pub fn mask_text(text: &mut String) -> bool {
    let mut masked = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        let Some((kind, end)) = find(text.as_bytes(), at) else {
            at += 1;
            continue;
        };
        masked.extend([&text[copied..at], "[masked: ", kind, "]"]);
        (copied, at) = (end, end);
    }
    if copied == 0 {
        return false;
    }
    masked.push_str(&text[copied..]);
    *text = masked;
    true
}

/// Finds the datum that begins at `start`, and its end. Only ASCII is looked at, so that both are between
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

/// Returns true if a character can be before the `@`.
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

/// Returns true if a number goes on after its end.
fn goes_on(text: &[u8], end: usize) -> bool {
    text.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

fn phone(text: &[u8], start: usize) -> Option<usize> {
    let begins = matches!(text.get(start + 1), Some(b'1'..=b'9'));
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

/// Returns true if the last digit is the check digit of the others.
fn luhn(digits: &[u8]) -> bool {
    let digits = digits.iter().rev().enumerate();
    let counted = digits.map(|(place, digit)| match (place % 2, u32::from(*digit)) {
        (0, digit) => digit,
        (_, digit) if digit > 4 => digit * 2 - 9,
        (_, digit) => digit * 2,
    });
    counted.sum::<u32>().is_multiple_of(10)
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

    #[track_caller]
    fn check(mut value: Value, expected: &Value) {
        let mask = Mask::new([
            ("KEY", "s3cr3t-key"),
            ("LONGER", "s3cr3t-key-and-more"),
            ("QUOTED", "pass\"word\\"),
            ("SHORT", "abc"),
        ]);
        assert_eq!(
            mask.may_be_in(&value.to_string()),
            value != *expected,
            "{value}"
        );
        mask.mask(&mut value);
        assert_eq!(value, *expected);
    }

    #[test]
    fn a_number_that_is_a_secret_is_masked() {
        let mask = Mask::new([("PIN_TOKEN", "12345678")]);
        let mut value = json!({"a": [12_345_678, 123_456_789, "12345678"]});
        mask.mask(&mut value);
        let masked = "[masked: PIN_TOKEN]";
        assert_eq!(value, json!({"a": [masked, 123_456_789, masked]}));
    }

    #[test]
    fn a_secret_is_masked_wherever_it_is() {
        check(
            json!("a s3cr3t-key, s3cr3t-key"),
            &json!("a [masked: KEY], [masked: KEY]"),
        );
        check(json!("s3cr3t-key-and-more"), &json!("[masked: LONGER]"));
        check(
            json!({"a": [{"s3cr3t-key": 1}]}),
            &json!({"a": [{"[masked: KEY]": 1}]}),
        );
        check(
            json!("my pass\"word\\ is"),
            &json!("my [masked: QUOTED] is"),
        );
        // JSON in JSON.
        let inner = json!({"password": "pass\"word\\"}).to_string();
        check(json!(inner), &json!("{\"password\":\"[masked: QUOTED]\"}"));
        check(json!("abc s3cr3t"), &json!("abc s3cr3t"));
    }

    #[test]
    fn a_signature_stays_as_it_is() {
        let mask = Mask::new([("KEY", "s3cr3t-key")]);
        let mut value = json!({"thoughtSignature": "s3cr3t-key", "text": "s3cr3t-key"});
        mask.mask(&mut value);
        assert_eq!(
            value,
            json!({"thoughtSignature": "s3cr3t-key", "text": "[masked: KEY]"})
        );
    }

    #[test]
    fn a_secret_is_not_printed_for_debugging() {
        assert_eq!(
            format!("{:?}", Mask::new([("KEY", "s3cr3t-key")])),
            "Mask(1 secrets)"
        );
    }

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
