//! The address of a server, and the key for it, as the user's variables name them.

use cogtools_http::http::header::HeaderName;
use cogtools_http::http::{HeaderValue, Method, Uri};
use cogtools_http::{Client, Response, is_loopback};

use crate::wire::Outgoing;
use crate::{Key, ModelError};

/// A kind of API, and the variables that name its servers.
#[derive(Debug, PartialEq, Eq)]
pub struct Service {
    /// The variable with the key.
    pub key: &'static str,
    /// The variable with the address of the server, such as `http://localhost:11434/v1`.
    pub base_url: &'static str,
    /// The address of the server if that variable is not set.
    pub address: &'static str,
    /// The header with the key, in lower case.
    pub(crate) header: &'static str,
    /// The text before the key in that header.
    pub(crate) scheme: &'static str,
}

/// The address of a server, and the key for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    service: &'static Service,
    /// Without a slash at its end.
    base: String,
    key: Option<Key>,
}

impl Endpoint {
    /// The server at `base`.
    pub fn new(service: &'static Service, base: &str, key: Option<Key>) -> Self {
        Self {
            service,
            base: base.trim_end_matches('/').to_owned(),
            key,
        }
    }

    /// The endpoint that variables describe. `var` returns a variable that the user has set; one
    /// that a project sets could send the key elsewhere. A server on this machine needs no key.
    ///
    /// # Errors
    /// `MissingKey`, or `InvalidVariable` if the address is none.
    pub fn from_vars(
        service: &'static Service,
        var: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let var = |name: &str| var(name).filter(|value| !value.is_empty());
        let base = var(service.base_url).unwrap_or_else(|| service.address.to_owned());
        let invalid = |reason: &str| ModelError::InvalidVariable {
            variable: service.base_url,
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
        let key = var(service.key).map(Key::new);
        if key.is_none() && !is_loopback(&uri) {
            let variables = std::slice::from_ref(&service.key);
            return Err(ModelError::MissingKey { variables });
        }
        Ok(Self::new(service, &base, key))
    }

    /// Returns true if everyone on the way to the server, on another machine, can read the key.
    pub fn exposes_key(&self) -> bool {
        let is_plain = |uri: Uri| uri.scheme_str() == Some("http") && !is_loopback(&uri);
        self.key.is_some() && self.base.parse().is_ok_and(is_plain)
    }

    /// Returns true if the address is the one without a variable.
    pub(crate) fn is_default(&self) -> bool {
        self.base == self.service.address
    }

    /// The header that says who asks. It is never printed.
    fn authorization(&self) -> Result<Option<(HeaderName, HeaderValue)>, ModelError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let value = format!("{}{}", self.service.scheme, key.expose());
        let mut value = HeaderValue::try_from(value).map_err(|_| ModelError::InvalidVariable {
            variable: self.service.key,
            reason: "it has characters that a header cannot have".to_owned(),
        })?;
        value.set_sensitive(true);
        Ok(Some((HeaderName::from_static(self.service.header), value)))
    }

    /// The secret that no message may repeat; empty if there is none.
    pub(crate) fn secret(&self) -> &str {
        self.key.as_ref().map_or("", Key::expose)
    }

    /// Sends a request for `path` with `headers`, besides the one that says who asks.
    pub(crate) async fn exchange(
        &self,
        client: &Client,
        (method, path): (Method, &str),
        body: Vec<u8>,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<Response, ModelError> {
        let authorization = self.authorization()?;
        let outgoing = Outgoing {
            method,
            url: format!("{}/{path}", self.base),
            body,
            headers: authorization
                .into_iter()
                .chain(headers.iter().cloned())
                .collect(),
            secret: self.secret(),
        };
        outgoing.send(client).await
    }
}
