//! Where the Gemini API is, and who asks.

use cogtools_http::http::header::AUTHORIZATION;
use cogtools_http::http::{HeaderName, HeaderValue};

use crate::{Key, ModelError};

/// The variables with a key; the first one wins, as in Google's SDKs.
pub const KEYS: &[&str] = &["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/// The variables with a token for Vertex AI; the first one wins.
pub const TOKENS: &[&str] = &["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"];

const BASE_URL: &str = "GOOGLE_GEMINI_BASE_URL";
const VERTEX_BASE_URL: &str = "GOOGLE_VERTEX_BASE_URL";
const USE_VERTEX: &str = "GOOGLE_GENAI_USE_VERTEXAI";
const PROJECT: &str = "GOOGLE_CLOUD_PROJECT";
const LOCATION: &str = "GOOGLE_CLOUD_LOCATION";

/// An address of the API and the credentials for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Without a slash at its end.
    base: String,
    service: Service,
    key: Key,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Service {
    /// Google AI, and servers that imitate it.
    GoogleAi,
    /// A project of Google Cloud, in a region.
    Vertex { project: String, location: String },
}

impl Endpoint {
    /// Google AI at `base`, such as `https://generativelanguage.googleapis.com`.
    pub fn google_ai(base: &str, key: Key) -> Self {
        Self {
            base: base.trim_end_matches('/').to_owned(),
            service: Service::GoogleAi,
            key,
        }
    }

    /// The endpoint that variables describe, by the names of Google's SDKs. `var` returns a
    /// variable that the user has set; one that a project sets could send the key elsewhere.
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Result<Self, ModelError> {
        let var = |name: &str| var(name).filter(|value| !value.is_empty());
        let first = |names: &'static [&'static str]| {
            let key = names.iter().find_map(|name| var(name)).map(Key::new);
            key.ok_or(ModelError::MissingKey { variables: names })
        };
        let is_vertex = var(USE_VERTEX).is_some_and(|value| matches!(value.as_str(), "true" | "1"));
        if !is_vertex {
            let default = "https://generativelanguage.googleapis.com".to_owned();
            let base = var(BASE_URL).unwrap_or(default);
            return Ok(Self::google_ai(&base, first(KEYS)?));
        }
        let segment = |variable: &'static str| {
            let value = var(variable).ok_or_else(|| invalid(variable, "it is not set"))?;
            let is_segment = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
            if value.bytes().all(is_segment) {
                return Ok(value);
            }
            Err(invalid(variable, "it is not a name"))
        };
        let (project, location) = (segment(PROJECT)?, segment(LOCATION)?);
        let host = match location.as_str() {
            "global" => "https://aiplatform.googleapis.com".to_owned(),
            region => format!("https://{region}-aiplatform.googleapis.com"),
        };
        let base = var(VERTEX_BASE_URL)
            .or_else(|| var(BASE_URL))
            .unwrap_or(host);
        Ok(Self {
            base: base.trim_end_matches('/').to_owned(),
            service: Service::Vertex { project, location },
            key: first(TOKENS)?,
        })
    }

    /// The header that says who asks. It is never printed.
    pub(super) fn authorization(&self) -> Result<(HeaderName, HeaderValue), ModelError> {
        let (name, value, variable) = match self.service {
            Service::GoogleAi => (
                HeaderName::from_static("x-goog-api-key"),
                self.key.expose().to_owned(),
                KEYS[0],
            ),
            Service::Vertex { .. } => (
                AUTHORIZATION,
                format!("Bearer {}", self.key.expose()),
                TOKENS[0],
            ),
        };
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| invalid(variable, "it has characters that a header cannot have"))?;
        value.set_sensitive(true);
        Ok((name, value))
    }

    pub(super) fn stream_url(&self, model: &str) -> String {
        let path = self.resource(&format!("models/{}", encode(model_id(model))));
        format!("{}/{path}:streamGenerateContent?alt=sse", self.base)
    }

    pub(super) fn models_url(&self, page: Option<&str>) -> String {
        let path = match &self.service {
            Service::GoogleAi => "v1beta/models",
            Service::Vertex { .. } => "v1beta1/publishers/google/models",
        };
        let page = page.map(|page| format!("&pageToken={}", encode(page)));
        let page = page.unwrap_or_default();
        format!("{}/{path}?pageSize=1000{page}", self.base)
    }

    pub(super) fn caches_url(&self) -> String {
        let path = match &self.service {
            Service::GoogleAi => "v1beta/cachedContents".to_owned(),
            Service::Vertex { project, location } => {
                format!("v1/projects/{project}/locations/{location}/cachedContents")
            }
        };
        format!("{}/{path}", self.base)
    }

    /// The address of the cache `name`, which the API returned: a path.
    pub(super) fn cache_url(&self, name: &str) -> String {
        let version = match &self.service {
            Service::GoogleAi => "v1beta",
            Service::Vertex { .. } => "v1",
        };
        let path: Vec<String> = name.split('/').map(encode).collect();
        format!("{}/{version}/{}", self.base, path.join("/"))
    }

    /// The name of a model in the body of a request.
    pub(super) fn model_resource(&self, model: &str) -> String {
        let model = model_id(model);
        match &self.service {
            Service::GoogleAi => format!("models/{model}"),
            Service::Vertex { project, location } => {
                format!("projects/{project}/locations/{location}/publishers/google/models/{model}")
            }
        }
    }

    fn resource(&self, path: &str) -> String {
        match &self.service {
            Service::GoogleAi => format!("v1beta/{path}"),
            Service::Vertex { project, location } => {
                format!("v1/projects/{project}/locations/{location}/publishers/google/{path}")
            }
        }
    }
}

fn invalid(variable: &'static str, reason: &'static str) -> ModelError {
    ModelError::InvalidVariable {
        variable,
        reason: reason.to_owned(),
    }
}

/// `models/x` and `x` are the same model.
fn model_id(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// `segment` as one segment of a path.
fn encode(segment: &str) -> String {
    let encode_byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'@' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    segment.bytes().map(encode_byte).collect()
}
