//! A server at a URL: the HTTP client for the SDK's own transport.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cogtools_http::http::header::{ACCEPT, CONTENT_TYPE};
use cogtools_http::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use cogtools_http::sse::SseParser;
use cogtools_http::{Bytes, Client, ClientOptions, PlainHttp, Reason, Response};
use cogtools_program::Vars;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use crate::http_error::HttpError;
use crate::process::MAX_MESSAGE_BYTES;

type Headers = HashMap<HeaderName, HeaderValue>;
type SdkError = StreamableHttpError<std::io::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

const MAX_RESPONSE_BYTES: u64 = MAX_MESSAGE_BYTES as u64;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The HTTP client for one server.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client,
    /// The last error.
    last_error: Arc<Mutex<Option<HttpError>>>,
}

impl Http {
    /// The client, with the proxies and the trusted authorities of `vars`. The run has
    /// a limit of its own, which is `timeout`.
    pub(crate) fn new(vars: &Vars, timeout: Duration) -> Result<Self, HttpError> {
        let client = Client::new(ClientOptions {
            connect_timeout: timeout,
            read_timeout: timeout,
            max_response_bytes: MAX_RESPONSE_BYTES,
            plain_http: PlainHttp::Any,
            ..ClientOptions::from_vars(vars)
        });
        Ok(Self {
            client: client.map_err(|error| HttpError::Request(error.reason))?,
            last_error: Arc::default(),
        })
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

    fn fail(&self, error: HttpError) -> SdkError {
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

    async fn send(
        &self,
        method: Method,
        uri: &str,
        body: Vec<u8>,
        session: Option<&str>,
        headers: Headers,
    ) -> Result<Response, SdkError> {
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
        let request = request
            .body(Bytes::from(body))
            .map_err(|_| self.fail(HttpError::Request(Reason::InvalidUrl("its URL is invalid"))))?;
        let response = self.client.send(request).await;
        response.map_err(|error| self.fail(HttpError::Request(error.reason)))
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

    /// The response to `message` in a body that is not a stream. A rejection may lack
    /// the request's ID: the server sends it before it has read the request.
    fn response(
        &self,
        message: &ClientJsonRpcMessage,
        status: StatusCode,
        body: &[u8],
        session: Option<String>,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        let rejection = |text: String| {
            let id = match message {
                ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
                _ => None,
            };
            let error = rmcp::ErrorData::invalid_request(text, None);
            ServerJsonRpcMessage::error(error, id)
        };
        let response = match serde_json::from_slice::<ServerJsonRpcMessage>(body) {
            Ok(message) if status.is_success() => message,
            // For these two the status says more than any body.
            _ if status == StatusCode::UNAUTHORIZED => {
                let _ = self.fail(HttpError::Status(status));
                let error = AuthRequiredError::new(String::new());
                return Err(StreamableHttpError::AuthRequired(error));
            }
            _ if status == StatusCode::FORBIDDEN => {
                return Err(self.fail(HttpError::Status(status)));
            }
            Ok(ServerJsonRpcMessage::Error(error)) => rejection(error.error.message.to_string()),
            _ if status == StatusCode::BAD_REQUEST => rejection(format!("HTTP {status}")),
            _ if status.is_success() => return Err(self.fail(HttpError::NotMcp)),
            _ => return Err(self.fail(HttpError::Status(status))),
        };
        Ok(StreamableHttpPostResponse::Json(response, session))
    }

    /// The response to `message` without a body: an error for a request, which would
    /// wait for its response forever.
    fn empty_response(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        match message {
            ClientJsonRpcMessage::Request(_) => Err(self.fail(HttpError::NotMcp)),
            _ => Ok(StreamableHttpPostResponse::Accepted),
        }
    }

    async fn body(&self, response: Response) -> Result<Bytes, SdkError> {
        let body = response.bytes(MAX_RESPONSE_BYTES).await;
        body.map_err(|error| self.fail(HttpError::Request(error.reason)))
    }
}

/// Whether a message requests the list of tools.
fn is_list(message: &ClientJsonRpcMessage) -> bool {
    match message {
        ClientJsonRpcMessage::Request(request) => {
            matches!(request.request, ClientRequest::ListToolsRequest(_))
        }
        _ => false,
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
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, SdkError> {
        let body = serde_json::to_vec(&message)?;
        let has_session = session.is_some();
        let response = self
            .send(Method::POST, &uri, body, session.as_deref(), headers)
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
            .send(Method::DELETE, &uri, Vec::new(), Some(&session), headers)
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
        let Some(last_event_id) = last_event_id else {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        };
        if let Ok(id) = HeaderValue::from_str(&last_event_id) {
            headers.insert(HeaderName::from_static("last-event-id"), id);
        }
        let response = self
            .send(Method::GET, &uri, Vec::new(), session.as_deref(), headers)
            .await?;
        if response.status.is_success() {
            Ok(self.events(response))
        } else {
            Err(StreamableHttpError::ServerDoesNotSupportSse)
        }
    }
}
