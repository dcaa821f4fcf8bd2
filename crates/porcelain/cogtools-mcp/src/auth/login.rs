//! The login: from the server's challenge to a token for it.

use std::time::Duration;

use cogtools_http::http::header::{ACCEPT, CONTENT_TYPE};
use cogtools_http::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use oauth2::url::Url;
use oauth2::{AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, RedirectUrl, Scope};
use serde_json::json;

use super::authority::Authority;
use super::challenge::Challenge;
use super::error::LoginError;
use super::fetch::{Fetch, shown};
use super::grant::{Exchange, Grant};
use super::reach::{Reach, may_have_token};
use super::receiver::{Answer, Port};
use super::registration::{OwnClient, Registration, said};
use super::resource::Resource;

/// How long the user may take.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);
/// The scope that asks for a token to renew others (`OpenID` Connect Core, 11).
const OFFLINE: &str = "offline_access";

/// A login to one server.
pub(crate) struct Login<'l> {
    /// The URL of the server, exactly as the source names it.
    pub(crate) server: &'l str,
    /// A client that the user has registered.
    pub(crate) client: Option<OwnClient>,
    /// Scopes that the user asks for.
    pub(crate) scopes: Vec<String>,
    /// What the last login has given, if there was one.
    pub(crate) previous: Option<Grant>,
    pub(crate) fetch: &'l Fetch,
}

impl Login<'_> {
    /// Logs in: `show` receives the URL that the user has to open.
    pub(crate) async fn run(
        &self,
        show: impl FnOnce(&str) -> Result<(), LoginError>,
    ) -> Result<Grant, LoginError> {
        let url = Reach::Loopback.check(self.server)?;
        if !may_have_token(&url) {
            return Err(LoginError::Place {
                url: shown(&url),
                why: "is reached over http, so anyone on the network could read the token",
            });
        }
        let (is_asked, challenge) = self.challenge(&url).await?;
        let (resource, authority) = match Resource::find(&url, &challenge, self.fetch).await {
            Err(LoginError::NoResourceMetadata) if !is_asked => return Err(LoginError::NotNeeded),
            Err(LoginError::NoResourceMetadata) => self.older(&url).await?,
            resource => {
                let resource = resource?;
                let issuer = resource.authorities.first();
                let issuer = issuer.ok_or(LoginError::NoAuthority)?;
                let authority = Authority::find(issuer, Reach::of(&url), self.fetch).await?;
                (resource, authority)
            }
        };
        let port = Port::open().await?;
        let redirect = port.url();
        let client = self.client.as_ref();
        let client = Registration::obtain(client, &authority, &redirect, self.fetch).await?;
        let scopes = self.wanted(challenge.scopes, &resource, &authority);
        let (pkce, verifier) = PkceCodeChallenge::new_random_sha256();
        let state = CsrfToken::new_random();
        let place = Place {
            authorization: AuthUrl::from_url(authority.authorization.clone()),
            client: ClientId::new(client.id.clone()),
            redirect: RedirectUrl::new(redirect.clone())
                .map_err(|error| LoginError::Listen(error.to_string()))?,
            scopes: scopes.clone(),
            resource: resource.id.clone(),
        };
        let place = place.with(pkce, state.clone());
        show(place.as_str())?;
        let answer = tokio::time::timeout(PATIENCE, port.receive(state.into_secret())).await;
        let answer = answer.map_err(|_| LoginError::TimedOut(PATIENCE.as_secs() / 60))??;
        let code = code(answer, &authority)?;
        let exchange = Exchange {
            server: self.server,
            resource: resource.id,
            scopes,
            redirect,
            verifier,
        };
        Grant::exchange(code, exchange, authority, client, self.fetch).await
    }

    /// A server of the revision 2025-03-26 has no metadata of its own, and is its authorization
    /// server.
    async fn older(&self, url: &Url) -> Result<(Resource, Authority), LoginError> {
        let resource = Resource {
            id: self.server.to_owned(),
            authorities: Vec::new(),
            scopes: Vec::new(),
        };
        let issuer = url.origin().ascii_serialization();
        let found = Authority::find(&issuer, Reach::of(url), self.fetch).await;
        let authority = found.map_err(|error| match error {
            LoginError::NoAuthorityMetadata(_) => LoginError::NoResourceMetadata,
            error => error,
        })?;
        Ok((resource, authority))
    }

    /// Whether the server asks for a login, and with which challenge.
    async fn challenge(&self, url: &Url) -> Result<(bool, Challenge), LoginError> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta},
        });
        let mut request = Request::new(body.to_string().into_bytes());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = url.as_str().parse().map_err(|_| LoginError::Place {
            url: shown(url),
            why: "is not a URL",
        })?;
        let accepted = "application/json, text/event-stream";
        for (name, value) in [
            (ACCEPT, accepted),
            (CONTENT_TYPE, "application/json"),
            (HeaderName::from_static("mcp-protocol-version"), VERSION),
            (HeaderName::from_static("mcp-method"), "server/discover"),
        ] {
            let value = HeaderValue::from_static(value);
            request.headers_mut().insert(name, value);
        }
        let response = self.fetch.send(request).await?;
        let is_asked = response.status() == StatusCode::UNAUTHORIZED;
        Ok((is_asked, Challenge::read(response.headers())))
    }

    /// The scopes to ask for: those of the challenge, else those for basic functions, and those that
    /// were asked for before, so that none is lost.
    fn wanted(
        &self,
        challenged: Vec<String>,
        resource: &Resource,
        authority: &Authority,
    ) -> Vec<String> {
        let basic = if challenged.is_empty() {
            resource.scopes.clone()
        } else {
            challenged
        };
        let previous = self.previous.iter();
        let previous = previous.filter(|grant| grant.issuer == authority.issuer);
        let previous = previous.flat_map(|grant| grant.scopes.clone());
        let mut wanted: Vec<String> = Vec::new();
        for scope in basic.into_iter().chain(previous).chain(self.scopes.clone()) {
            if !wanted.contains(&scope) {
                wanted.push(scope);
            }
        }
        let offline = OFFLINE.to_owned();
        // Alone it would replace the default scopes.
        if authority.scopes.contains(&offline) && !wanted.is_empty() && !wanted.contains(&offline) {
            wanted.push(offline);
        }
        wanted
    }
}

const VERSION: &str = "2026-07-28";

/// Where the user agrees.
struct Place {
    authorization: AuthUrl,
    client: ClientId,
    redirect: RedirectUrl,
    scopes: Vec<String>,
    resource: String,
}

impl Place {
    fn with(self, pkce: PkceCodeChallenge, state: CsrfToken) -> Url {
        let client = oauth2::basic::BasicClient::new(self.client)
            .set_auth_uri(self.authorization)
            .set_redirect_uri(self.redirect);
        let is_offline = self.scopes.iter().any(|scope| scope == OFFLINE);
        let mut request = client
            .authorize_url(|| state)
            .add_scopes(self.scopes.into_iter().map(Scope::new))
            .set_pkce_challenge(pkce)
            .add_extra_param("resource", self.resource);
        if is_offline {
            // Without consent there is no such token (OpenID Connect Core, 11).
            request = request.add_extra_param("prompt", "consent");
        }
        request.url().0
    }
}

/// The code of an answer, if the authorization server has given one. Nothing of an answer is used
/// before its issuer is known (RFC 9207, 2.4).
fn code(answer: Answer, authority: &Authority) -> Result<String, LoginError> {
    match &answer.issuer {
        Some(issuer) if *issuer != authority.issuer => return Err(LoginError::Issuer),
        None if authority.names_itself => return Err(LoginError::Issuer),
        _ => {}
    }
    if let Some(error) = &answer.error {
        let why = said(error, answer.description.as_deref());
        return Err(LoginError::Rejected(why));
    }
    let none = || LoginError::Rejected("its answer has no code".to_owned());
    answer.code.ok_or_else(none)
}
