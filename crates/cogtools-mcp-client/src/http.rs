//! A server behind a URL: requests over HTTP for the SDK's own transport.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ::http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use ::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse, SseStream};

use crate::obstacle::Obstacle;
use crate::roots;
use crate::wire::LONGEST;

type Headers = HashMap<HeaderName, HeaderValue>;
type HttpError = StreamableHttpError<std::io::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Speaks to one server.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// What went wrong last.
    last: Arc<Mutex<Option<Obstacle>>>,
}

impl Http {
    /// Speaks to the server at `url`.
    pub(crate) fn new(url: &str) -> Result<Self, Obstacle> {
        let builder = HttpsConnectorBuilder::new().with_tls_config(roots::config(url)?);
        let connector = builder.https_or_http().enable_http1().build();
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            last: Arc::default(),
        })
    }

    /// A way to the server at `url`.
    pub(crate) fn transport(
        &self,
        url: &str,
        headers: &[(HeaderName, HeaderValue)],
    ) -> StreamableHttpClientTransport<Self> {
        let config = StreamableHttpClientTransportConfig::with_uri(url);
        let config = config.custom_headers(headers.iter().cloned().collect());
        StreamableHttpClientTransport::with_client(self.clone(), config)
    }

    /// What went wrong last.
    pub(crate) fn last(&self) -> Option<Obstacle> {
        self.last.lock().ok()?.clone()
    }

    fn failed(&self, obstacle: Obstacle) -> HttpError {
        StreamableHttpError::Client(self.noted(obstacle))
    }

    /// Remembers what is in the way, of which the SDK's error says less.
    fn noted(&self, obstacle: Obstacle) -> std::io::Error {
        let error = std::io::Error::other(obstacle.to_string());
        if let Ok(mut last) = self.last.lock() {
            *last = Some(obstacle);
        }
        error
    }

    async fn ask(
        &self,
        method: Method,
        uri: &str,
        body: Vec<u8>,
        session: Option<&str>,
        headers: Headers,
    ) -> Result<Response<Incoming>, HttpError> {
        let accept = if method == Method::GET {
            EVENTS
        } else {
            "application/json, text/event-stream"
        };
        let mut request = Request::builder().method(method).uri(uri);
        if let Some(own) = request.headers_mut() {
            own.extend(headers.into_iter().map(|(name, value)| (Some(name), value)));
            own.insert(ACCEPT, HeaderValue::from_static(accept));
            own.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
            if let Some(session) = session.and_then(|text| HeaderValue::from_str(text).ok()) {
                own.insert(SESSION, session);
            }
        }
        let request = request.body(Full::new(Bytes::from(body)));
        let request =
            request.map_err(|error| self.failed(Obstacle::Connection(error.to_string())))?;
        let response = self.client.request(request).await;
        response.map_err(|error| self.failed(Obstacle::of_request(&error)))
    }

    fn events(&self, response: Response<Incoming>) -> Events {
        let body = Limited::new(response.into_body(), LONGEST);
        let http = self.clone();
        let bytes = body.into_data_stream();
        let bytes = bytes.map_err(move |error| http.noted(Obstacle::of_body(&*error)));
        SseStream::from_bytes_stream(bytes).boxed()
    }

    /// What a body that came at once is to the request `message`. A refusal may
    /// come before the server knows whom it answers.
    fn answer(
        &self,
        message: &ClientJsonRpcMessage,
        status: StatusCode,
        body: &[u8],
        session: Option<String>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let refusal = |words: String| {
            let id = match message {
                ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
                _ => None,
            };
            let error = rmcp::ErrorData::invalid_request(words, None);
            ServerJsonRpcMessage::error(error, id)
        };
        let answer = match serde_json::from_slice::<ServerJsonRpcMessage>(body) {
            Ok(message) if status.is_success() => message,
            // Whoever is not let in is told so, whatever else is said.
            _ if status == StatusCode::UNAUTHORIZED => {
                let _ = self.failed(Obstacle::Status(status));
                let refused = AuthRequiredError::new(String::new());
                return Err(StreamableHttpError::AuthRequired(refused));
            }
            _ if status == StatusCode::FORBIDDEN => {
                return Err(self.failed(Obstacle::Status(status)));
            }
            Ok(ServerJsonRpcMessage::Error(error)) => refusal(error.error.message.to_string()),
            _ if status == StatusCode::BAD_REQUEST => refusal(format!("HTTP {status}")),
            _ if status.is_success() => return Err(self.failed(Obstacle::Foreign)),
            _ => return Err(self.failed(Obstacle::Status(status))),
        };
        Ok(StreamableHttpPostResponse::Json(answer, session))
    }

    /// What an answer without a body is to a message: nothing to a request, which
    /// would be waited for in vain.
    fn accepted(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        match message {
            ClientJsonRpcMessage::Request(_) => Err(self.failed(Obstacle::Foreign)),
            _ => Ok(StreamableHttpPostResponse::Accepted),
        }
    }

    async fn body(&self, response: Response<Incoming>) -> Result<Bytes, HttpError> {
        let body = Limited::new(response.into_body(), LONGEST).collect().await;
        let body = body.map_err(|error| self.failed(Obstacle::of_body(&*error)))?;
        Ok(body.to_bytes())
    }
}

/// Whether a message asks for tools.
fn is_list(message: &ClientJsonRpcMessage) -> bool {
    match message {
        ClientJsonRpcMessage::Request(request) => {
            matches!(request.request, ClientRequest::ListToolsRequest(_))
        }
        _ => false,
    }
}

/// A header of an answer, if it is text.
fn said(response: &Response<Incoming>, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
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
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let body = serde_json::to_vec(&message)?;
        let attached = session.is_some();
        let response = self
            .ask(Method::POST, &uri, body, session.as_deref(), headers)
            .await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return self.accepted(&message);
        }
        if status == StatusCode::NOT_FOUND && attached {
            return Err(StreamableHttpError::SessionExpired);
        }
        if status.is_redirection()
            && let Some(place) = said(&response, &LOCATION)
        {
            return Err(self.failed(Obstacle::moved(status, &place)));
        }
        let session = said(&response, &SESSION);
        let kind = said(&response, &CONTENT_TYPE).unwrap_or_default();
        if status.is_success() && kind.starts_with(EVENTS) {
            let events = StreamableHttpPostResponse::Sse(self.events(response), session);
            if !is_list(&message) {
                return Ok(events);
            }
            // The SDK looks into lists for the headers that calls need, but not
            // always into one whose stream ends at once.
            let (message, session) = events.expect_initialized().await?;
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        let body = self.body(response).await?;
        if status.is_success() && body.is_empty() {
            return self.accepted(&message);
        }
        self.answer(&message, status, &body, session)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        let response = self
            .ask(Method::DELETE, &uri, Vec::new(), Some(&session), headers)
            .await?;
        match response.status() {
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
        last: Option<String>,
        _: Option<String>,
        mut headers: Headers,
    ) -> Result<Events, HttpError> {
        // What a server says without being asked is nothing to a single call.
        let Some(last) = last else {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        };
        if let Ok(last) = HeaderValue::from_str(&last) {
            headers.insert(HeaderName::from_static("last-event-id"), last);
        }
        let response = self
            .ask(Method::GET, &uri, Vec::new(), session.as_deref(), headers)
            .await?;
        if response.status().is_success() {
            Ok(self.events(response))
        } else {
            Err(StreamableHttpError::ServerDoesNotSupportSse)
        }
    }
}
