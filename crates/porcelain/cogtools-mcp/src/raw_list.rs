//! The response to `tools/list`, written without the protocol's own types: those
//! need each declaration parsed, and the client gets the text it was parsed from.
//!
//! The transport attaches an empty list to the request, as it attaches a call's
//! arguments; the server sets it, and the transport writes it into the response.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::{
    CacheScope, JsonRpcMessage, JsonRpcVersion2_0, RequestId, ResultType, ServerJsonRpcMessage,
    ServerResult,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::published_tool::PublishedTool;

/// The tools of one response.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawToolList(Arc<OnceLock<Vec<Arc<PublishedTool>>>>);

/// The lists of requests without a response yet.
#[derive(Debug, Default)]
pub(crate) struct PendingLists(Mutex<HashMap<RequestId, RawToolList>>);

impl RawToolList {
    /// Sets the tools, once.
    pub(crate) fn set(&self, tools: Vec<Arc<PublishedTool>>) {
        let _ = self.0.set(tools);
    }
}

impl PendingLists {
    /// Adds an empty list for the response to a request.
    pub(crate) fn reserve(&self, id: RequestId) -> RawToolList {
        let list = RawToolList::default();
        self.lists().insert(id, list.clone());
        list
    }

    /// Removes and returns the list of a request, if it has one.
    pub(crate) fn remove(&self, id: &RequestId) -> Option<RawToolList> {
        self.lists().remove(id)
    }

    fn lists(&self) -> MutexGuard<'_, HashMap<RequestId, RawToolList>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'a JsonRpcVersion2_0,
    id: &'a RequestId,
    result: ListResult<'a>,
}

/// The fields of `ListToolsResult`, with the tools as text.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a ResultType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'a CacheScope>,
    tools: Vec<&'a RawValue>,
}

/// Encodes a message as a line, with the tools of its `list`.
pub(crate) fn encode_line(
    message: &ServerJsonRpcMessage,
    list: Option<&RawToolList>,
) -> serde_json::Result<Vec<u8>> {
    let tools = list.and_then(|list| list.0.get());
    let mut line = match (message, tools) {
        (JsonRpcMessage::Response(response), Some(tools))
            if let ServerResult::ListToolsResult(result) = &response.result =>
        {
            let tools: Vec<&RawValue> = tools.iter().map(|tool| tool.json()).collect();
            // Allocated only once: a list can have megabytes.
            let length: usize = tools.iter().map(|tool| tool.get().len() + 1).sum();
            let mut line = Vec::with_capacity(length + ENVELOPE_BYTES);
            let response = Response {
                jsonrpc: &response.jsonrpc,
                id: &response.id,
                result: ListResult {
                    result_type: result.result_type.as_ref(),
                    ttl_ms: result.ttl_ms,
                    cache_scope: result.cache_scope.as_ref(),
                    tools,
                },
            };
            serde_json::to_writer(&mut line, &response)?;
            line
        }
        _ => serde_json::to_vec(message)?,
    };
    line.push(b'\n');
    Ok(line)
}

/// Space for the rest of the response.
const ENVELOPE_BYTES: usize = 256;
