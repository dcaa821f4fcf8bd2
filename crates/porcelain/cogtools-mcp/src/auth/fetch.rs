//! Requests for a login: small documents, within a time limit.

use std::time::Duration;

use cogtools_http::http::header::ACCEPT;
use cogtools_http::http::{HeaderValue, Method, Request};
use cogtools_http::{Bytes, Client, ClientOptions, HttpError, Reason};
use cogtools_program::Vars;
use futures::future::{BoxFuture, FutureExt as _};
use oauth2::url::Url;
use oauth2::{HttpRequest, HttpResponse};
use serde::de::DeserializeOwned;

use super::error::LoginError;

/// The limit for each request, with its response.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The largest response.
const MAX_BYTES: u64 = 256 << 10;

/// The HTTP client for logins.
#[derive(Clone, Debug)]
pub(crate) struct Fetch(Client);

impl Fetch {
    /// The client, with the proxies and the trusted authorities of `vars`.
    pub(crate) fn new(vars: &Vars) -> Result<Self, LoginError> {
        let client = Client::new(ClientOptions {
            read_timeout: TIMEOUT,
            max_response_bytes: MAX_BYTES,
            ..ClientOptions::from_vars(vars)
        });
        Ok(Self(client?))
    }

    /// Sends a request. Redirects to another server are an error.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let host = request.uri().host().unwrap_or_default().to_owned();
        let work = async {
            let response = self.0.send(request.map(Bytes::from)).await?;
            let (status, headers) = (response.status, response.headers.clone());
            let mut whole = HttpResponse::new(response.bytes(MAX_BYTES).await?.to_vec());
            (*whole.status_mut(), *whole.headers_mut()) = (status, headers);
            Ok(whole)
        };
        let timed_out = |_| HttpError {
            host,
            reason: Reason::ReadTimeout(TIMEOUT),
        };
        tokio::time::timeout(TIMEOUT, work)
            .await
            .map_err(timed_out)?
    }

    /// The same for the client of OAuth.
    pub(crate) fn sender(
        &self,
    ) -> impl Fn(HttpRequest) -> BoxFuture<'static, Result<HttpResponse, HttpError>> {
        let fetch = self.clone();
        move |request| {
            let fetch = fetch.clone();
            async move { fetch.send(request).await }.boxed()
        }
    }

    /// The document at `url`; nothing if the server has none there.
    pub(crate) async fn document<T: DeserializeOwned>(
        &self,
        url: &Url,
        kind: &'static str,
    ) -> Result<Option<T>, LoginError> {
        let place = shown(url);
        let mut request = Request::new(Vec::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = url.as_str().parse().map_err(|_| LoginError::Place {
            url: place.clone(),
            why: "is not a URL",
        })?;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(ACCEPT, json);
        let response = self.send(request).await?;
        let status = response.status();
        if status.is_client_error() {
            return Ok(None);
        }
        if !status.is_success() {
            return Err(LoginError::Status(place, status.as_u16()));
        }
        let document = serde_json::from_slice(response.body());
        document
            .map(Some)
            .map_err(|error| LoginError::Document(place, kind, error.to_string()))
    }
}

/// A URL without its query, for messages.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.as_str().chars().take(200).collect()
}
