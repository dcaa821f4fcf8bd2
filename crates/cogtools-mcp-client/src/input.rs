//! Calls that a stateless server answers with questions: they are answered, and the call is sent
//! again (multi round-trip requests, since the revision 2026-07-28).

use std::collections::BTreeMap;

use rmcp::model::{CallToolRequestParams, InputRequest, InputRequiredResult};
use serde_json::{Map, Value};

use crate::listener::Listener;

/// How often a server may ask during one call.
pub(crate) const MAX_ROUNDS: usize = 8;

/// Whether a result is a question.
pub(crate) fn is_question(result: &Map<String, Value>) -> bool {
    result.get("resultType").and_then(Value::as_str) == Some("input_required")
}

/// The call with the answers to the questions in `result`; nothing if one cannot be answered.
pub(crate) async fn answered(
    mut params: CallToolRequestParams,
    result: &Map<String, Value>,
    listener: &Listener,
) -> Option<CallToolRequestParams> {
    let value = Value::Object(result.clone());
    let result: InputRequiredResult = serde_json::from_value(value).ok()?;
    let mut answers = BTreeMap::new();
    for (name, request) in result.input_requests.unwrap_or_default() {
        // The client declares no other ability.
        let InputRequest::Elicitation(request) = request else {
            return None;
        };
        let answer = listener.ask(request.params).await;
        answers.insert(name, serde_json::to_value(answer).ok()?);
    }
    params.input_responses = (!answers.is_empty()).then_some(answers);
    params.request_state = result.request_state;
    Some(params)
}
