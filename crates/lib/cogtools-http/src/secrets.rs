//! Secrets that no output shows, in every form in which a server may repeat them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use cogtools_document::json::replace_texts;
use cogtools_process::http::percent_encode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// The text in place of a secret.
const REDACTED: &str = "[redacted]";

/// Secrets, the longest form first.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// Adds a secret, and its encoded forms.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.is_empty() {
            return;
        }
        let percent = percent_encode(secret);
        let json = Value::from(secret).to_string();
        let mut forms = vec![
            secret.to_owned(),
            // A header is Latin-1 for many servers.
            secret.bytes().map(char::from).collect(),
            percent.to_ascii_lowercase(),
            percent.replace("%20", "+"),
            utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string(),
            percent,
            json[1..json.len() - 1].to_owned(),
        ];
        for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
            forms.push(engine.encode(secret));
        }
        self.0.extend(forms);
        self.0
            .sort_unstable_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        self.0.dedup();
    }

    /// Replaces every secret in `text`.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for form in &self.0 {
            if text.contains(form.as_str()) {
                text = text.replace(form.as_str(), REDACTED);
            }
        }
        text
    }

    /// Replaces every secret in a body. One that was JSON is so afterwards, and has none in strings
    /// that it writes with escapes.
    pub(crate) fn redact_body(&self, body: &str) -> String {
        let redacted = self.redact(body);
        if redacted == body && (self.0.is_empty() || !body.contains('\\')) {
            return redacted;
        }
        let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
        match (parse(&redacted), parse(body)) {
            (Some(value), _) if self.redact_value(value.clone()) == value => redacted,
            (Some(value), _) | (None, Some(value)) => self.redact_value(value).to_string(),
            (None, None) => redacted,
        }
    }

    /// Replaces every secret in bytes that are no UTF-8.
    pub(crate) fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        let redacted = self.redact(&text);
        let bytes = redacted.chars().map(|c| u8::try_from(c).unwrap_or(b'?'));
        bytes.collect()
    }

    /// Replaces every secret in the strings, numbers and keys of `value`.
    pub(crate) fn redact_value(&self, mut value: Value) -> Value {
        replace_texts(&mut value, &mut |text| {
            let redacted = self.redact(text);
            let is_redacted = redacted != *text;
            *text = redacted;
            is_redacted
        });
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_lose_secrets_and_nothing_else() {
        let mut secrets = Secrets::default();
        secrets.add("k3y/");
        let redacted = secrets.redact_bytes(b"\xff k3y/ \xe9 k3y%2F \x00");
        assert_eq!(redacted, b"\xff [redacted] \xe9 [redacted] \x00");
    }

    #[test]
    fn a_secret_is_found_as_latin_1_and_behind_escapes() {
        let mut secrets = Secrets::default();
        secrets.add("clé/1");
        for (body, expected) in [
            (
                "clÃ©/1 clé/1 cl\\u00e9/1",
                "[redacted] [redacted] cl\\u00e9/1",
            ),
            (r#"["clÃ©/1", 1e2]"#, r#"["[redacted]", 1e2]"#),
            (r#"["cl\u00c3\u00a9\/1"]"#, r#"["[redacted]"]"#),
            (r#"{"cl\u00e9/1": "a\\b"}"#, r#"{"[redacted]":"a\\b"}"#),
            (r#"["a\\b", 1e2]"#, r#"["a\\b", 1e2]"#),
        ] {
            assert_eq!(secrets.redact_body(body), expected, "{body}");
        }
    }
}
