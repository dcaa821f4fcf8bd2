//! Fields of JSON messages in either spelling, because clients send both.

use std::borrow::Cow;

use serde_json::Value;

/// A function's response.
pub(super) const RESPONSE: &str = "functionResponse";

/// A function's call.
pub(super) const CALL: &str = "functionCall";

/// The opaque bytes of a model's thoughts, beside the data of a part.
pub(super) const SIGNATURE: &str = "thoughtSignature";

/// The field `camel`, or its spelling with underscores; null if there is neither.
pub(super) fn field<'v>(value: &'v Value, camel: &str) -> &'v Value {
    if value[camel].is_null() {
        &value[snake(camel).as_ref()]
    } else {
        &value[camel]
    }
}

/// A name in camel case, spelled with underscores.
pub(super) fn snake(camel: &str) -> Cow<'_, str> {
    if !camel.contains(char::is_uppercase) {
        return Cow::Borrowed(camel);
    }
    let mut snake = String::with_capacity(camel.len() + 2);
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    Cow::Owned(snake)
}

/// The values that the parts of `content` carry under `name`.
pub(super) fn parts<'v>(content: &'v Value, name: &str) -> Vec<&'v Value> {
    let parts = items(&content["parts"]).iter();
    parts
        .map(|part| field(part, name))
        .filter(|value| !value.is_null())
        .collect()
}

/// The elements of an array; none of anything else.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns true if the model wrote this content.
pub(super) fn is_model(content: &Value) -> bool {
    content["role"] == "model"
}
