//! Documents of a login: the challenge of a server (RFC 6750, 3), its metadata (RFC 9728), and
//! the metadata of its authorization server (RFC 8414, `OpenID` Connect Discovery 1.0).

use std::time::Duration;

use cogtools_http::http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use cogtools_http::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri};
use cogtools_http::{Bytes, Client, ClientOptions, HttpError, Reason, Target};
use cogtools_program::Vars;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::LoginError;
use crate::auth::command::Reach;

/// The limit for each request, with its response.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The largest response.
const MAX_BYTES: u64 = 256 << 10;
/// The number of scopes that are read.
const MAX_SCOPES: usize = 100;
/// The metadata of a server is below this path of its host.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The HTTP client for logins: small documents, within a time limit.
#[derive(Clone, Debug)]
pub(crate) struct Fetch(Client);

/// A response.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A challenge of the scheme `Bearer`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// The URL of the metadata of the server.
    pub(crate) metadata: Option<String>,
    /// The scopes that the request needs.
    pub(crate) scopes: Vec<String>,
    /// True if the token lacks scopes.
    pub(crate) is_insufficient: bool,
}

/// The metadata of a server.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Resource {
    /// Its identifier, exactly as it says it.
    #[serde(rename = "resource")]
    pub(crate) id: String,
    /// The issuers of tokens for it.
    #[serde(default, rename = "authorization_servers")]
    pub(crate) authorities: Vec<String>,
    /// The scopes for its basic functions.
    #[serde(default, rename = "scopes_supported")]
    pub(crate) scopes: Vec<String>,
}

/// The metadata of an authorization server. Its URLs have been checked.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Authority {
    /// Its identifier, compared as text.
    pub(crate) issuer: String,
    /// The page at which the user agrees.
    pub(crate) authorization_endpoint: String,
    pub(crate) token_endpoint: String,
    pub(crate) registration_endpoint: Option<String>,
    pub(crate) revocation_endpoint: Option<String>,
    code_challenge_methods_supported: Option<Vec<String>>,
    /// The ways in which clients prove who they are.
    #[serde(rename = "token_endpoint_auth_methods_supported")]
    pub(crate) methods: Option<Vec<String>>,
    #[serde(default, rename = "scopes_supported")]
    pub(crate) scopes: Vec<String>,
    /// True if its answers name it.
    #[serde(default, rename = "authorization_response_iss_parameter_supported")]
    pub(crate) names_itself: bool,
    /// True if a client may be the URL of a document.
    #[serde(default, rename = "client_id_metadata_document_supported")]
    pub(crate) takes_documents: bool,
}

impl Fetch {
    /// Returns the client, with the proxies and the trusted authorities of `vars`.
    pub(crate) fn new(vars: &Vars) -> Self {
        Self(Client::new(ClientOptions {
            read_timeout: TIMEOUT,
            max_response_bytes: MAX_BYTES,
            ..ClientOptions::from_vars(vars)
        }))
    }

    /// Sends a request. Redirects to another server are an error.
    pub(crate) async fn send(
        &self,
        method: Method,
        uri: &Uri,
        headers: &[(HeaderName, &str)],
        body: String,
    ) -> Result<Answer, HttpError> {
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = method;
        uri.clone_into(request.uri_mut());
        for (name, value) in headers {
            if let Ok(value) = HeaderValue::try_from(*value) {
                request.headers_mut().insert(name, value);
            }
        }
        let work = async {
            let response = self.0.send(request).await?;
            Ok(Answer {
                status: response.status,
                headers: response.headers.clone(),
                body: response.bytes(MAX_BYTES).await?,
            })
        };
        let timed_out = |_| HttpError {
            host: uri.host().unwrap_or_default().to_owned(),
            reason: Reason::ReadTimeout(TIMEOUT),
        };
        let sent = tokio::time::timeout(TIMEOUT, work).await;
        sent.map_err(timed_out)?
    }

    /// Posts `body`, a text of the type `kind`, and asks for JSON.
    pub(crate) async fn post(
        &self,
        place: &str,
        kind: &str,
        authorization: Option<(HeaderName, &str)>,
        body: String,
    ) -> Result<Answer, LoginError> {
        let place = Reach::Loopback.check(place)?;
        let headers = [(CONTENT_TYPE, kind), (ACCEPT, JSON)];
        let headers: Vec<_> = headers.into_iter().chain(authorization).collect();
        Ok(self.send(Method::POST, &place.uri, &headers, body).await?)
    }

    /// Fetches the metadata at `path` of the server at `base`; nothing if it has none there.
    async fn metadata<T: DeserializeOwned>(
        &self,
        base: &Target,
        path: &str,
    ) -> Result<Option<T>, LoginError> {
        let uri = base.follow(path).ok_or_else(|| LoginError::Place {
            url: base.place(),
            why: "is not a URL",
        })?;
        let accept = [(ACCEPT, JSON)];
        let answer = self.send(Method::GET, &uri, &accept, String::new());
        let answer = answer.await?;
        let place = || Target::new(&uri).map_or_else(|_| String::new(), |target| target.place());
        if answer.status.is_client_error() {
            return Ok(None);
        }
        if !answer.status.is_success() {
            return Err(LoginError::Status(place(), answer.status.as_u16()));
        }
        let document = serde_json::from_slice(&answer.body);
        document
            .map(Some)
            .map_err(|error| LoginError::Document(place(), "metadata", error.to_string()))
    }
}

pub(super) const JSON: &str = "application/json";

impl Resource {
    /// Finds the metadata of the server at `url`, which has sent `challenge`.
    pub(crate) async fn find(
        url: &Target,
        challenge: &Challenge,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        let mut paths = Vec::new();
        if let Some(text) = &challenge.metadata {
            let place = Reach::of(url).check(text)?;
            if !place.is_same_server(url) {
                return Err(LoginError::Place {
                    url: place.place(),
                    why: "is where the server has its metadata, but it is another server",
                });
            }
            let path = place.uri.path_and_query().map(ToString::to_string);
            paths.extend(path);
        }
        let own = url.uri.path().trim_end_matches('/');
        paths.extend([format!("{WELL_KNOWN}{own}"), WELL_KNOWN.to_owned()]);
        paths.dedup();
        for path in paths {
            let Some(mut found) = fetch.metadata::<Self>(url, &path).await? else {
                continue;
            };
            if !is_resource_of(&found.id, url) {
                let resource = found.id.escape_default().take(200).collect();
                return Err(LoginError::OtherResource(resource));
            }
            found.scopes.retain(|scope| is_scope(scope));
            found.scopes.truncate(MAX_SCOPES);
            return Ok(found);
        }
        Err(LoginError::NoResourceMetadata)
    }
}

/// Returns true if `id` identifies the server at `url`: it is equal, or the same host with the
/// beginning of its path.
fn is_resource_of(id: &str, url: &Target) -> bool {
    let Some(target) = id.parse().ok().and_then(|uri: Uri| Target::new(&uri).ok()) else {
        return false;
    };
    let own = target.uri.path().trim_end_matches('/');
    let below = url.uri.path().strip_prefix(own);
    let is_below = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let query = target.uri.query();
    let is_same_query = query.is_none() || query == url.uri.query();
    target.is_same_server(url) && is_below && is_same_query && !id.contains('#')
}

impl Authority {
    /// Finds the metadata of `issuer`, which the server names.
    pub(crate) async fn find(
        issuer: &str,
        reach: Reach,
        fetch: &Fetch,
    ) -> Result<Self, LoginError> {
        let base = reach.check(issuer)?;
        for path in paths(base.uri.path()) {
            if let Some(found) = fetch.metadata::<Self>(&base, &path).await? {
                found.check(issuer, reach)?;
                return Ok(found);
            }
        }
        Err(LoginError::NoAuthorityMetadata(issuer.to_owned()))
    }

    fn check(&self, issuer: &str, reach: Reach) -> Result<(), LoginError> {
        if self.issuer != issuer {
            let other = self.issuer.escape_default().take(200).collect();
            return Err(LoginError::OtherIssuer(issuer.to_owned(), other));
        }
        let methods = self.code_challenge_methods_supported.as_ref();
        if !methods.is_some_and(|all| all.iter().any(|method| method == "S256")) {
            return Err(LoginError::NoPkce(issuer.to_owned()));
        }
        let optional = [&self.registration_endpoint, &self.revocation_endpoint];
        [&self.authorization_endpoint, &self.token_endpoint]
            .into_iter()
            .chain(optional.into_iter().flatten())
            .try_for_each(|url| reach.check(url).map(drop))
    }
}

/// The places of the metadata of an issuer with this path, in the order of MCP's specification.
fn paths(path: &str) -> Vec<String> {
    let path = path.trim_end_matches('/');
    let mut paths = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ];
    paths.dedup();
    paths
}

impl Challenge {
    /// Reads the challenge in the headers; an empty one if there is none.
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let values = headers.get_all(WWW_AUTHENTICATE);
        let mut texts = values.iter().filter_map(|value| value.to_str().ok());
        texts.find_map(Self::parse).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut challenge = Self::default();
        let (mut is_bearer, mut was_bearer) = (false, false);
        for part in split(text) {
            // A part begins with the name of a scheme, or is a parameter of the last one.
            let (first, rest) = part.split_once([' ', '\t']).unwrap_or((part, ""));
            let parameter = if first.contains('=') {
                part
            } else {
                is_bearer = first.eq_ignore_ascii_case("bearer");
                was_bearer |= is_bearer;
                rest.trim()
            };
            let Some((name, value)) = parameter.split_once('=').filter(|_| is_bearer) else {
                continue;
            };
            let value = unquote(value.trim());
            match name.trim().to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.metadata = Some(value),
                "scope" => challenge.scopes = scopes(&value),
                "error" => challenge.is_insufficient = value == "insufficient_scope",
                _ => {}
            }
        }
        was_bearer.then_some(challenge)
    }
}

/// Reads the scopes in a text; words that are no scope (RFC 6749, 3.3) are left out.
pub(crate) fn scopes(text: &str) -> Vec<String> {
    let scopes = text.split(' ').filter(|scope| is_scope(scope));
    scopes.take(MAX_SCOPES).map(str::to_owned).collect()
}

/// Returns true if `text` is a scope: graphic characters of ASCII without quotes and backslashes.
fn is_scope(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    !text.is_empty() && text.len() <= 200 && text.bytes().all(is_allowed)
}

/// Splits a header at the commas that are not in a quoted string.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, char) in text.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn unquote(text: &str) -> String {
    let Some(inner) = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    else {
        return text.to_owned();
    };
    let mut unquoted = String::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        unquoted.extend(if char == '\\' {
            chars.next()
        } else {
            Some(char)
        });
    }
    unquoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(Option<&str>, &[&str], bool)>) {
        let expected = expected.map(|(metadata, scopes, is_insufficient)| Challenge {
            metadata: metadata.map(str::to_owned),
            scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
            is_insufficient,
        });
        assert_eq!(Challenge::parse(text), expected, "{text}");
    }

    #[test]
    fn challenges_are_read() {
        check("Bearer", Some((None, &[], false)));
        check("Basic realm=\"a\"", None);
        check(
            "Bearer resource_metadata=\"https://a/b,c\", scope=\"x y\"",
            Some((Some("https://a/b,c"), &["x", "y"], false)),
        );
        check(
            "Basic realm=\"scope=\\\"z\\\"\", bearer error=insufficient_scope,scope=w",
            Some((None, &["w"], true)),
        );
        check(
            "Bearer scope=\"a\", Digest scope=\"b\"",
            Some((None, &["a"], false)),
        );
        check(
            "Bearer scope=\"a\\\"b c\u{7f}d ok\"",
            Some((None, &["ok"], false)),
        );
    }

    #[test]
    fn metadata_is_sought_in_order() {
        assert_eq!(
            paths("/"),
            [
                "/.well-known/oauth-authorization-server",
                "/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            paths("/t/"),
            [
                "/.well-known/oauth-authorization-server/t",
                "/.well-known/openid-configuration/t",
                "/t/.well-known/openid-configuration",
            ]
        );
    }

    #[test]
    fn a_resource_is_the_server_or_contains_it() {
        let url = "https://mcp.example/a/mcp".parse().expect("a URL");
        let url = Target::new(&url).expect("a target");
        for (id, expected) in [
            ("https://mcp.example/a/mcp", true),
            ("https://MCP.example:443/a/mcp/", true),
            ("https://mcp.example/a", true),
            ("https://mcp.example", true),
            ("https://mcp.example/a/m", false),
            ("https://mcp.example/a/mcp/b", false),
            ("https://mcp.example/a/mcp?x", false),
            ("https://mcp.example/a/mcp#x", false),
            ("http://mcp.example/a/mcp", false),
            ("https://evil.example/a/mcp", false),
            ("https://mcp.example.evil.example/a/mcp", false),
            ("mcp.example", false),
        ] {
            assert_eq!(is_resource_of(id, &url), expected, "{id}");
        }
    }
}
