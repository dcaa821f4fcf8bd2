//! The client side of OAuth 2.1 for servers at a URL, as MCP's revision 2026-07-28 describes it.
//!
//! Only `login` starts it, never a call. A token is kept for one URL, and sent to no other. A
//! server and its authorization server are hostile: each place that they name is checked before
//! it is fetched or shown.

mod command;
mod keyring;
mod login;
mod metadata;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) use self::command::may_be_opened;
use self::command::may_have_token;
pub use self::command::token;
pub(crate) use self::login::{Store, random};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cogtools_core::{Code, Diagnostic};
use cogtools_http::HttpError;
use cogtools_http::http::header::AUTHORIZATION;
use cogtools_http::http::{HeaderValue, StatusCode};
use cogtools_program::Vars;
pub(crate) use command::{LoginArgs, SERVER_HELP, SourceArg, login, logout};
use form_urlencoded::{Serializer, byte_serialize};
pub(crate) use metadata::Challenge;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Mutex;

use crate::auth::metadata::{Authority, Fetch, JSON};
use crate::client::Secrets;

/// Why a login failed. The text continues a sentence that begins with the login, and shows no
/// secret.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum LoginError {
    #[error("`{url}` {why}")]
    Place { url: String, why: &'static str },
    #[error("{0}")]
    Http(#[from] HttpError),
    #[error("`{0}` responded with HTTP {1}")]
    Status(String, u16),
    #[error("`{0}` sent no valid {1}: {2}")]
    Document(String, &'static str, String),
    #[error("the server asks for no login")]
    NotNeeded,
    #[error("the server publishes no metadata about its logins")]
    NoResourceMetadata,
    #[error("the metadata is of `{0}`, which is another server")]
    OtherResource(String),
    #[error("the server names no authorization server")]
    NoAuthority,
    #[error("the authorization server `{0}` publishes no metadata")]
    NoAuthorityMetadata(String),
    #[error("the metadata of the authorization server `{0}` is of `{1}`")]
    OtherIssuer(String, String),
    #[error("the authorization server `{0}` does not support PKCE with S256")]
    NoPkce(String),
    #[error("the authorization server `{0}` does not register clients by itself")]
    NoRegistration(String),
    #[error("the authorization server rejected the registration of the client: {0}")]
    Registration(String),
    #[error("the answer is not of the authorization server that was asked")]
    Issuer,
    #[error("the authorization server rejected the login: {0}")]
    Rejected(String),
    #[error("the authorization server gave no token: {0}")]
    Token(String),
    #[error("there was no answer within {0} minutes")]
    TimedOut(u64),
    #[error("the login was cancelled")]
    Cancelled,
    #[error("the token cannot be kept: {0}")]
    Store(String),
    #[error("cannot listen for the answer: {0}")]
    Listen(String),
    #[error("the system has no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl LoginError {
    /// Returns the diagnostic about the login to `server`.
    pub(crate) fn diagnostic(&self, server: &str) -> Diagnostic {
        let message = format!("cannot log in to the MCP server `{server}`: {self}");
        let mut diagnostic = Diagnostic::new(self.code(), message);
        diagnostic.hints.extend(self.hint().map(Into::into));
        diagnostic
    }

    const fn code(&self) -> Code {
        match self {
            Self::Http(_) | Self::Status(..) => Code::Unavailable,
            Self::TimedOut(_) => Code::Timeout,
            Self::Store(_) | Self::Listen(_) | Self::Random(_) => Code::IoFailed,
            Self::Cancelled | Self::Rejected(_) => Code::Denied,
            Self::NotNeeded => Code::InvalidConfig,
            _ => Code::ToolFailed,
        }
    }

    const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotNeeded => "use it without a login, or check `url` of the source",
            Self::NoResourceMetadata | Self::NoAuthority | Self::NoAuthorityMetadata(_) => {
                "it may not use OAuth: pass a token in `headers` of the source"
            }
            Self::NoRegistration(_) => {
                "register a client with its operator, and pass it with --client-id"
            }
            Self::Registration(_) => {
                "register a client with its operator, and pass it with --client-id; report this to \
                 the operator"
            }
            Self::Place { .. }
            | Self::OtherResource(_)
            | Self::OtherIssuer(..)
            | Self::NoPkce(_)
            | Self::Document(..) => "do not trust it before its operator has explained this",
            Self::Issuer => "log in again, and use the newest URL only",
            Self::TimedOut(_) => "log in again, and open the URL in a browser on this machine",
            _ => return None,
        })
    }
}

/// Joins an error of an authorization server and its description to one short line.
fn said(error: &str, description: Option<&str>) -> String {
    let description = description.map(|text| format!(": {text}"));
    let text = format!("{error}{}", description.unwrap_or_default());
    let text = text.chars().filter(|char| !char.is_control());
    text.take(300).collect()
}

/// A token that expires earlier than this is renewed before it is used.
const MARGIN: Duration = Duration::from_secs(30);
/// The longest token that is kept.
const MAX_TOKEN_BYTES: usize = 16 << 10;
const FORM: &str = "application/x-www-form-urlencoded";
const SCHEME: &str = "Bearer ";

/// A client that an authorization server knows.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Registration {
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
    method: Proof,
}

/// The proof of a client, by the names of RFC 7591.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Proof {
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

/// An answer to a request of a token (RFC 6749, 5.1).
#[derive(Deserialize)]
struct Token {
    #[serde(rename = "access_token")]
    access: String,
    #[serde(rename = "token_type")]
    kind: String,
    #[serde(rename = "refresh_token")]
    refresh: Option<String>,
    expires_in: Option<u64>,
}

/// An answer that is an error (RFC 6749, 5.2; RFC 7591, 3.2.2).
#[derive(Deserialize)]
struct Rejected {
    error: String,
    error_description: Option<String>,
}

impl Proof {
    /// Returns the first of `wanted` that the authorization server supports.
    fn choose(authority: &Authority, wanted: &[Self]) -> Self {
        let is_supported = |proof: &&Self| {
            let name = serde_json::to_value(proof).unwrap_or_default();
            let methods = authority.methods.as_ref();
            methods.is_none_or(|all| all.iter().any(|method| name == *method.as_str()))
        };
        let first = wanted.first().copied().unwrap_or(Self::None);
        wanted.iter().find(is_supported).copied().unwrap_or(first)
    }
}

impl Registration {
    /// Returns `form` as a body in which the client proves who it is, or the body and the value of
    /// the header that proves it.
    fn prove(&self, form: &[(&str, &str)]) -> (String, Option<String>) {
        let mut body = Serializer::new(String::new());
        body.extend_pairs(form);
        if let (Some(secret), Proof::Basic) = (&self.secret, self.method) {
            // RFC 6749, 2.3.1.
            let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            let pair = format!("{}:{}", encoded(&self.id), encoded(secret));
            let basic = format!("Basic {}", STANDARD.encode(pair));
            return (body.finish(), Some(basic));
        }
        body.append_pair("client_id", &self.id);
        if let Some(secret) = self.secret.as_ref().filter(|_| self.method == Proof::Post) {
            body.append_pair("client_secret", secret);
        }
        (body.finish(), None)
    }

    /// Returns the client that the user has registered; otherwise one is registered now.
    pub(crate) async fn obtain(
        own: Option<OwnClient>,
        authority: &Authority,
        redirect: &str,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        let none = || LoginError::NoRegistration(authority.issuer.clone());
        if let Some(OwnClient { id, secret }) = own {
            if id.starts_with("https://") && !authority.takes_documents {
                return Err(none());
            }
            let method = match secret {
                Some(_) => Proof::choose(authority, &[Proof::Basic, Proof::Post]),
                None => Proof::None,
            };
            return Ok(Self { id, secret, method });
        }
        let place = authority.registration_endpoint.as_ref().ok_or_else(none)?;
        let method = Proof::choose(authority, &[Proof::None, Proof::Basic, Proof::Post]);
        let client = json!({
            "client_name": "cogtools",
            "application_type": "native",
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
        });
        let answer = fetch.post(place, JSON, None, client.to_string()).await?;
        if !answer.status.is_success() {
            let rejected = serde_json::from_slice::<Rejected>(&answer.body);
            let why = rejected.map_or_else(
                |_| format!("HTTP {}", answer.status.as_u16()),
                |rejected| said(&rejected.error, rejected.error_description.as_deref()),
            );
            return Err(LoginError::Registration(why));
        }
        let registered: Registered = serde_json::from_slice(&answer.body).map_err(|error| {
            LoginError::Document(place.clone(), "registration", error.to_string())
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

/// Tokens for one server, and all that is needed to renew them.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Grant {
    /// The URL of the server, exactly as the source names it: no other receives the token.
    pub(crate) server: String,
    /// The identifier of the server.
    pub(crate) resource: String,
    /// The authorization server.
    pub(crate) issuer: String,
    token_endpoint: String,
    revocation_endpoint: Option<String>,
    client: Registration,
    /// The scopes that were asked for.
    pub(crate) scopes: Vec<String>,
    access_token: String,
    refresh_token: Option<String>,
    /// The end of the token, in seconds of Unix time.
    expires: Option<u64>,
}

impl Grant {
    /// Returns a grant of `authority` for `server`, which has no token yet.
    pub(crate) fn new(
        server: &str,
        resource: String,
        authority: Authority,
        client: Registration,
        scopes: Vec<String>,
    ) -> Self {
        Self {
            server: server.to_owned(),
            resource,
            issuer: authority.issuer,
            token_endpoint: authority.token_endpoint,
            revocation_endpoint: authority.revocation_endpoint,
            client,
            scopes,
            access_token: String::new(),
            refresh_token: None,
            expires: None,
        }
    }

    /// Exchanges the code of an answer, which was sent to `redirect`, for tokens.
    pub(crate) async fn exchange(
        &mut self,
        code: &str,
        redirect: &str,
        verifier: &str,
        fetch: &Fetch,
    ) -> Result<(), LoginError> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", redirect),
        ];
        self.request(&form, fetch).await
    }

    /// Renews the token.
    async fn renew(&mut self, fetch: &Fetch) -> Result<(), LoginError> {
        let Some(refresh) = self.refresh_token.clone() else {
            return Err(LoginError::Token("it cannot be renewed".to_owned()));
        };
        let form = [("grant_type", "refresh_token"), ("refresh_token", &refresh)];
        self.request(&form, fetch).await
    }

    /// Asks for a token; the answer replaces the one before.
    async fn request(&mut self, form: &[(&str, &str)], fetch: &Fetch) -> Result<(), LoginError> {
        let failed = |why: &str| Err(LoginError::Token(why.to_owned()));
        let (body, basic) = self
            .client
            .prove(&[form, &[("resource", &self.resource)]].concat());
        let authorization = basic.as_deref().map(|basic| (AUTHORIZATION, basic));
        let sent = fetch.post(&self.token_endpoint, FORM, authorization, body);
        let answer = sent.await?;
        if answer.status != StatusCode::OK {
            return match serde_json::from_slice::<Rejected>(&answer.body) {
                Ok(it) => failed(&said(&it.error, it.error_description.as_deref())),
                Err(_) => failed("its answer is not as expected"),
            };
        }
        // An error about the answer may contain the token.
        let Ok(token) = serde_json::from_slice::<Token>(&answer.body) else {
            return failed("its answer is not valid");
        };
        if !token.kind.eq_ignore_ascii_case("bearer") {
            return failed("it is not a bearer token");
        }
        let is_graphic = token.access.bytes().all(|it| it.is_ascii_graphic());
        if !is_graphic || !(1..=MAX_TOKEN_BYTES).contains(&token.access.len()) {
            return failed("it is not a valid token");
        }
        self.access_token = token.access;
        // Without a new one the last one stays.
        self.refresh_token = token.refresh.or(self.refresh_token.take());
        self.expires = token
            .expires_in
            .map(|seconds| now().saturating_add(seconds));
        Ok(())
    }

    /// Asks the authorization server to forget the tokens; returns true if it does.
    pub(crate) async fn revoke(&self, fetch: &Fetch) -> bool {
        let Some(place) = &self.revocation_endpoint else {
            return false;
        };
        // With a refresh token, all tokens of the login are forgotten.
        let token = self.refresh_token.as_ref().unwrap_or(&self.access_token);
        let mut client = self.client.clone();
        if client.secret.is_some() {
            client.method = Proof::Post;
        }
        let (form, _) = client.prove(&[("token", token)]);
        let answer = fetch.post(place, FORM, None, form).await;
        answer.is_ok_and(|answer| answer.status.is_success())
    }

    /// Returns true if the token has expired, or is about to.
    fn is_stale(&self) -> bool {
        let margin = now().saturating_add(MARGIN.as_secs());
        self.expires.is_some_and(|expires| expires <= margin)
    }

    /// Returns the texts that no message may contain.
    fn secrets(&self) -> impl Iterator<Item = &str> {
        let refresh = self.refresh_token.as_deref();
        let secret = self.client.secret.as_deref();
        let all = [Some(self.access_token.as_str()), refresh, secret];
        all.into_iter().flatten()
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut grant = f.debug_struct("Grant");
        grant.field("server", &self.server).finish_non_exhaustive()
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// The token for the server at one URL, and its renewal.
#[derive(Clone)]
pub(crate) struct Bearer {
    url: String,
    store: Store,
    fetch: Fetch,
    /// The texts that no message of the server may show.
    secrets: Secrets,
    grant: Arc<Mutex<Option<Grant>>>,
}

impl Bearer {
    /// Returns the token for the server at `url`, if one may be sent there.
    pub(crate) fn for_server(
        url: &str,
        store: Option<Store>,
        vars: &Vars,
        secrets: &Secrets,
    ) -> Option<Self> {
        let store = store.filter(|_| may_have_token(url))?;
        Some(Self {
            url: url.to_owned(),
            store,
            fetch: Fetch::new(vars),
            secrets: secrets.clone(),
            grant: Arc::default(),
        })
    }

    /// Returns the header with the token; nothing without a login.
    pub(crate) async fn header(&self) -> Option<HeaderValue> {
        let mut grant = self.grant.lock().await;
        if grant.is_none() {
            *grant = self.store.load(&self.url);
        }
        if let Some(old) = grant.take() {
            *grant = if old.is_stale() {
                self.renewed(Some(&old.access_token)).await.or(Some(old))
            } else {
                Some(old)
            };
        }
        self.value(grant.as_ref()?)
    }

    /// Returns the header with another token than `rejected`, which the server has rejected.
    pub(crate) async fn other_than(&self, rejected: Option<&HeaderValue>) -> Option<HeaderValue> {
        let mut grant = self.grant.lock().await;
        let token = rejected
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix(SCHEME));
        *grant = self.renewed(token).await;
        self.value(grant.as_ref()?)
    }

    /// Returns another token than `old`: one that another process has stored, or a new one.
    async fn renewed(&self, old: Option<&str>) -> Option<Grant> {
        let is_other =
            |grant: &Grant| Some(grant.access_token.as_str()) != old && !grant.is_stale();
        // The last one to hold the lock has stored its token.
        if let Some(stored) = self.store.load(&self.url).filter(is_other) {
            return Some(stored);
        }
        old?;
        let _lock = self.store.lock(&self.url).await?;
        let mut grant = self.store.load(&self.url)?;
        if !is_other(&grant) {
            grant.renew(&self.fetch).await.ok()?;
            let _ = self.store.save(&grant);
        }
        Some(grant)
    }

    fn value(&self, grant: &Grant) -> Option<HeaderValue> {
        self.secrets.add(grant.secrets());
        let mut value = HeaderValue::try_from(format!("{SCHEME}{}", grant.access_token)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}
