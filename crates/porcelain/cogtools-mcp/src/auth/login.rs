//! The login: from the server's challenge to tokens for it. The browser brings the answer of the
//! authorization server to a port of this machine (RFC 8252, 7.3).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cogtools_core::digest;
use cogtools_core::file::{WriteError, WritePath, create_private_folder, remove, replace_private};
use cogtools_http::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY};
use cogtools_http::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use cogtools_http::server::{Body, Server, ServerOptions, text};
use cogtools_http::{Bytes, Target};
use cogtools_program::Io;
use cogtools_program::dirs::state_dir;
use form_urlencoded::Serializer;
use parking_lot::Mutex;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot::{self, Sender};
use tokio::time::{Instant, sleep};

use crate::auth::command::{Reach, may_have_token};
use crate::auth::keyring::{self, Keyring};
use crate::auth::metadata::{Authority, Challenge, Fetch, JSON, Resource};
use crate::auth::{Grant, LoginError, OwnClient, Registration, said};

/// The time that the user may take.
const PATIENCE: Duration = Duration::from_mins(10);
/// The scope that asks for a token to renew others (`OpenID` Connect Core, 11).
const OFFLINE: &str = "offline_access";
/// The path of the answer.
const PATH: &str = "/callback";
const VERSION: &str = "2026-07-28";

/// A login to one server.
pub(crate) struct Login<'l> {
    /// The URL of the server, exactly as the source names it.
    pub(crate) server: &'l str,
    /// A client that the user has registered.
    pub(crate) client: Option<OwnClient>,
    /// Scopes that the user asks for.
    pub(crate) scopes: Vec<String>,
    /// The grant of the last login, if there was one.
    pub(crate) previous: Option<Grant>,
    pub(crate) fetch: &'l Fetch,
}

impl Login<'_> {
    /// Logs in: `show` receives the URL that the user has to open.
    pub(crate) async fn run(
        mut self,
        show: impl FnOnce(&str) -> Result<(), LoginError>,
    ) -> Result<Grant, LoginError> {
        let url = Reach::Loopback.check(self.server)?;
        if !may_have_token(self.server) {
            return Err(LoginError::Place {
                url: url.place(),
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
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = Server::bind(address).await;
        let server = server.map_err(|error| LoginError::Listen(error.to_string()))?;
        let redirect = format!("http://{}{PATH}", server.address());
        let client = self.client.take();
        let client = Registration::obtain(client, &authority, &redirect, self.fetch).await?;
        let scopes = self.wanted(challenge.scopes, &resource, &authority);
        let (state, verifier) = (random()?, random()?);
        let pkce = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        let query = [
            ("response_type", "code"),
            ("client_id", &client.id),
            ("state", &state),
            ("code_challenge", &pkce),
            ("code_challenge_method", "S256"),
            ("redirect_uri", &redirect),
            ("resource", &resource.id),
        ];
        show(&page(&authority.authorization_endpoint, &query, &scopes))?;
        let answer = tokio::time::timeout(PATIENCE, receive(server, state)).await;
        let answer = answer.map_err(|_| LoginError::TimedOut(PATIENCE.as_secs() / 60))??;
        let code = code(answer, &authority)?;
        let mut grant = Grant::new(self.server, resource.id, authority, client, scopes);
        let exchanged = grant.exchange(&code, &redirect, &verifier, self.fetch);
        exchanged.await?;
        Ok(grant)
    }

    /// Finds the metadata of a server of the revision 2025-03-26, which has none of its own and is
    /// its authorization server.
    async fn older(&self, url: &Target) -> Result<(Resource, Authority), LoginError> {
        let resource = Resource {
            id: self.server.to_owned(),
            authorities: Vec::new(),
            scopes: Vec::new(),
        };
        let issuer = url.origin().to_string();
        let issuer = issuer.trim_end_matches('/');
        let found = Authority::find(issuer, Reach::of(url), self.fetch).await;
        let authority = found.map_err(|error| match error {
            LoginError::NoAuthorityMetadata(_) => LoginError::NoResourceMetadata,
            error => error,
        })?;
        Ok((resource, authority))
    }

    /// Returns true if the server asks for a login, and its challenge.
    async fn challenge(&self, url: &Target) -> Result<(bool, Challenge), LoginError> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta},
        });
        let headers = [
            (ACCEPT, "application/json, text/event-stream"),
            (CONTENT_TYPE, JSON),
            (HeaderName::from_static("mcp-protocol-version"), VERSION),
            (HeaderName::from_static("mcp-method"), "server/discover"),
        ];
        let sent = self
            .fetch
            .send(Method::POST, &url.uri, &headers, body.to_string());
        let answer = sent.await?;
        let is_asked = answer.status == StatusCode::UNAUTHORIZED;
        Ok((is_asked, Challenge::read(&answer.headers)))
    }

    /// Returns the scopes to ask for: the challenge's, or else the ones for basic functions, and
    /// those that were asked for before, so that none is lost.
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

/// Returns the page at `endpoint` where the user agrees to `scopes`.
fn page(endpoint: &str, query: &[(&str, &str)], scopes: &[String]) -> String {
    let mut form = Serializer::new(String::new());
    form.extend_pairs(query);
    if !scopes.is_empty() {
        form.append_pair("scope", &scopes.join(" "));
    }
    if scopes.iter().any(|scope| scope == OFFLINE) {
        // Without consent there is no such token (`OpenID` Connect Core, 11).
        form.append_pair("prompt", "consent");
    }
    let joint = if endpoint.contains('?') { '&' } else { '?' };
    format!("{endpoint}{joint}{}", form.finish())
}

/// Returns 256 random bits in the alphabet of URLs.
pub(crate) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The answer to a login.
#[derive(Debug, Default)]
struct Answer {
    code: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
    description: Option<String>,
}

/// Returns the code of an answer, if the authorization server has given one. Nothing of an answer
/// is used before its issuer is known (RFC 9207, 2.4).
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

/// Receives the first answer with this `state` at `server`. Anything on this machine can send
/// others: they are rejected, and do not end the login.
async fn receive(server: Server, state: String) -> Result<Answer, LoginError> {
    let (sender, receiver) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let handle = move |request: Request<Bytes>| {
        let mut response = respond(&request, &state, &sender);
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        async move { response }
    };
    let mut received = None;
    let stop = async { received = receiver.await.ok() };
    server.serve(ServerOptions::default(), handle, stop).await;
    received.ok_or(LoginError::Cancelled)
}

fn respond(
    request: &Request<Bytes>,
    state: &str,
    sender: &Mutex<Option<Sender<Answer>>>,
) -> Response<Body> {
    if request.uri().path() != PATH || request.method() != Method::GET {
        return text(StatusCode::NOT_FOUND, "there is nothing here\n");
    }
    let Some(answer) = parse(request.uri().query().unwrap_or_default(), state) else {
        let message = "This is not the answer to the login that cogtools waits for.\n";
        return text(StatusCode::BAD_REQUEST, message);
    };
    let sender = sender.lock().take();
    if sender.is_some_and(|sender| sender.send(answer).is_ok()) {
        let message = "cogtools has the answer: close this page, and return to the terminal.\n";
        return text(StatusCode::OK, message);
    }
    text(StatusCode::BAD_REQUEST, "The login has ended already.\n")
}

/// Reads the answer in a query, if it is to the request with this `state`. No parameter may be
/// repeated.
fn parse(query: &str, state: &str) -> Option<Answer> {
    let mut answer = Answer::default();
    let mut answered = None;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let field = match &*name {
            "state" => &mut answered,
            "code" => &mut answer.code,
            "iss" => &mut answer.issuer,
            "error" => &mut answer.error,
            "error_description" => &mut answer.description,
            _ => continue,
        };
        if field.replace(value.into_owned()).is_some() {
            return None;
        }
    }
    let answered = answered?;
    let difference = answered.bytes().zip(state.bytes());
    let difference = difference.fold(0, |all, (a, b)| all | (a ^ b));
    let is_same = difference == 0 && answered.len() == state.len();
    is_same.then_some(answer)
}

/// The folder, in the user's state.
const FOLDER: &str = "logins";
/// The largest entry.
const MAX_BYTES: u64 = 256 << 10;
/// The time that another process may take to renew a token.
const MAX_WAIT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The tokens of the user.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    keyring: Option<Arc<dyn Keyring>>,
}

impl Store {
    /// Returns the store of the user who runs this program.
    pub(crate) fn of(io: &Io<'_>) -> Option<Self> {
        Some(Self {
            folder: state_dir(io)?.join(FOLDER),
            keyring: keyring::of(io),
        })
    }

    /// Loads the tokens for the server at `url`.
    pub(crate) fn load(&self, url: &str) -> Option<Grant> {
        let bytes = if self.path(url, MARKER).is_file() {
            self.keyring.as_ref()?.load(&key(url))?
        } else {
            read(&self.path(url, DATA))?
        };
        let grant: Grant = serde_json::from_slice(&bytes).ok()?;
        // The name of an entry is no proof of what is in it.
        (grant.server == url).then_some(grant)
    }

    /// Keeps `grant`, and forgets the last one for its server. Returns the file, if it is in one.
    pub(crate) fn save(&self, grant: &Grant) -> Result<Option<PathBuf>, LoginError> {
        let failed = |error: &dyn std::fmt::Display| LoginError::Store(error.to_string());
        let url = &grant.server;
        let bytes = serde_json::to_vec(grant).map_err(|error| failed(&error))?;
        create_private_folder(&self.folder).map_err(|error| failed(&error))?;
        let write = |ending: &str, bytes: &[u8]| {
            let name = format!("{}{ending}", key(url));
            let file = WritePath::below(&self.folder, name.as_ref());
            replace_private(&file, bytes).map_err(|error| failed(&error))
        };
        let keyring = self.keyring.as_ref();
        if keyring.is_some_and(|keyring| keyring.save(&key(url), url, &bytes)) {
            // It says only where the token is.
            write(MARKER, b"")?;
            let _ = self.remove_file(url, DATA);
            return Ok(None);
        }
        write(DATA, &bytes)?;
        // One that has no room for this token may still have the last one.
        if self.path(url, MARKER).is_file()
            && let Some(keyring) = keyring
        {
            keyring.remove(&key(url));
        }
        let _ = self.remove_file(url, MARKER);
        Ok(Some(self.path(url, DATA)))
    }

    /// Forgets the tokens for the server at `url`; returns true if there were any.
    pub(crate) fn remove(&self, url: &str) -> Result<bool, LoginError> {
        let in_keyring = self.path(url, MARKER).is_file()
            && self.keyring.as_ref().is_some_and(|it| it.remove(&key(url)));
        let mut was_there = in_keyring;
        for ending in [MARKER, DATA] {
            if self.path(url, ending).exists() {
                let removed = self.remove_file(url, ending);
                removed.map_err(|error| LoginError::Store(error.to_string()))?;
                was_there = true;
            }
        }
        Ok(was_there)
    }

    /// The values of variables that the keyring has under `key`, if it has some.
    pub(crate) fn secrets(&self, key: &str) -> Option<BTreeMap<String, String>> {
        let bytes = self.keyring.as_ref()?.load(key)?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps the values of variables of the source `name` in the keyring; returns false if there is none,
    /// or if it cannot.
    pub(crate) fn save_secrets(
        &self,
        key: &str,
        name: &str,
        secrets: &BTreeMap<String, String>,
    ) -> bool {
        let label = format!("variables://{name}");
        let keyring = self.keyring.as_ref();
        keyring.is_some_and(|it| it.save(key, &label, json!(secrets).to_string().as_bytes()))
    }

    /// Forgets the values of variables under `key`.
    pub(crate) fn remove_secrets(&self, key: &str) {
        self.keyring.as_ref().map(|keyring| keyring.remove(key));
    }

    fn remove_file(&self, url: &str, ending: &str) -> Result<(), WriteError> {
        let name = format!("{}{ending}", key(url));
        remove(&WritePath::below(&self.folder, name.as_ref()))
    }

    /// Excludes other processes that renew the token for `url`: most authorization servers accept
    /// a refresh token once.
    pub(crate) async fn lock(&self, url: &str) -> Option<File> {
        // What waits for the last file finds the token in the new one.
        let file = File::open(self.path(url, DATA))
            .or_else(|_| File::open(self.path(url, MARKER)))
            .ok()?;
        let end = Instant::now() + MAX_WAIT;
        while file.try_lock().is_err() {
            if Instant::now() >= end {
                return None;
            }
            sleep(POLL_INTERVAL).await;
        }
        Some(file)
    }

    fn path(&self, url: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", key(url)))
    }
}

const DATA: &str = ".json";
const MARKER: &str = ".keyring";

/// The name of the entry for a URL.
fn key(url: &str) -> String {
    let hash = digest::bytes(url.as_bytes()).to_string();
    hash.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let is_ours = metadata.is_file() && metadata.len() <= MAX_BYTES;
    is_ours.then(|| fs::read(path).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: Option<(Option<&str>, Option<&str>)>) {
        let answer = parse(query, "s+1");
        let answer = answer.map(|answer| (answer.code, answer.issuer));
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let expected = expected.map(|(code, issuer)| (owned(code), owned(issuer)));
        assert_eq!(answer, expected, "{query}");
    }

    #[test]
    fn only_the_answer_with_the_state_counts() {
        check("code=a&state=s%2B1", Some((Some("a"), None)));
        check(
            "state=s%2B1&code=a&iss=https%3A%2F%2Fb&other=1",
            Some((Some("a"), Some("https://b"))),
        );
        check("error=access_denied&state=s%2B1", Some((None, None)));
        for query in [
            "",
            "code=a",
            "code=a&state=",
            "code=a&state=s%2B2",
            "code=a&state=s%2B11",
            "code=a&state=s%2B1&state=s%2B1",
            "code=a&code=b&state=s%2B1",
            "iss=a&iss=b&code=a&state=s%2B1",
        ] {
            check(query, None);
        }
    }
}
