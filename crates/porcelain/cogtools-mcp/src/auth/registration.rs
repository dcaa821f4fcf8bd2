//! Who this client is for an authorization server: a client that the user has registered, or one
//! that is registered for this login (RFC 7591).

use cogtools_http::http::header::{ACCEPT, CONTENT_TYPE};
use cogtools_http::http::{HeaderValue, Method, Request};
use oauth2::url::Url;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::authority::Authority;
use super::error::LoginError;
use super::fetch::Fetch;

/// A client that an authorization server knows.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Registration {
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
    pub(crate) method: Proof,
}

/// How a client proves who it is, by the names of RFC 7591.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Proof {
    /// Not at all: PKCE alone protects the login.
    #[serde(rename = "none")]
    None,
    /// By a header.
    #[serde(rename = "client_secret_basic")]
    Basic,
    /// In the body.
    #[serde(rename = "client_secret_post")]
    Post,
}

/// A client that the user has registered.
#[derive(Clone)]
pub(crate) struct OwnClient {
    /// Its name, or the URL of its document.
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<Proof>,
}

#[derive(Deserialize)]
struct Rejected {
    error: String,
    error_description: Option<String>,
}

impl Proof {
    const ALL: [(Self, &str); 3] = [
        (Self::None, "none"),
        (Self::Basic, "client_secret_basic"),
        (Self::Post, "client_secret_post"),
    ];

    /// The first of `wanted` that the authorization server supports.
    fn choose(authority: &Authority, wanted: &[Self]) -> Self {
        let is_supported = |proof: &&Self| {
            let name = Self::ALL.iter().find(|(other, _)| other == *proof);
            let (Some(methods), Some((_, name))) = (&authority.methods, name) else {
                return true;
            };
            methods.iter().any(|method| method == name)
        };
        let first = wanted.first().copied().unwrap_or(Self::None);
        wanted.iter().find(is_supported).copied().unwrap_or(first)
    }
}

impl Registration {
    /// The client that the user has registered; otherwise it is registered now.
    pub(crate) async fn obtain(
        own: Option<&OwnClient>,
        authority: &Authority,
        redirect: &str,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        if let Some(own) = own {
            let is_document = own.id.starts_with("https://");
            if is_document && !authority.takes_documents {
                return Err(LoginError::NoRegistration(authority.issuer.clone()));
            }
            let method = match own.secret {
                Some(_) => Proof::choose(authority, &[Proof::Basic, Proof::Post]),
                None => Proof::None,
            };
            return Ok(Self {
                id: own.id.clone(),
                secret: own.secret.clone(),
                method,
            });
        }
        let place = authority.registration.as_ref();
        let place = place.ok_or_else(|| LoginError::NoRegistration(authority.issuer.clone()))?;
        Self::register(place, authority, redirect, fetch).await
    }

    async fn register(
        place: &Url,
        authority: &Authority,
        redirect: &str,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        let method = Proof::choose(authority, &[Proof::None, Proof::Basic, Proof::Post]);
        let client = json!({
            "client_name": "cogtools",
            "application_type": "native",
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
        });
        let mut request = Request::new(client.to_string().into_bytes());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = place
            .as_str()
            .parse()
            .map_err(|_| LoginError::Registration("its URL is invalid".to_owned()))?;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json.clone());
        request.headers_mut().insert(ACCEPT, json);
        let response = fetch.send(request).await?;
        if !response.status().is_success() {
            let rejected = serde_json::from_slice::<Rejected>(response.body());
            let why = rejected.map_or_else(
                |_| format!("HTTP {}", response.status().as_u16()),
                |rejected| said(&rejected.error, rejected.error_description.as_deref()),
            );
            return Err(LoginError::Registration(why));
        }
        let registered = serde_json::from_slice::<Registered>(response.body());
        let registered = registered.map_err(|error| {
            let place = super::fetch::shown(place);
            LoginError::Document(place, "registration", error.to_string())
        })?;
        let method = registered.token_endpoint_auth_method.unwrap_or(method);
        Ok(Self {
            method: match registered.client_secret {
                Some(_) => method,
                None => Proof::None,
            },
            id: registered.client_id,
            secret: registered.client_secret,
        })
    }
}

/// What an authorization server says about an error, as one short line.
pub(crate) fn said(error: &str, description: Option<&str>) -> String {
    let text = match description {
        Some(description) => format!("{error}: {description}"),
        None => error.to_owned(),
    };
    let text = text.chars().filter(|char| !char.is_control());
    text.take(300).collect()
}
