//! A server at a URL: the HTTP client for the SDK's own transport.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cogtools_http::http::header::CONTENT_TYPE;
use cogtools_http::http::{HeaderName, HeaderValue, Method, StatusCode};
use cogtools_http::sse::SseParser;
use cogtools_http::{Bytes, Client, ClientOptions, PlainHttp, Reason, Response};
use cogtools_program::Vars;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use crate::auth::{Bearer, Store};
use crate::error::ClientError;
use crate::http_error::HttpError;
use crate::http_message::{Lasts, is_initialize, is_list};
use crate::process::MAX_MESSAGE_BYTES;
use crate::server::Server;

pub(crate) type Headers = HashMap<HeaderName, HeaderValue>;
pub(crate) type SdkError = StreamableHttpError<std::io::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

const MAX_RESPONSE_BYTES: u64 = MAX_MESSAGE_BYTES as u64;
pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
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
