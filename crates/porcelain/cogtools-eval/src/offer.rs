//! The MCP server of a trial with a host. It keeps no state: four methods, each with one answer,
//! are all that hosts ask for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use cogtools_http::http::{Method, Request, Response, StatusCode};
use cogtools_http::{Bytes, server};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// The name of the server, which models see. It does not say that this is an eval.
pub(crate) const SERVER: &str = "project";

/// A call that waits for its result.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
    pub(crate) result: oneshot::Sender<Value>,
}

/// The tools as the server offers them.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) tools: OnceLock<Vec<Value>>,
    pub(crate) was_listed: AtomicBool,
    pub(crate) calls: mpsc::UnboundedSender<Call>,
}

impl Offer {
    /// Answers a message of the host.
    pub(crate) async fn handle(self: Arc<Self>, request: Request<Bytes>) -> Response<server::Body> {
        if *request.method() != Method::POST {
            return server::text(StatusCode::METHOD_NOT_ALLOWED, "");
        }
        let Ok(message) = serde_json::from_slice::<Value>(request.body()) else {
            return server::text(StatusCode::BAD_REQUEST, "");
        };
        let Some(id) = message.get("id") else {
            return server::text(StatusCode::ACCEPTED, "");
        };
        let mut answer = json!({"jsonrpc": "2.0", "id": id});
        match self.answer(&message).await {
            Ok(result) => answer["result"] = result,
            Err((code, message)) => answer["error"] = json!({"code": code, "message": message}),
        }
        server::typed(StatusCode::OK, "application/json", answer.to_string())
    }

    /// Returns the result of a request, or the code and the message of an error of JSON-RPC.
    async fn answer(&self, message: &Value) -> Result<Value, (i64, &'static str)> {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("initialize") => Ok(json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": SERVER, "version": env!("CARGO_PKG_VERSION")},
            })),
            Some("ping") => Ok(json!({})),
            Some("tools/list") => {
                self.was_listed.store(true, Ordering::Relaxed);
                Ok(json!({"tools": self.tools.get()}))
            }
            Some("tools/call") => {
                let name = params["name"].as_str().ok_or((-32602, "no name"))?;
                let name = name.to_owned();
                let arguments = params.get("arguments").cloned();
                let (result, answer) = oneshot::channel();
                let arguments = arguments.unwrap_or_else(|| json!({}));
                let over = (-32000, "the trial is over");
                let call = Call {
                    name,
                    arguments,
                    result,
                };
                self.calls.send(call).map_err(|_| over)?;
                let response = answer.await.map_err(|_| over)?;
                let (value, is_error) = match (response.get("error"), response.get("output")) {
                    (Some(error), _) => (error, true),
                    (None, output) => (output.unwrap_or(&response), false),
                };
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                let content = json!([{"type": "text", "text": text}]);
                Ok(json!({"content": content, "isError": is_error}))
            }
            _ => Err((-32601, "there is no such method")),
        }
    }
}
