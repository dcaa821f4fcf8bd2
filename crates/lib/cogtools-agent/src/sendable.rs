//! What of a conversation an API takes back.

use cogtools_model::{Content, Part};
use serde_json::{Value, json};

/// The content as an API takes it back: the arguments of a call are an object, which a model may
/// have got wrong. The log has what it sent.
pub(crate) fn sendable(content: Content) -> Content {
    let is_wrong = |part: &Part| {
        let args = part.call().and_then(|call| call.args);
        args.is_some_and(|args| !args.is_object())
    };
    if !content.parts().iter().any(is_wrong) {
        return content;
    }
    let mut json = serde_json::to_value(&content).unwrap_or_default();
    let parts = json.get_mut("parts").and_then(Value::as_array_mut);
    for part in parts.into_iter().flatten() {
        if let Some(args) = part.pointer_mut("/functionCall/args")
            && !args.is_object()
        {
            *args = json!({});
        }
    }
    Content::from_wire(json).unwrap_or(content)
}

/// Whether a part is more than a thought or an empty text.
pub(crate) fn says_something(part: &Part) -> bool {
    part.text()
        .is_none_or(|text| !part.is_thought() && !text.trim().is_empty())
}

/// A result that is too old to be sent again.
pub(crate) fn expired(part: &Part) -> Part {
    let mut short = part.clone();
    short.set_result(json!({"output": "(expired: call the tool again to see its result)"}));
    short
}
