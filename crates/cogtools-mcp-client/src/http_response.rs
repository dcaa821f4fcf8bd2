//! What a response without a stream means for the request.

use cogtools_http::http::StatusCode;
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;

use crate::http::{Http, SdkError};
use crate::http_error::HttpError;
use crate::http_message::is_unknown_request;
use crate::message::{CALLS, parse};

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
