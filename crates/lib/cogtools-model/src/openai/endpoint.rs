//! Where the server is, and who asks.

use cogtools_http::http::{HeaderValue, Uri};
use cogtools_http::is_loopback;

use crate::{Key, ModelError};

/// The variable with the key.
pub const KEY: &str = "OPENAI_API_KEY";
/// The variable with the address of the server, such as `http://localhost:11434/v1`.
pub const BASE_URL: &str = "OPENAI_BASE_URL";

const OPENAI: &str = "https://api.openai.com/v1";

/// The address of a server, and the key for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Without a slash at its end.
    base: String,
    key: Option<Key>,
}

impl Endpoint {
    /// The server at `base`.
    pub fn new(base: &str, key: Option<Key>) -> Self {
        Self {
            base: base.trim_end_matches('/').to_owned(),
            key,
        }
    }

    /// The endpoint that variables describe. `var` returns a variable that the user has set; one
    /// that a project sets could send the key elsewhere. A server on this machine needs no key.
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Result<Self, ModelError> {
        let var = |name: &str| var(name).filter(|value| !value.is_empty());
        let base = var(BASE_URL).unwrap_or_else(|| OPENAI.to_owned());
        let invalid = |reason: &str| ModelError::InvalidVariable {
            variable: BASE_URL,
            reason: reason.to_owned(),
        };
        let uri = base.parse::<Uri>().ok();
        let is_http = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        let uri = uri
            .filter(is_http)
            .ok_or_else(|| invalid("it is not a URL that begins with http:// or https://"))?;
        if uri.query().is_some() {
            return Err(invalid("it must not have a query"));
        }
        let key = var(KEY).map(Key::new);
        if key.is_none() && !is_loopback(&uri) {
            return Err(ModelError::MissingKey { variables: &[KEY] });
        }
        Ok(Self::new(&base, key))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// The header that says who asks. It is never printed.
    pub(super) fn authorization(&self) -> Result<Option<HeaderValue>, ModelError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let value = HeaderValue::try_from(format!("Bearer {}", key.expose()));
        let mut value = value.map_err(|_| ModelError::InvalidVariable {
            variable: KEY,
            reason: "it has characters that a header cannot have".to_owned(),
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// The secret that no message may repeat; empty if there is none.
    pub(super) fn secret(&self) -> &str {
        self.key.as_ref().map_or("", Key::expose)
    }

    /// The key of the limit of output tokens: OpenAI itself has renamed it for newer models,
    /// other servers know the first name.
    pub(super) fn limit_key(&self) -> &'static str {
        if self.base == OPENAI {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }
}
