//! The address of the Gemini API, and the credentials for it.

use std::fmt;

use cogtools_http::http::header::AUTHORIZATION;
use cogtools_http::http::{HeaderName, HeaderValue, Uri};

use crate::wire::shown;
use crate::{Key, ModelError};

/// The variables with a key; the first one wins, as in Google's SDKs.
pub const KEYS: &[&str] = &["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/// The variables with a token for Vertex AI; the first one wins.
pub const TOKENS: &[&str] = &["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"];

/// Google AI.
pub const BASE: &str = "https://generativelanguage.googleapis.com";

/// Vertex AI, in no region.
const GLOBAL_VERTEX: &str = "https://aiplatform.googleapis.com";

const BASE_URL: &str = "GOOGLE_GEMINI_BASE_URL";
const VERTEX_BASE_URL: &str = "GOOGLE_VERTEX_BASE_URL";
const USE_VERTEX: &str = "GOOGLE_GENAI_USE_VERTEXAI";
const PROJECT: &str = "GOOGLE_CLOUD_PROJECT";
const LOCATION: &str = "GOOGLE_CLOUD_LOCATION";

/// An address of the API and the credentials for it.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Without a slash at its end.
    base: String,
    /// The version of the API.
    version: &'static str,
    /// The path of the project on Vertex AI, with a slash at its end.
    parent: String,
    /// The path of the models' publisher on Vertex AI, with a slash at its end.
    publisher: &'static str,
    /// True if the key is a token.
    is_token: bool,
    key: Key,
    /// The variable with the key.
    variable: &'static str,
}

impl Endpoint {
    /// Google AI at `base`, such as [`BASE`].
    pub fn google_ai(base: &str, key: Key) -> Self {
        Self {
            base: base.trim_end_matches('/').to_owned(),
            version: "v1beta",
            parent: String::new(),
            publisher: "",
            is_token: false,
            key,
            variable: KEYS[0],
        }
    }

    /// The endpoint that variables describe, by the names of Google's SDKs. `var` returns a
    /// variable that the user has set; one that a project sets could send the key elsewhere.
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Result<Self, ModelError> {
        let var = |name: &str| {
            let value = var(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let url = |variable: &'static str| match var(variable) {
            Some(url) if is_base(&url) => Ok(Some(url.trim_end_matches('/').to_owned())),
            Some(_) => Err(invalid(variable, "it is not an http:// or https:// URL")),
            None => Ok(None),
        };
        let uses = var(USE_VERTEX).map(|value| value.to_ascii_lowercase());
        if !uses.is_some_and(|value| matches!(value.as_str(), "true" | "1")) {
            let base = url(BASE_URL)?.unwrap_or_else(|| BASE.to_owned());
            return Self::google_ai(&base, Key::new("")).with_credentials(&var, KEYS);
        }
        let vertex = |base: String, parent: String| -> Result<Self, ModelError> {
            let base = url(VERTEX_BASE_URL)?.or(url(BASE_URL)?).unwrap_or(base);
            Ok(Self {
                version: "v1",
                is_token: !parent.is_empty(),
                parent,
                publisher: "publishers/google/",
                ..Self::google_ai(&base, Key::new(""))
            })
        };
        // As in Google's SDKs: a key alone is enough, in express mode.
        if var(PROJECT).is_none() && var(KEYS[0]).is_some() {
            let express = vertex(GLOBAL_VERTEX.to_owned(), String::new())?;
            return express.with_credentials(&var, &KEYS[..1]);
        }
        let segment = |variable: &'static str| match var(variable) {
            Some(value) if is_name(&value) => Ok(value),
            Some(_) => Err(invalid(variable, "it is not a name")),
            None => Err(invalid(variable, "it is not set")),
        };
        let (project, location) = (segment(PROJECT)?, segment(LOCATION)?);
        let base = match location.as_str() {
            "global" => GLOBAL_VERTEX.to_owned(),
            location => format!("https://{location}-aiplatform.googleapis.com"),
        };
        vertex(base, format!("projects/{project}/locations/{location}/"))?
            .with_credentials(&var, TOKENS)
    }

    /// The endpoint with the first of `names` that is set.
    fn with_credentials(
        self,
        var: &impl Fn(&str) -> Option<String>,
        names: &'static [&'static str],
    ) -> Result<Self, ModelError> {
        let mut found = names.iter().filter_map(|name| Some((*name, var(name)?)));
        let (variable, key) = found
            .next()
            .ok_or(ModelError::MissingKey { variables: names })?;
        let endpoint = Self {
            key: Key::new(key),
            variable,
            ..self
        };
        endpoint.authorization()?;
        Ok(endpoint)
    }

    /// The secret, to keep it out of messages.
    pub(super) fn secret(&self) -> &str {
        self.key.expose()
    }

    /// The header that says who asks. It is never printed.
    pub(super) fn authorization(&self) -> Result<(HeaderName, HeaderValue), ModelError> {
        let key = self.key.expose();
        let (name, value) = if self.is_token {
            (AUTHORIZATION, format!("Bearer {key}"))
        } else {
            (HeaderName::from_static("x-goog-api-key"), key.to_owned())
        };
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| invalid(self.variable, "it has characters that a header cannot have"))?;
        value.set_sensitive(true);
        Ok((name, value))
    }

    pub(super) fn stream_url(&self, model: &str) -> String {
        let path = format!("{}{}{}", self.parent, self.publisher, model_path(model));
        format!(
            "{}/{}/{path}:streamGenerateContent?alt=sse",
            self.base, self.version
        )
    }

    pub(super) fn models_url(&self, page: Option<&str>) -> String {
        let path = match self.publisher {
            "" => "v1beta/models",
            _ => "v1beta1/publishers/google/models",
        };
        let page = page.map(|page| format!("&pageToken={}", encode(page)));
        let page = page.unwrap_or_default();
        format!("{}/{path}?pageSize=1000{page}", self.base)
    }

    /// The address of the caches. In express mode there are none; what fails is sent in full.
    pub(super) fn caches_url(&self) -> String {
        format!(
            "{}/{}/{}cachedContents",
            self.base, self.version, self.parent
        )
    }

    /// The address of the cache `name`, which the API returned: a path. `None` if it is the
    /// path of something else.
    pub(super) fn cache_url(&self, name: &str) -> Option<String> {
        let path = cache_path(name)?;
        Some(format!("{}/{}/{path}", self.base, self.version))
    }

    /// The name of a model in the body of a request.
    pub(super) fn model_resource(&self, model: &str) -> String {
        format!(
            "{}{}models/{}",
            self.parent,
            self.publisher,
            model_id(model)
        )
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("base", &shown(&self.base))
            .field("parent", &self.parent)
            .finish_non_exhaustive()
    }
}

fn invalid(variable: &'static str, reason: &'static str) -> ModelError {
    ModelError::InvalidVariable {
        variable,
        reason: reason.to_owned(),
    }
}

/// Returns true if paths can be appended to `url`.
fn is_base(url: &str) -> bool {
    let uri: Option<Uri> = url.parse().ok();
    let is_http = |uri: &Uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
    };
    !url.contains(['?', '#']) && uri.as_ref().is_some_and(is_http)
}

/// Returns true if `value` is one segment of a path, and one label of a host if it is a location.
fn is_name(value: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    value.bytes().all(is_letter) && !value.starts_with('.')
}

/// The path of a model: `models/x`, or `tunedModels/x` if it is named so.
pub(super) fn model_path(model: &str) -> String {
    match model.strip_prefix("tunedModels/") {
        Some(tuned) => format!("tunedModels/{}", encode(tuned)),
        None => format!("models/{}", encode(model_id(model))),
    }
}

/// `models/x` and `x` are the same model.
pub(super) fn model_id(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// The path of a cache: `cachedContents/x`, below a project or not.
pub(super) fn cache_path(name: &str) -> Option<String> {
    let segments: Vec<&str> = name.split('/').collect();
    let is_empty = |segment: &&str| segment.trim_matches('.').is_empty();
    let [.., "cachedContents", _] = segments.as_slice() else {
        return None;
    };
    if segments.iter().any(is_empty) {
        return None;
    }
    let path: Vec<String> = segments.into_iter().map(encode).collect();
    Some(path.join("/"))
}

/// `segment` as one segment of a path, or one value of a query.
pub(super) fn encode(segment: &str) -> String {
    let encode_byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'@' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    segment.bytes().map(encode_byte).collect()
}
