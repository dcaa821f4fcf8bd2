//! Keeps secrets out of a session: the values of variables that the agent names.
//!
//! A model or a tool may repeat a key that it has seen. Each occurrence becomes the name of
//! its variable before anything is written. What a provider signs stays as it is.

use serde_json::{Map, Value};

/// The shortest value that is masked, in bytes: a shorter one occurs by accident.
const MIN_BYTES: usize = 8;
/// The fields that a provider compares with what it sent.
const SIGNATURES: [&str; 2] = ["thoughtSignature", "thought_signature"];

/// The secrets of a session.
#[derive(Clone, Default)]
pub struct Mask {
    /// What is replaced and by what, the longest first.
    secrets: Vec<(String, String)>,
    /// What a line contains if a secret is in it.
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

    /// Whether the JSON `text` may contain a secret.
    pub(crate) fn may_be_in(&self, text: &str) -> bool {
        self.probes
            .iter()
            .any(|probe| text.contains(probe.as_str()))
    }

    /// Masks every text in `value`, the keys of objects too.
    pub(crate) fn mask(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(masked) = self.masked(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(fields) => self.mask_fields(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
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

    /// `bytes` without secrets: text or not.
    pub(crate) fn mask_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut masked: Option<Vec<u8>> = None;
        for (secret, replacement) in &self.secrets {
            let current = masked.as_deref().unwrap_or(bytes);
            if let Some(replaced) = replace(current, secret.as_bytes(), replacement.as_bytes()) {
                masked = Some(replaced);
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

fn replace(bytes: &[u8], secret: &[u8], replacement: &[u8]) -> Option<Vec<u8>> {
    let first = secret.first()?;
    let mut replaced = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| byte == first) {
        at += found;
        if bytes[at..].starts_with(secret) {
            replaced.extend_from_slice(&bytes[copied..at]);
            replaced.extend_from_slice(replacement);
            at += secret.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    (copied > 0).then(|| {
        replaced.extend_from_slice(&bytes[copied..]);
        replaced
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
    fn a_secret_is_masked_in_bytes() {
        let mask = Mask::new([("KEY", "s3cr3t-key")]);
        let masked = mask.mask_bytes(b"\xffs3s3cr3t-keys3cr3t-ke\xff");
        assert_eq!(
            masked.as_deref(),
            Some(&b"\xffs3[masked: KEY]s3cr3t-ke\xff"[..])
        );
        assert_eq!(mask.mask_bytes(b"nothing"), None);
    }

    #[test]
    fn a_secret_is_not_printed_for_debugging() {
        assert_eq!(
            format!("{:?}", Mask::new([("KEY", "s3cr3t-key")])),
            "Mask(1 secrets)"
        );
    }
}
