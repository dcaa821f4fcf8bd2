//! A server behind a URL: requests over HTTP for the SDK's own transport.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ::http::header::{ACCEPT, CONTENT_TYPE};
use ::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse, SseStream};

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
    /// What went wrong last, in words.
    last: Arc<Mutex<Option<String>>>,
}

impl Http {
    /// Certificates are looked for only where there is a use for them.
    pub(crate) fn new(url: &str) -> std::io::Result<Self> {
        let builder = HttpsConnectorBuilder::new();
        let builder = if url.starts_with("https:") {
            builder.with_native_roots()?
        } else {
            let none = rustls::RootCertStore::empty();
            let config = rustls::ClientConfig::builder().with_root_certificates(none);
            builder.with_tls_config(config.with_no_client_auth())
        };
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
    pub(crate) fn last(&self) -> Option<String> {
        self.last.lock().ok()?.clone()
    }

    fn failed(&self, words: String) -> HttpError {
        if let Ok(mut last) = self.last.lock() {
            *last = Some(words.clone());
        }
        StreamableHttpError::Client(std::io::Error::other(words))
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
        let request = request.map_err(|error| self.failed(error.to_string()))?;
        let response = self.client.request(request).await;
        response.map_err(|error| self.failed(causes(&error)))
    }

    fn events(response: Response<Incoming>) -> Events {
        let body = Limited::new(response.into_body(), LONGEST);
        let bytes = body.into_data_stream().map_err(std::io::Error::other);
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
            Ok(ServerJsonRpcMessage::Error(error)) => refusal(error.error.message.to_string()),
            _ if status == StatusCode::BAD_REQUEST => refusal(format!("HTTP {status}")),
            _ if status == StatusCode::UNAUTHORIZED => {
                let _ = self.failed(format!("HTTP {status}"));
                let refused = AuthRequiredError::new(String::new());
                return Err(StreamableHttpError::AuthRequired(refused));
            }
            _ if status.is_success() => {
                return Err(self.failed("what it answers is no message of MCP".to_owned()));
            }
            _ => return Err(self.failed(format!("HTTP {status}"))),
        };
        Ok(StreamableHttpPostResponse::Json(answer, session))
    }

    async fn body(&self, response: Response<Incoming>) -> Result<Bytes, HttpError> {
        let body = Limited::new(response.into_body(), LONGEST).collect().await;
        let body = body.map_err(|error| self.failed(error.to_string()))?;
        Ok(body.to_bytes())
    }
}

/// An error and what caused it, on one line.
fn causes(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let more = cause.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        next = cause.source();
    }
    words
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
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && attached {
            return Err(StreamableHttpError::SessionExpired);
        }
        let session = response
            .headers()
            .get(SESSION)
            .and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let kind = kind.unwrap_or_default().to_owned();
        if status.is_success() && kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(
                Self::events(response),
                session,
            ));
        }
        let body = self.body(response).await?;
        if status.is_success() && body.is_empty() {
            return Ok(StreamableHttpPostResponse::Accepted);
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
            Ok(Self::events(response))
        } else {
            Err(StreamableHttpError::ServerDoesNotSupportSse)
        }
    }
}
