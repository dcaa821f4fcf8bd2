//! A message of a server, as it was received.
//!
//! The protocol's types have no room for what is not in its schema, such as an author's own
//! annotations. So the results that are passed on stay values.

use rmcp::model::{
    CustomResult, JsonRpcResponse, JsonRpcVersion2_0, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde_json::Value;

/// The keys of results that are passed on: of a list of tools, and of a call.
pub(crate) const LISTS_AND_CALLS: &[&str] = &["tools", "content", "structuredContent"];
/// The same over HTTP, whose headers for parameters need the types of a list.
pub(crate) const CALLS: &[&str] = &["content", "structuredContent"];

/// A response, if that is what a message is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Response {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    result: Value,
}

/// Reads a message. The result of a response that has one of `keys` stays a value.
pub(crate) fn parse(text: &[u8], keys: &[&str]) -> serde_json::Result<ServerJsonRpcMessage> {
    match serde_json::from_slice::<Response>(text) {
        Ok(Response {
            jsonrpc,
            id,
            result,
        }) if keys.iter().any(|key| result.get(key).is_some()) => {
            let result = ServerResult::CustomResult(CustomResult(result));
            Ok(ServerJsonRpcMessage::Response(JsonRpcResponse {
                jsonrpc,
                id,
                result,
            }))
        }
        _ => serde_json::from_slice(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_stay_as_they_are() {
        for result in [
            json!({"tools": [{"name": "t", "inputSchema": {}, "annotations": {"x/y": [null]}}]}),
            json!({"content": [{"type": "text", "text": "t", "x": 1}], "isError": false}),
            json!({"structuredContent": {"n": -0.0}}),
            json!({"tools": 5}),
        ] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "result": result});
            let parsed = parse(message.to_string().as_bytes(), LISTS_AND_CALLS).expect("a message");
            assert_eq!(serde_json::to_value(parsed).expect("JSON"), message);
        }
    }

    #[test]
    fn other_messages_have_their_types() {
        let text = br#"{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}"#;
        let parsed = parse(text, LISTS_AND_CALLS).expect("a message");
        assert!(matches!(parsed, ServerJsonRpcMessage::Notification(_)));
        let text = br#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "m"}}"#;
        let parsed = parse(text, LISTS_AND_CALLS).expect("a message");
        assert!(matches!(parsed, ServerJsonRpcMessage::Error(_)));
        assert!(parse(b"Welcome!", LISTS_AND_CALLS).is_err());
    }
}
