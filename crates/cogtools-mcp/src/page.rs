//! The answer to `tools/list` on its way past the protocol's own types: those
//! take a tree for each tool, and the client gets what the trees were made of.
//!
//! The wire lays an empty page beside the request, as it lays a call's arguments
//! there; the server fills it, and the wire writes it in the answer's place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::{
    CacheScope, JsonRpcMessage, JsonRpcVersion2_0, RequestId, ResultType, ServerJsonRpcMessage,
    ServerResult,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::offer::Offer;

/// The tools of one answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page(Arc<OnceLock<Vec<Arc<Offer>>>>);

/// The pages of requests that are not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Pages(Mutex<HashMap<RequestId, Page>>);

impl Page {
    /// Puts the tools on it, once.
    pub(crate) fn fill(&self, offers: Vec<Arc<Offer>>) {
        let _ = self.0.set(offers);
    }
}

impl Pages {
    /// A page for the answer to a request.
    pub(crate) fn lay(&self, id: RequestId) -> Page {
        let page = Page::default();
        self.all().insert(id, page.clone());
        page
    }

    /// Takes away the page of a request, if it has one.
    pub(crate) fn take(&self, id: &RequestId) -> Option<Page> {
        self.all().remove(id)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<RequestId, Page>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'a JsonRpcVersion2_0,
    id: &'a RequestId,
    result: List<'a>,
}

/// What `ListToolsResult` has, with the tools as they are.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct List<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a ResultType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'a CacheScope>,
    tools: Vec<&'a RawValue>,
}

/// A message as a line, with what is on its `page`.
pub(crate) fn line(
    message: &ServerJsonRpcMessage,
    page: Option<&Page>,
) -> serde_json::Result<Vec<u8>> {
    let offers = page.and_then(|page| page.0.get());
    let mut line = match (message, offers) {
        (JsonRpcMessage::Response(response), Some(offers))
            if let ServerResult::ListToolsResult(list) = &response.result =>
        {
            let tools: Vec<&RawValue> = offers.iter().map(|offer| offer.told()).collect();
            // As much as it takes, and no more: a list can be megabytes.
            let length: usize = tools.iter().map(|tool| tool.get().len() + 1).sum();
            let mut line = Vec::with_capacity(length + AROUND);
            let answer = Answer {
                jsonrpc: &response.jsonrpc,
                id: &response.id,
                result: List {
                    result_type: list.result_type.as_ref(),
                    ttl_ms: list.ttl_ms,
                    cache_scope: list.cache_scope.as_ref(),
                    tools,
                },
            };
            serde_json::to_writer(&mut line, &answer)?;
            line
        }
        _ => serde_json::to_vec(message)?,
    };
    line.push(b'\n');
    Ok(line)
}

/// Room for what stands around the tools.
const AROUND: usize = 256;
