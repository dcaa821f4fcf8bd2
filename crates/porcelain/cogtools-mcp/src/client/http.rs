//! A server at a URL: the HTTP client for the transport of the SDK.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use cogtools_http::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use cogtools_http::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use cogtools_http::sse::SseParser;
use cogtools_http::{Bytes, Client, ClientOptions, PlainHttp, Reason, Response};
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ProtocolVersion, ServerJsonRpcMessage,
};
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};
use sse_stream::{Error as SseError, Sse};

use crate::auth::{Bearer, Challenge};
use crate::client::LIST_TIMEOUT;
use crate::client::connector::{Connector, HttpError};
use crate::client::process::{CALLS, MAX_MESSAGE_BYTES, parse_all};
use crate::sources::host::clean;

type Headers = HashMap<HeaderName, HeaderValue>;
type SdkError = StreamableHttpError<HttpError>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

const MAX_RESPONSE_BYTES: u64 = MAX_MESSAGE_BYTES as u64;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const JSON_OR_EVENTS: &str = "application/json, text/event-stream";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");

/// The time for which a stream may be silent: announcements are rare. A connection that is dead is
/// noticed by the system.
const MAX_SILENCE: Duration = Duration::from_hours(1);

/// The HTTP client for one server.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client,
    /// For streams that stay open.
    streams: Client,
    /// The limit of the run.
    timeout: Duration,
    /// True if the server may send messages that answer no request.
    listens: bool,
    /// The token of a login, if the source has none.
    bearer: Option<Bearer>,
    last_error: Arc<Mutex<Option<HttpError>>>,
}

impl Http {
    /// Returns the client for the server of `connector`, which is at `url`, with the proxies and
    /// the trusted authorities of its variables.
    pub(crate) fn new(connector: &Connector<'_>, url: &str) -> Self {
        let (server, vars, timeout) = (connector.server, connector.vars, connector.timeout);
        let client = |read_timeout, max_response_bytes| {
            Client::new(ClientOptions {
                connect_timeout: timeout.min(LIST_TIMEOUT),
                read_timeout,
                max_response_bytes,
                plain_http: PlainHttp::Any,
                ..ClientOptions::from_vars(vars)
            })
        };
        let store = connector.store.clone().filter(|_| !server.has_own_token());
        Self {
            client: client(timeout, MAX_RESPONSE_BYTES),
            streams: client(MAX_SILENCE, u64::MAX),
            timeout,
            listens: connector.listens,
            bearer: Bearer::for_server(url, store, vars, &server.secrets),
            last_error: Arc::default(),
        }
    }

    /// Returns a transport to the server at `url`.
    pub(crate) fn transport(
        &self,
        url: &str,
        headers: &[(HeaderName, HeaderValue)],
    ) -> StreamableHttpClientTransport<Self> {
        let config = StreamableHttpClientTransportConfig::with_uri(url)
            .custom_headers(headers.iter().cloned().collect());
        StreamableHttpClientTransport::with_client(self.clone(), config)
    }

    /// Returns the last error: the SDK passes on less of it.
    pub(crate) fn last_error(&self) -> Option<HttpError> {
        self.last_error.lock().clone()
    }

    fn record(&self, error: HttpError) -> HttpError {
        *self.last_error.lock() = Some(error.clone());
        error
    }

    fn fail(&self, error: HttpError) -> SdkError {
        StreamableHttpError::Client(self.record(error))
    }

    fn events(&self, response: Response) -> Events {
        let parser = SseParser::new(MAX_MESSAGE_BYTES);
        let start = Some((self.clone(), response, parser, VecDeque::new()));
        let next = async |state: Option<(Self, Response, SseParser, VecDeque<Sse>)>| {
            let (http, mut response, mut parser, mut events) = state?;
            loop {
                if let Some(event) = parser.next_event() {
                    events.extend(messages_in(event.data).into_iter().map(|data| Sse {
                        event: event.event.clone(),
                        data: Some(data),
                        id: event.id.clone(),
                        retry: event.retry,
                    }));
                }
                if let Some(event) = events.pop_front() {
                    return Some((Ok(event), Some((http, response, parser, events))));
                }
                let pushed = match response.chunk().await {
                    Ok(Some(bytes)) => parser
                        .push(&bytes)
                        .map_err(|_| Reason::TooLarge(MAX_RESPONSE_BYTES)),
                    Ok(None) => return None,
                    Err(error) => Err(error.reason),
                };
                if let Err(reason) = pushed {
                    let error = http.record(HttpError::Request(reason));
                    return Some((Err(SseError::Body(Box::new(error))), None));
                }
            }
        };
        stream::unfold(start, next).boxed()
    }

    /// Sends a request; `is_open` says that its response is a stream which lasts as long as the
    /// session. A token that is rejected is renewed once.
    async fn send(
        &self,
        (method, uri): (Method, &str),
        body: Vec<u8>,
        session: Option<&str>,
        headers: Headers,
        is_open: bool,
    ) -> Result<Response, SdkError> {
        let accept = if method == Method::GET {
            EVENTS
        } else {
            JSON_OR_EVENTS
        };
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = method;
        let invalid = |_| self.fail(HttpError::Request(Reason::InvalidUrl("its URL is invalid")));
        *request.uri_mut() = uri.parse().map_err(invalid)?;
        let all = request.headers_mut();
        all.extend(headers.into_iter().map(|(name, value)| (Some(name), value)));
        all.insert(ACCEPT, HeaderValue::from_static(accept));
        all.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        if let Some(session) = session.and_then(|text| HeaderValue::from_str(text).ok()) {
            all.insert(SESSION, session);
        }
        let Some(bearer) = &self.bearer else {
            return self.check(self.send_once(request, is_open).await?);
        };
        let token = bearer.header().await;
        if let Some(token) = &token {
            request.headers_mut().insert(AUTHORIZATION, token.clone());
        }
        let response = self.send_once(request.clone(), is_open).await?;
        if response.status == StatusCode::UNAUTHORIZED
            && let Some(other) = bearer.other_than(token.as_ref()).await
        {
            request.headers_mut().insert(AUTHORIZATION, other);
            return self.check(self.send_once(request, is_open).await?);
        }
        self.check(response)
    }

    async fn send_once(
        &self,
        request: Request<Bytes>,
        is_open: bool,
    ) -> Result<Response, SdkError> {
        let failed = |reason| self.fail(HttpError::Request(reason));
        let response = if is_open {
            let sent = tokio::time::timeout(self.timeout, self.streams.send(request)).await;
            sent.map_err(|_| failed(Reason::ReadTimeout(self.timeout)))?
        } else {
            self.client.send(request).await
        };
        response.map_err(|error| failed(error.reason))
    }

    /// Checks two statuses whose headers say more than any body: who is not known, and who may not.
    fn check(&self, response: Response) -> Result<Response, SdkError> {
        let status = HttpError::Status(response.status, String::new());
        match response.status {
            StatusCode::UNAUTHORIZED if self.bearer.is_none() => Err(self.fail(status)),
            StatusCode::UNAUTHORIZED => {
                let _ = self.fail(HttpError::LoginRequired);
                let error = AuthRequiredError::new(String::new());
                Err(StreamableHttpError::AuthRequired(error))
            }
            StatusCode::FORBIDDEN => {
                let challenge = Challenge::read(&response.headers);
                Err(self.fail(match &self.bearer {
                    Some(_) if challenge.is_insufficient => {
                        HttpError::ScopesRequired(challenge.scopes)
                    }
                    _ => status,
                }))
            }
            _ => Ok(response),
        }
    }

    /// Reads the response to `message` in a body that is not a stream. A rejection may lack
    /// the request's ID: the server sends it before it has read the request.
    fn response(
        &self,
        message: &ClientJsonRpcMessage,
        status: StatusCode,
        body: &[u8],
        session: Option<String>,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        let request = request(message);
        if body.is_empty() && status.is_success() {
            // A request would wait for its response forever.
            return match request {
                Some(_) => Err(self.fail(HttpError::NotMcp)),
                None => Ok(StreamableHttpPostResponse::Accepted),
            };
        }
        let rejection = |error: ErrorData| {
            let id = match message {
                ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
                _ => None,
            };
            ServerJsonRpcMessage::error(error, id)
        };
        // A server that only knows older revisions rejects `server/discover` so.
        let is_temporary = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
        );
        let is_unknown = matches!(request, Some(ClientRequest::DiscoverRequest(_)))
            && status.is_client_error()
            && !is_temporary;
        let response = match response_in(body) {
            Some(message) if status.is_success() => message,
            Some(ServerJsonRpcMessage::Error(error)) => rejection(error.error),
            _ if status == StatusCode::BAD_REQUEST || is_unknown => {
                rejection(ErrorData::invalid_request(format!("HTTP {status}"), None))
            }
            _ if status.is_success() => return Err(self.fail(HttpError::NotMcp)),
            _ => return Err(self.fail(HttpError::Status(status, excerpt(body)))),
        };
        Ok(StreamableHttpPostResponse::Json(response, session))
    }
}

impl StreamableHttpClient for Http {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        mut headers: Headers,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        let request = request(&message);
        // The SDK sends it with the requests of the newest revision only.
        if matches!(request, Some(ClientRequest::InitializeRequest(_))) {
            headers.insert(METHOD, HeaderValue::from_static("initialize"));
        }
        let is_open = matches!(request, Some(ClientRequest::SubscriptionsListenRequest(_)));
        let (body, to) = (serde_json::to_vec(&message)?, (Method::POST, &*uri));
        let sent = self.send(to, body, session.as_deref(), headers, is_open);
        let response = sent.await?;
        let status = response.status;
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return self.response(&message, status, b"", None);
        }
        let has_session = session.is_some();
        let expired = || {
            self.record(HttpError::Status(status, String::new()));
            Err(StreamableHttpError::SessionExpired)
        };
        if status == StatusCode::NOT_FOUND && has_session {
            return expired();
        }
        let session = response.header(&SESSION).map(str::to_owned);
        let content_type = response.header(CONTENT_TYPE).unwrap_or_default();
        let content_type = content_type.to_ascii_lowercase();
        if status.is_success() && content_type.starts_with(EVENTS) {
            let events = StreamableHttpPostResponse::Sse(self.events(response), session);
            if !matches!(request, Some(ClientRequest::ListToolsRequest(_))) {
                return Ok(events);
            }
            // The SDK searches lists for the headers that calls need, but may miss a
            // list whose stream ends immediately.
            let (message, session) = events.expect_initialized().await?;
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        let body = response.bytes(MAX_RESPONSE_BYTES).await;
        let body = body.map_err(|error| self.fail(HttpError::Request(error.reason)))?;
        if status == StatusCode::BAD_REQUEST && has_session && is_unknown_session(&body) {
            return expired();
        }
        self.response(&message, status, &body, session)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), SdkError> {
        let to = (Method::DELETE, &*uri);
        let sent = self.send(to, Vec::new(), Some(&session), headers, false);
        match sent.await?.status {
            StatusCode::METHOD_NOT_ALLOWED => {
                Err(StreamableHttpError::ServerDoesNotSupportDeleteSession)
            }
            _ => Ok(()),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        mut headers: Headers,
    ) -> Result<Events, SdkError> {
        // A single call needs no unsolicited messages of the server.
        let is_open = last_event_id.is_none();
        if is_open && !self.listens {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::from_str(&id).ok()) {
            headers.insert(HeaderName::from_static("last-event-id"), id);
        }
        let to = (Method::GET, &*uri);
        let sent = self.send(to, Vec::new(), session.as_deref(), headers, is_open);
        let response = sent.await?;
        if response.status.is_success() {
            Ok(self.events(response))
        } else {
            Err(StreamableHttpError::ServerDoesNotSupportSse)
        }
    }
}

/// Returns true if `body` is the error by which servers of the official SDK of TypeScript reject a
/// session that they do not know, instead of HTTP 404: -32000, which MCP gives no meaning.
fn is_unknown_session(body: &[u8]) -> bool {
    const UNKNOWN_SESSION: i32 = -32000;
    let message = response_in(body);
    matches!(message, Some(ServerJsonRpcMessage::Error(it)) if it.error.code.0 == UNKNOWN_SESSION)
}

/// Returns the response in `body`, which may have other messages beside it.
fn response_in(body: &[u8]) -> Option<ServerJsonRpcMessage> {
    let mut all = parse_all(body, CALLS).ok()?.into_iter();
    all.find(|it| {
        matches!(
            it,
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
        )
    })
}

/// Returns the messages in the data of an event, each as text that the SDK reads.
fn messages_in(data: String) -> Vec<String> {
    if serde_json::from_str::<ServerJsonRpcMessage>(&data).is_ok() {
        return vec![data];
    }
    match parse_all(data.as_bytes(), CALLS) {
        Ok(all) => all
            .iter()
            .filter_map(|it| serde_json::to_string(it).ok())
            .collect(),
        Err(_) => vec![data],
    }
}

/// Returns the begin of a body that is text, to follow a message; nothing if it is a page or empty.
fn excerpt(body: &[u8]) -> String {
    const MAX_CHARS: usize = 200;
    let text = clean(&String::from_utf8_lossy(body));
    let words: Vec<&str> = text.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(MAX_CHARS).collect();
    if text.is_empty() || text.starts_with('<') {
        return String::new();
    }
    format!(": {text}")
}

/// Returns the error of this client that the SDK has passed on, if it is one.
pub(crate) fn error_of(error: &DynamicTransportError) -> Option<HttpError> {
    match error.error.downcast_ref::<SdkError>()? {
        StreamableHttpError::Client(error) => Some(error.clone()),
        StreamableHttpError::AuthRequired(_) => Some(HttpError::LoginRequired),
        StreamableHttpError::UnexpectedEndOfStream | StreamableHttpError::Sse(_) => {
            Some(HttpError::Request(Reason::Truncated))
        }
        _ => None,
    }
}

/// Returns true if `server/discover` may have failed because the server only knows stateful
/// revisions: it rejects the request, answers it with anything else, or names such revisions.
pub(crate) fn is_of_stateful(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(error) => !matches!(
            error.code,
            ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        ),
        ClientInitializeError::NoCompatibleProtocolVersion {
            server_supported, ..
        } => {
            server_supported.is_empty()
                || server_supported.iter().any(ProtocolVersion::has_initialize)
        }
        ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConnectionClosed(_) => true,
        // Servers on the SDK of Java answer with HTTP 500, others with a page.
        ClientInitializeError::TransportError { error, .. } => matches!(
            error_of(error),
            Some(
                HttpError::NotMcp
                    | HttpError::Status(..)
                    | HttpError::Request(
                        Reason::Truncated | Reason::Malformed(_) | Reason::ReadTimeout(_)
                    )
            )
        ),
        _ => false,
    }
}

const fn request(message: &ClientJsonRpcMessage) -> Option<&ClientRequest> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.request),
        _ => None,
    }
}
