//! The client.

use std::fmt;
use std::sync::Arc;

use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, COOKIE, LOCATION, PROXY_AUTHORIZATION,
    USER_AGENT,
};
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::causes;
use crate::connect::Connector;
use crate::error::{HttpError, Reason};
use crate::options::{ClientOptions, PlainHttp};
use crate::resolve::Resolver;
use crate::response::Response;
use crate::target::{Target, shown};

/// How many redirects of the same server are followed.
const MAX_REDIRECTS: usize = 5;
/// The smallest buffer that hyper accepts.
const MIN_BUFFER_BYTES: usize = 8 << 10;
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
    user_agent: HeaderValue,
}

impl Client {
    /// A client with these options.
    pub fn new(options: ClientOptions) -> Result<Self, HttpError> {
        Self::with_resolver(options, Resolver::system())
    }

    pub(crate) fn with_resolver(
        options: ClientOptions,
        resolver: Resolver,
    ) -> Result<Self, HttpError> {
        let user_agent = HeaderValue::try_from(&options.user_agent).map_err(|_| HttpError {
            host: options.user_agent.escape_default().to_string(),
            reason: Reason::InvalidUrl("it is not a valid `User-Agent`"),
        })?;
        let pool = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .http1_max_buf_size(options.max_header_bytes.max(MIN_BUFFER_BYTES))
            .build(Connector::new(&options, resolver));
        Ok(Self {
            pool,
            options: Arc::new(options),
            user_agent,
        })
    }

    /// Sends a request, and returns when the headers of the response have arrived,
    /// whatever the status. Redirects are an error, except those of a GET to the same
    /// server.
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

    async fn send_once(
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
        let sent = tokio::time::timeout(
            limit.saturating_add(self.options.connect_timeout),
            self.pool.request(request),
        );
        let response = sent
            .await
            .map_err(|_| fail(Reason::ReadTimeout(limit)))?
            .map_err(|error| fail(causes::of_request(&error)))?;
        let (parts, body) = response.into_parts();
        let encoding = parts.headers.get(CONTENT_ENCODING);
        if encoding.is_some_and(|name| !name.as_bytes().eq_ignore_ascii_case(b"identity")) {
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

    /// The request as it is sent to `target`.
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
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
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
        headers
            .entry(USER_AGENT)
            .or_insert_with(|| self.user_agent.clone());
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
