//! Sends a request of the SDK, with the token of a login if there is one.

use cogtools_http::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use cogtools_http::http::{HeaderValue, Method, Request, StatusCode};
use cogtools_http::{Bytes, Reason, Response};
use rmcp::transport::streamable_http_client::{AuthRequiredError, StreamableHttpError};

use crate::auth::Challenge;
use crate::http::{EVENTS, Headers, Http, SESSION, SdkError};
use crate::http_error::HttpError;
use crate::http_message::Lasts;

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
