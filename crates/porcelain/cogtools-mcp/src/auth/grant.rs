//! What a login gives: tokens for one server, and all that is needed to renew them.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cogtools_http::HttpError;
use cogtools_http::http::header::CONTENT_TYPE;
use cogtools_http::http::{Method, Request};
use oauth2::basic::{BasicClient, BasicErrorResponse, BasicTokenResponse, BasicTokenType};
use oauth2::url::{Url, form_urlencoded};
use oauth2::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, PkceCodeVerifier, RedirectUrl,
    RefreshToken, RequestTokenError, TokenResponse as _, TokenUrl,
};
use serde::{Deserialize, Serialize};

use super::authority::Authority;
use super::error::LoginError;
use super::fetch::Fetch;
use super::registration::{Proof, Registration, said};

/// A token that expires earlier than this is renewed before it is used.
const MARGIN: Duration = Duration::from_secs(30);
/// The longest token that is kept.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// Tokens for one server.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Grant {
    /// The URL of the server, exactly as the source names it: no other receives the token.
    pub(crate) server: String,
    /// The identifier of the server.
    pub(crate) resource: String,
    /// Who has issued the tokens.
    pub(crate) issuer: String,
    /// Where they are renewed.
    token_endpoint: Url,
    /// Where they are revoked.
    pub(crate) revocation_endpoint: Option<Url>,
    client: Registration,
    /// The scopes that were asked for.
    pub(crate) scopes: Vec<String>,
    pub(crate) access_token: String,
    pub(crate) refresh_token: Option<String>,
    /// When the token expires, in seconds of Unix time.
    expires: Option<u64>,
}

/// What a code is exchanged for.
pub(crate) struct Exchange<'e> {
    pub(crate) server: &'e str,
    pub(crate) resource: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) redirect: String,
    pub(crate) verifier: PkceCodeVerifier,
}

impl Grant {
    /// Exchanges the code of an answer.
    pub(crate) async fn exchange(
        code: String,
        exchange: Exchange<'_>,
        authority: Authority,
        client: Registration,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        let redirect = RedirectUrl::new(exchange.redirect)
            .map_err(|error| LoginError::Token(error.to_string()))?;
        let http = fetch.sender();
        let answer = oauth_client(&client)
            .set_token_uri(TokenUrl::from_url(authority.token.clone()))
            .set_redirect_uri(redirect)
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(exchange.verifier)
            .add_extra_param("resource", exchange.resource.clone())
            .request_async(&http)
            .await;
        let mut grant = Self {
            server: exchange.server.to_owned(),
            resource: exchange.resource,
            issuer: authority.issuer,
            token_endpoint: authority.token,
            revocation_endpoint: authority.revocation,
            client,
            scopes: exchange.scopes,
            access_token: String::new(),
            refresh_token: None,
            expires: None,
        };
        grant.accept(&answer.map_err(failed)?)?;
        Ok(grant)
    }

    /// Renews the token.
    pub(crate) async fn renew(&mut self, fetch: &Fetch) -> Result<(), LoginError> {
        let Some(refresh) = self.refresh_token.clone() else {
            return Err(LoginError::Token("it cannot be renewed".to_owned()));
        };
        let http = fetch.sender();
        let answer = oauth_client(&self.client)
            .set_token_uri(TokenUrl::from_url(self.token_endpoint.clone()))
            .exchange_refresh_token(&RefreshToken::new(refresh))
            .add_extra_param("resource", self.resource.clone())
            .request_async(&http)
            .await;
        self.accept(&answer.map_err(failed)?)
    }

    /// Asks the authorization server to forget the tokens (RFC 7009); whether it does.
    pub(crate) async fn revoke(&self, fetch: &Fetch) -> bool {
        let Some(place) = &self.revocation_endpoint else {
            return false;
        };
        let mut form = form_urlencoded::Serializer::new(String::new());
        // With it, all tokens of the login are forgotten.
        match &self.refresh_token {
            Some(token) => form.append_pair("token", token),
            None => form.append_pair("token", &self.access_token),
        };
        form.append_pair("client_id", &self.client.id);
        if let Some(secret) = &self.client.secret {
            form.append_pair("client_secret", secret);
        }
        let request = Request::builder()
            .method(Method::POST)
            .uri(place.as_str())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.finish().into_bytes());
        let Ok(request) = request else {
            return false;
        };
        let response = fetch.send(request).await;
        response.is_ok_and(|response| response.status().is_success())
    }

    fn accept(&mut self, answer: &BasicTokenResponse) -> Result<(), LoginError> {
        if *answer.token_type() != BasicTokenType::Bearer {
            return Err(LoginError::Token("it is not a bearer token".to_owned()));
        }
        let token = answer.access_token().secret();
        let is_valid = |token: &str| {
            let is_short = token.len() <= MAX_TOKEN_BYTES && !token.is_empty();
            is_short && token.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !is_valid(token) {
            return Err(LoginError::Token("it is not a valid token".to_owned()));
        }
        self.access_token.clone_from(token);
        // Without a new one the last one stays.
        if let Some(refresh) = answer.refresh_token() {
            self.refresh_token = Some(refresh.secret().clone());
        }
        let lifetime = answer.expires_in();
        self.expires = lifetime.map(|lifetime| now().saturating_add(lifetime.as_secs()));
        Ok(())
    }

    /// Whether the token has expired, or is about to.
    pub(crate) fn is_stale(&self) -> bool {
        let margin = now().saturating_add(MARGIN.as_secs());
        self.expires.is_some_and(|expires| expires <= margin)
    }

    /// What no message may contain.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        let refresh = self.refresh_token.as_deref();
        let secret = self.client.secret.as_deref();
        [Some(self.access_token.as_str()), refresh, secret]
            .into_iter()
            .flatten()
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

fn oauth_client(client: &Registration) -> BasicClient {
    let oauth =
        BasicClient::new(ClientId::new(client.id.clone())).set_auth_type(match client.method {
            Proof::Basic => AuthType::BasicAuth,
            Proof::None | Proof::Post => AuthType::RequestBody,
        });
    match (&client.secret, client.method) {
        (Some(secret), Proof::Basic | Proof::Post) => {
            oauth.set_client_secret(ClientSecret::new(secret.clone()))
        }
        _ => oauth,
    }
}

fn failed(error: RequestTokenError<HttpError, BasicErrorResponse>) -> LoginError {
    match error {
        RequestTokenError::Request(error) => LoginError::Http(error),
        RequestTokenError::ServerResponse(answer) => {
            let description = answer.error_description().map(String::as_str);
            LoginError::Token(said(answer.error().as_ref(), description))
        }
        // What it sent may contain the token.
        RequestTokenError::Parse(..) => LoginError::Token("its answer is not valid".to_owned()),
        RequestTokenError::Other(_) => {
            LoginError::Token("its answer is not as expected".to_owned())
        }
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}
