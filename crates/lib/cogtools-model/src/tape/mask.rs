//! Values that must not be on a tape.

use std::fmt;

use serde_json::Value;

/// What replaces a secret.
const MASK: &str = "[secret]";

/// Shorter values are not searched for: they occur in anything.
const MIN_SECRET_BYTES: usize = 8;

/// The secrets, longest first: one may contain another.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let long = secrets.into_iter();
        let mut secrets: Vec<String> = long
            .filter(|secret| secret.len() >= MIN_SECRET_BYTES)
            .collect();
        secrets.sort_by(|one, other| (other.len(), one).cmp(&(one.len(), other)));
        Self(secrets)
    }

    /// `value` without the secrets in its texts and keys.
    pub(super) fn mask(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.mask_text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.mask(item)).collect(),
            Value::Object(fields) => {
                let mask = |(key, value)| (self.mask_text(key), self.mask(value));
                Value::Object(fields.into_iter().map(mask).collect())
            }
            scalar => scalar,
        }
    }

    pub(super) fn mask_text(&self, text: String) -> String {
        let replace = |text: String, secret: &String| text.replace(secret.as_str(), MASK);
        self.0.iter().fold(text, replace)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}
