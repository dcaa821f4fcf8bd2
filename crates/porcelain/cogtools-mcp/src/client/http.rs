//! A server at a URL: the HTTP client for the transport of the SDK.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cogtools_http::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use cogtools_http::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use cogtools_http::sse::SseParser;
use cogtools_http::{Bytes, Client, ClientOptions, PlainHttp, Reason, Response};
use cogtools_program::Vars;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use crate::auth::{Bearer, Challenge, Store};
use crate::client::error::{ClientError, HttpError};
use crate::client::message::{CALLS, parse};
use crate::client::process::MAX_MESSAGE_BYTES;
use crate::client::server::Server;

type Headers = HashMap<HeaderName, HeaderValue>;
type SdkError = StreamableHttpError<std::io::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

const MAX_RESPONSE_BYTES: u64 = MAX_MESSAGE_BYTES as u64;
const EVENTS: &str = "text/event-stream";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");

/// How long a stream may be silent: what it announces is rare. A connection that is dead is noticed
/// by the system.
const MAX_SILENCE: Duration = Duration::from_hours(1);

/// The HTTP client for one server.
#[derive(Clone)]
pub(crate) struct Http {
    pub(crate) client: Client,
    /// For streams that stay open.
    pub(crate) streams: Client,
    /// The limit of the run.
    pub(crate) timeout: Duration,
    /// Whether the server may send messages that answer no request.
    listens: bool,
    /// The token of a login, if the source has none.
    pub(crate) bearer: Option<Bearer>,
    /// The last error.
    last_error: Arc<Mutex<Option<HttpError>>>,
}

impl Http {
    /// The client, with the proxies and the trusted authorities of `vars`. The run has
    /// a limit of its own, which is `timeout`.
    fn new(vars: &Vars, timeout: Duration) -> Result<Self, HttpError> {
        let client = |read_timeout, max_response_bytes| {
            let client = Client::new(ClientOptions {
                connect_timeout: timeout,
                read_timeout,
                max_response_bytes,
                plain_http: PlainHttp::Any,
                ..ClientOptions::from_vars(vars)
            });
            client.map_err(|error| HttpError::Request(error.reason))
        };
        Ok(Self {
            client: client(timeout, MAX_RESPONSE_BYTES)?,
            streams: client(MAX_SILENCE, u64::MAX)?,
            timeout,
            listens: false,
            bearer: None,
            last_error: Arc::default(),
        })
    }

    /// The client for `server`, which is at `url`; `store` has the tokens of logins.
    pub(crate) fn for_server(
        server: &Server,
        url: &str,
        vars: &Vars,
        store: Option<Store>,
        timeout: Duration,
    ) -> Result<Self, ClientError> {
        let failed = |error| ClientError::Http(server.name.clone(), error);
        let mut http = Self::new(vars, timeout).map_err(failed)?;
        if !server.has_own_token() {
            http.bearer = Bearer::for_server(url, store, vars, &server.secrets);
        }
        Ok(http)
    }

    /// The same for a session that stays open: the server may announce changes.
    pub(crate) fn listening(mut self) -> Self {
        self.listens = true;
        self
    }

    /// A transport to the server at `url`.
    pub(crate) fn transport(
        &self,
        url: &str,
        headers: &[(HeaderName, HeaderValue)],
    ) -> StreamableHttpClientTransport<Self> {
        let config = StreamableHttpClientTransportConfig::with_uri(url)
            .custom_headers(headers.iter().cloned().collect());
        StreamableHttpClientTransport::with_client(self.clone(), config)
    }

    /// The last error.
    pub(crate) fn last_error(&self) -> Option<HttpError> {
        self.last_error.lock().ok()?.clone()
    }

    pub(crate) fn fail(&self, error: HttpError) -> SdkError {
        StreamableHttpError::Client(self.record(error))
    }

    /// Records an error: the SDK passes on less of it.
    fn record(&self, error: HttpError) -> std::io::Error {
        let sdk_error = std::io::Error::other(error.to_string());
        if let Ok(mut last) = self.last_error.lock() {
            *last = Some(error);
        }
        sdk_error
    }

    fn events(&self, response: Response) -> Events {
        let start = Some((self.clone(), response, SseParser::new(MAX_MESSAGE_BYTES)));
        let next = async |state: Option<(Self, Response, SseParser)>| {
            let (http, mut response, mut parser) = state?;
            loop {
                if let Some(event) = parser.next_event() {
                    let event = Sse {
                        event: event.event,
                        data: Some(event.data),
                        id: event.id,
                        retry: event.retry,
                    };
                    return Some((Ok(event), Some((http, response, parser))));
                }
                let chunk = response.chunk().await.map_err(|error| error.reason);
                let pushed = match chunk {
                    Ok(Some(bytes)) => parser
                        .push(&bytes)
                        .map_err(|_| Reason::TooLarge(MAX_RESPONSE_BYTES)),
                    Ok(None) => return None,
                    Err(reason) => Err(reason),
                };
                if let Err(reason) = pushed {
                    let error = http.record(HttpError::Request(reason));
                    return Some((Err(SseError::Body(Box::new(error))), None));
                }
            }
        };
        stream::unfold(start, next).boxed()
    }

    async fn body(&self, response: Response) -> Result<Bytes, SdkError> {
        let body = response.bytes(MAX_RESPONSE_BYTES).await;
        body.map_err(|error| self.fail(HttpError::Request(error.reason)))
    }
}

impl StreamableHttpClient for Http {
    type Error = std::io::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        mut headers: Headers,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        let body = serde_json::to_vec(&message)?;
        let has_session = session.is_some();
        // The SDK sends it with the requests of the newest revision only.
        if is_initialize(&message) {
            headers.insert(METHOD, HeaderValue::from_static("initialize"));
        }
        let lasts = Lasts::of(&message);
        let response = self
            .send(Method::POST, &uri, body, session.as_deref(), headers, lasts)
            .await?;
        let status = response.status;
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return self.empty_response(&message);
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let session = response.header(&SESSION).map(str::to_owned);
        let content_type = response.header(CONTENT_TYPE).unwrap_or_default();
        if status.is_success() && content_type.starts_with(EVENTS) {
            let events = StreamableHttpPostResponse::Sse(self.events(response), session);
            if !is_list(&message) {
                return Ok(events);
            }
            // The SDK searches lists for the headers that calls need, but may miss a
            // list whose stream ends immediately.
            let (message, session) = events.expect_initialized().await?;
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        let body = self.body(response).await?;
        if status.is_success() && body.is_empty() {
            return self.empty_response(&message);
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
        let response = self
            .send(
                Method::DELETE,
                &uri,
                Vec::new(),
                Some(&session),
                headers,
                Lasts::UntilAnswered,
            )
            .await?;
        match response.status {
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
        if last_event_id.is_none() && !self.listens {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        let lasts = match last_event_id {
            Some(_) => Lasts::UntilAnswered,
            None => Lasts::WhileOpen,
        };
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::from_str(&id).ok()) {
            headers.insert(HeaderName::from_static("last-event-id"), id);
        }
        let response = self
            .send(
                Method::GET,
                &uri,
                Vec::new(),
                session.as_deref(),
                headers,
                lasts,
            )
            .await?;
        if response.status.is_success() {
            Ok(self.events(response))
        } else {
            Err(StreamableHttpError::ServerDoesNotSupportSse)
        }
    }
}

const JSON: &str = "application/json";

impl Http {
    /// Sends a request. A token that is rejected is renewed once.
    pub(crate) async fn send(
        &self,
        method: Method,
        uri: &str,
        body: Vec<u8>,
        session: Option<&str>,
        headers: Headers,
        lasts: Lasts,
    ) -> Result<Response, SdkError> {
        let mut request = self.request(method, uri, body, session, headers)?;
        let Some(bearer) = &self.bearer else {
            let response = self.send_once(request, lasts).await?;
            return self.check(response);
        };
        let token = bearer.header().await;
        if let Some(token) = &token {
            request.headers_mut().insert(AUTHORIZATION, token.clone());
        }
        let response = self.send_once(request.clone(), lasts).await?;
        if response.status == StatusCode::UNAUTHORIZED
            && let Some(other) = bearer.other_than(token.as_ref()).await
        {
            request.headers_mut().insert(AUTHORIZATION, other);
            let response = self.send_once(request, lasts).await?;
            return self.check(response);
        }
        self.check(response)
    }

    fn request(
        &self,
        method: Method,
        uri: &str,
        body: Vec<u8>,
        session: Option<&str>,
        headers: Headers,
    ) -> Result<Request<Bytes>, SdkError> {
        let accept = if method == Method::GET {
            EVENTS
        } else {
            "application/json, text/event-stream"
        };
        let mut request = Request::builder().method(method).uri(uri);
        if let Some(all) = request.headers_mut() {
            all.extend(headers.into_iter().map(|(name, value)| (Some(name), value)));
            all.insert(ACCEPT, HeaderValue::from_static(accept));
            all.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
            if let Some(session) = session.and_then(|text| HeaderValue::from_str(text).ok()) {
                all.insert(SESSION, session);
            }
        }
        let invalid = |_| self.fail(HttpError::Request(Reason::InvalidUrl("its URL is invalid")));
        request.body(Bytes::from(body)).map_err(invalid)
    }

    async fn send_once(&self, request: Request<Bytes>, lasts: Lasts) -> Result<Response, SdkError> {
        let response = match lasts {
            Lasts::UntilAnswered => self.client.send(request).await,
            Lasts::WhileOpen => {
                let sent = tokio::time::timeout(self.timeout, self.streams.send(request)).await;
                let timed_out =
                    |_| self.fail(HttpError::Request(Reason::ReadTimeout(self.timeout)));
                sent.map_err(timed_out)?
            }
        };
        response.map_err(|error| self.fail(HttpError::Request(error.reason)))
    }

    /// For two statuses the headers say more than any body: who is not known, and who may not.
    fn check(&self, response: Response) -> Result<Response, SdkError> {
        match response.status {
            StatusCode::UNAUTHORIZED => {
                let _ = self.fail(match &self.bearer {
                    Some(_) => HttpError::LoginRequired,
                    None => HttpError::Status(response.status),
                });
                let error = AuthRequiredError::new(String::new());
                Err(StreamableHttpError::AuthRequired(error))
            }
            StatusCode::FORBIDDEN => {
                let challenge = Challenge::read(&response.headers);
                Err(self.fail(match &self.bearer {
                    Some(_) if challenge.is_insufficient => {
                        HttpError::ScopesRequired(challenge.scopes)
                    }
                    _ => HttpError::Status(response.status),
                }))
            }
            _ => Ok(response),
        }
    }
}

impl Http {
    /// The response to `message` in a body that is not a stream. A rejection may lack
    /// the request's ID: the server sends it before it has read the request.
    pub(crate) fn response(
        &self,
        message: &ClientJsonRpcMessage,
        status: StatusCode,
        body: &[u8],
        session: Option<String>,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        let rejection = |error: ErrorData| {
            let id = match message {
                ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
                _ => None,
            };
            ServerJsonRpcMessage::error(error, id)
        };
        let rejected_by_status = || {
            let text = format!("HTTP {status}");
            rejection(ErrorData::invalid_request(text, None))
        };
        let response = match parse(body, CALLS) {
            Ok(message) if status.is_success() => message,
            Ok(ServerJsonRpcMessage::Error(error)) => rejection(error.error),
            _ if status == StatusCode::BAD_REQUEST || is_unknown_request(message, status) => {
                rejected_by_status()
            }
            _ if status.is_success() => return Err(self.fail(HttpError::NotMcp)),
            _ => return Err(self.fail(HttpError::Status(status))),
        };
        Ok(StreamableHttpPostResponse::Json(response, session))
    }

    /// The response to `message` without a body: an error for a request, which would
    /// wait for its response forever.
    pub(crate) fn empty_response(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        match message {
            ClientJsonRpcMessage::Request(_) => Err(self.fail(HttpError::NotMcp)),
            _ => Ok(StreamableHttpPostResponse::Accepted),
        }
    }
}

/// How long a response is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// Until it is complete.
    UntilAnswered,
    /// As long as the session is open.
    WhileOpen,
}

impl Lasts {
    /// How long the response to `message` is read.
    pub(crate) const fn of(message: &ClientJsonRpcMessage) -> Self {
        match request(message) {
            Some(ClientRequest::SubscriptionsListenRequest(_)) => Self::WhileOpen,
            _ => Self::UntilAnswered,
        }
    }
}

const fn request(message: &ClientJsonRpcMessage) -> Option<&ClientRequest> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.request),
        _ => None,
    }
}

/// Whether a message requests the list of tools.
pub(crate) const fn is_list(message: &ClientJsonRpcMessage) -> bool {
    matches!(request(message), Some(ClientRequest::ListToolsRequest(_)))
}

/// Whether a message begins a session.
pub(crate) const fn is_initialize(message: &ClientJsonRpcMessage) -> bool {
    matches!(request(message), Some(ClientRequest::InitializeRequest(_)))
}

/// Whether the status rejects `server/discover` as a server does that only knows older revisions.
pub(crate) fn is_unknown_request(message: &ClientJsonRpcMessage, status: StatusCode) -> bool {
    let is_temporary = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
    );
    let is_discover = matches!(request(message), Some(ClientRequest::DiscoverRequest(_)));
    is_discover && status.is_client_error() && !is_temporary
}
