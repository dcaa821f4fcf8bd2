//! The client: its options, a request, and a response whose body is read in bounded steps.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cogtools_process::http::HostRule;
use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, AsHeaderName, CONTENT_ENCODING, COOKIE, LOCATION,
    PROXY_AUTHORIZATION, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use crate::connect::{Connector, Resolver};
use crate::error::{HttpError, Reason, of_body, of_request};
use crate::proxy::Proxies;
use crate::target::{Target, shown};

/// Environment variables, as the caller has them.
pub type Vars = BTreeMap<OsString, OsString>;

/// The variables that [`ClientOptions::from_vars`] reads.
pub const VARIABLES: [&str; 9] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];

/// The hosts to which plain `http:` is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainHttp {
    /// Only this machine.
    #[default]
    Loopback,
    /// Any: the user has named the URL, such as a model in the local network.
    Any,
}

/// The options of a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The limit for name, connection, proxy and TLS together.
    pub connect_timeout: Duration,
    /// The limit for the request until the headers of its response, and for each
    /// pause in its body.
    pub read_timeout: Duration,
    /// The limit for the body of a response.
    pub max_response_bytes: u64,
    /// The proxies.
    pub proxies: Proxies,
    /// The hosts to which plain `http:` is allowed.
    pub plain_http: PlainHttp,
    /// The file with the certificates of trusted authorities.
    pub certificates: Option<PathBuf>,
    /// The directory with the certificates of trusted authorities.
    pub certificate_dir: Option<PathBuf>,
    /// The hosts and addresses that may be connected to; every one if there are no rules.
    pub hosts: Option<Vec<HostRule>>,
    /// True if a response may be compressed; its body is then still so.
    pub gzip: bool,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_mins(1),
            max_response_bytes: 64 << 20,
            proxies: Proxies::default(),
            plain_http: PlainHttp::default(),
            certificates: None,
            certificate_dir: None,
            hosts: None,
            gzip: false,
        }
    }
}

impl ClientOptions {
    /// Returns the defaults with the proxies and the authorities of the user's environment.
    /// `vars` must not have variables that a project sets: it could read everything.
    pub fn from_vars(vars: &Vars) -> Self {
        let path = |name: &str| vars.get(OsStr::new(name)).filter(|value| !value.is_empty());
        Self {
            proxies: Proxies::from_vars(vars),
            certificates: path("SSL_CERT_FILE").map(PathBuf::from),
            certificate_dir: path("SSL_CERT_DIR").map(PathBuf::from),
            ..Self::default()
        }
    }
}

/// The number of redirects of the same server that are followed.
const MAX_REDIRECTS: usize = 5;
/// The time after which a connection without requests is closed, and the number of them per host.
const IDLE: Duration = Duration::from_mins(1);
const MAX_IDLE: usize = 8;
/// The limit for the headers of a message.
pub(crate) const MAX_HEADER_BYTES: usize = 64 << 10;
/// The header `User-Agent`.
const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("cogtools/", env!("CARGO_PKG_VERSION")));
/// Headers that are secrets.
const SECRETS: [HeaderName; 6] = [
    AUTHORIZATION,
    PROXY_AUTHORIZATION,
    COOKIE,
    HeaderName::from_static("x-goog-api-key"),
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("api-key"),
];

/// A client. Copies share the connections, which stay open for further requests.
/// Dropping a future of it closes the connection that the future uses.
#[derive(Clone)]
pub struct Client {
    pool: legacy::Client<Connector, Full<Bytes>>,
    options: Arc<ClientOptions>,
}

impl Client {
    /// Returns a client with these options.
    pub fn new(options: ClientOptions) -> Self {
        Self::with_resolver(options, Resolver::system())
    }

    pub(crate) fn with_resolver(options: ClientOptions, resolver: Resolver) -> Self {
        let pool = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(MAX_IDLE)
            .http1_max_buf_size(MAX_HEADER_BYTES)
            .build(Connector::new(&options, resolver));
        Self {
            pool,
            options: Arc::new(options),
        }
    }

    /// Sends a request, and returns when the headers of the response have arrived,
    /// whatever the status. Redirects are an error, except for a GET to the same server.
    ///
    /// # Errors
    /// The first failure; see [`Reason`].
    pub async fn send(&self, request: Request<Bytes>) -> Result<Response, HttpError> {
        let mut target = Target::new(request.uri())?;
        let mut redirects = 0;
        loop {
            let response = self.send_once(&target, &request).await?;
            let Some(location) = response.header(LOCATION) else {
                return Ok(response);
            };
            if !response.status.is_redirection() {
                return Ok(response);
            }
            let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
            let next = target.follow(location);
            let Some(next) = next.filter(|_| is_safe && redirects < MAX_REDIRECTS) else {
                let (status, to) = (response.status, shown(location));
                return Err(target.error(Reason::Redirect { status, to }));
            };
            redirects += 1;
            target.uri = next;
        }
    }

    /// Sends a request to `target` like [`Self::send`], but follows no redirect.
    ///
    /// # Errors
    /// The first failure; see [`Reason`].
    pub async fn send_once(
        &self,
        target: &Target,
        request: &Request<Bytes>,
    ) -> Result<Response, HttpError> {
        let fail = |reason| target.error(reason);
        if !target.is_https
            && self.options.plain_http == PlainHttp::Loopback
            && !target.is_loopback()
        {
            return Err(fail(Reason::PlainHttp));
        }
        let request = self.prepare(target, request).map_err(fail)?;
        let limit = self.options.read_timeout;
        let sent = timeout(
            limit.saturating_add(self.options.connect_timeout),
            self.pool.request(request),
        );
        let response = sent
            .await
            .map_err(|_| fail(Reason::ReadTimeout(limit)))?
            .map_err(|error| fail(of_request(&error)))?;
        let (parts, body) = response.into_parts();
        let encoding = parts.headers.get(CONTENT_ENCODING);
        let is_known = |name: &HeaderValue| {
            let name = name.as_bytes();
            name.eq_ignore_ascii_case(b"identity")
                || self.options.gzip && name.eq_ignore_ascii_case(b"gzip")
        };
        if !encoding.is_none_or(is_known) {
            return Err(fail(Reason::Compressed));
        }
        Ok(Response {
            status: parts.status,
            headers: parts.headers,
            body,
            host: target.name.clone(),
            read_timeout: limit,
            max_bytes: self.options.max_response_bytes,
            left: self.options.max_response_bytes,
        })
    }

    /// Returns the request as it is sent to `target`.
    fn prepare(
        &self,
        target: &Target,
        request: &Request<Bytes>,
    ) -> Result<Request<Full<Bytes>>, Reason> {
        let mut sent = Request::new(Full::new(request.body().clone()));
        *sent.method_mut() = request.method().clone();
        *sent.uri_mut() = target.uri.clone();
        let headers = sent.headers_mut();
        headers.clone_from(request.headers());
        let encoding = if self.options.gzip {
            "gzip"
        } else {
            "identity"
        };
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding));
        // Only a proxy may see it, and only over http: a tunnel has its own.
        headers.remove(PROXY_AUTHORIZATION);
        let proxy = self.options.proxies.find(target)?;
        if let Some(proxy) = proxy.filter(|_| !target.is_https)
            && let Some(authorization) = &proxy.authorization
        {
            headers.insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        if let Some(authorization) = &target.authorization {
            headers
                .entry(AUTHORIZATION)
                .or_insert_with(|| authorization.clone());
        }
        headers.entry(USER_AGENT).or_insert(AGENT);
        for (name, value) in headers.iter_mut() {
            if SECRETS.contains(name) {
                value.set_sensitive(true);
            }
        }
        Ok(sent)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// A response. Dropped before its end, it closes the connection.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    body: Incoming,
    host: String,
    read_timeout: Duration,
    /// The limit for the body, and how much of it is left.
    max_bytes: u64,
    left: u64,
}

impl Response {
    /// Reads the next piece of the body, as soon as it arrives; `None` at its end.
    ///
    /// # Errors
    /// A pause longer than the limit, too many bytes, or a connection that ends early.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let frame = timeout(self.read_timeout, self.body.frame()).await;
            let frame = frame.map_err(|_| self.error(Reason::ReadTimeout(self.read_timeout)))?;
            let Some(frame) = frame else {
                return Ok(None);
            };
            let frame = frame.map_err(|error| self.error(of_body(&error)))?;
            // A trailer is not a part of the body.
            let Ok(bytes) = frame.into_data() else {
                continue;
            };
            self.left = u64::try_from(bytes.len())
                .ok()
                .and_then(|length| self.left.checked_sub(length))
                .ok_or_else(|| self.error(Reason::TooLarge(self.max_bytes)))?;
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    /// Limits what is left of the body to `limit` bytes.
    #[must_use]
    pub const fn within(mut self, limit: u64) -> Self {
        if limit < self.left {
            (self.max_bytes, self.left) = (limit, limit);
        }
        self
    }

    /// Reads the whole body, of at most `limit` bytes.
    pub async fn bytes(self, limit: u64) -> Result<Bytes, HttpError> {
        let mut response = self.within(limit);
        if response.body.size_hint().lower() > response.left {
            return Err(response.error(Reason::TooLarge(response.max_bytes)));
        }
        let mut all = Vec::new();
        while let Some(bytes) = response.chunk().await? {
            all.extend_from_slice(&bytes);
        }
        Ok(all.into())
    }

    /// Reads the whole body as text, of at most `limit` bytes; invalid UTF-8 is replaced.
    pub async fn text(self, limit: u64) -> Result<String, HttpError> {
        let bytes = self.bytes(limit).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns a header, if it is text.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn error(&self, reason: Reason) -> HttpError {
        HttpError {
            host: self.host.clone(),
            reason,
        }
    }
}
