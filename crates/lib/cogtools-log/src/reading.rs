//! What people read in a log: texts in tasks, responses and results, and how long things took.

use serde_json::Value;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;

/// How long something took: `40 ms`, `1.2 s`, `3 min 5 s`.
pub fn duration(ms: u64) -> String {
    if ms < SECOND {
        format!("{ms} ms")
    } else if ms < MINUTE {
        format!("{}.{} s", ms / SECOND, ms % SECOND / 100)
    } else {
        format!("{} min {} s", ms / MINUTE, ms % MINUTE / SECOND)
    }
}

/// The texts in a response that are meant for the user: not thoughts.
pub fn response_text(content: &Value) -> String {
    if let Some(text) = content.get("content").and_then(Value::as_str) {
        return text.to_owned();
    }
    texts(content, false)
}

/// The thoughts in a response, as far as the model shows them.
pub fn thought_text(content: &Value) -> String {
    texts(content, true)
}

/// The texts of the parts that are thoughts, or that are not.
fn texts(content: &Value, thoughts: bool) -> String {
    let parts = content.get("parts").and_then(Value::as_array);
    let is_thought = |part: &Value| part.get("thought") == Some(&Value::Bool(true));
    let parts = parts.into_iter().flatten();
    parts
        .filter(|part| is_thought(part) == thoughts)
        .filter_map(|part| part.get("text")?.as_str())
        .collect()
}

/// The text of a task: its texts, and the kinds of its files.
pub fn task_text(parts: &[Value]) -> String {
    let part = |part: &Value| -> Option<String> {
        if let Some(text) = part.get("text") {
            return text.as_str().map(str::to_owned);
        }
        let file = ["inlineData", "fileData"]
            .into_iter()
            .find_map(|key| part.get(key))?;
        let kind = file.get("mimeType").and_then(Value::as_str);
        Some(format!("[file: {}]", kind.unwrap_or("unknown type")))
    };
    parts
        .iter()
        .filter_map(part)
        .collect::<Vec<String>>()
        .join("\n")
}

/// The text of a result: what the model reads in it.
pub fn result_text(content: &Value) -> String {
    let value = ["output", "error"]
        .into_iter()
        .find_map(|key| content.get(key));
    let only = content.as_object().is_some_and(|fields| fields.len() == 1);
    let value = value.filter(|_| only).unwrap_or(content);
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations_have_the_unit_that_fits() {
        let texts = [0, 999, 1_250, 59_999, 60_000, 3_725_000].map(duration);
        let expected = [
            "0 ms",
            "999 ms",
            "1.2 s",
            "59.9 s",
            "1 min 0 s",
            "62 min 5 s",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_response_has_texts_and_thoughts() {
        let parts =
            json!([{"text": "Let me see. ", "thought": true}, {"text": "A"}, {"text": "B"}]);
        let content = json!({"role": "model", "parts": parts});
        assert_eq!(response_text(&content), "AB");
        assert_eq!(thought_text(&content), "Let me see. ");
        assert_eq!(response_text(&json!({"content": "C"})), "C");
        assert_eq!(thought_text(&json!({"content": "C"})), "");
    }

    #[test]
    fn a_result_is_what_the_model_reads() {
        for (content, expected) in [
            (json!({"output": "text"}), "text"),
            (json!({"error": {"code": 1}}), "{\"code\":1}"),
            (
                json!({"output": "text", "more": 1}),
                "{\"output\":\"text\",\"more\":1}",
            ),
            (json!("bare"), "bare"),
        ] {
            assert_eq!(result_text(&content), expected);
        }
    }
}
