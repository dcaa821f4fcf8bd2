//! The result of an MCP tool: content blocks of several types, and the text that
//! represents all of them where a result is text.

use serde_json::{Map, Value};

use crate::ToolOutput;

type Object = Map<String, Value>;

/// The names in `_meta` that are the protocol's.
const RESERVED: &str = "io.modelcontextprotocol/";

impl ToolOutput {
    /// Converts the result of a `tools/call`, as MCP defines it.
    pub fn from_mcp(mut result: Object) -> Self {
        let text = text(&result);
        let value = result.remove("structuredContent");
        let blocks = match result.remove("content") {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        };
        let mut meta = match result.remove("_meta") {
            Some(Value::Object(meta)) => meta,
            _ => Object::new(),
        };
        // That is what one side of a connection says to the other.
        meta.retain(|key, _| !key.starts_with(RESERVED));
        Self {
            text,
            value,
            content: blocks,
            meta,
            ..Self::default()
        }
    }

    /// The text that represents a content block.
    pub fn block_text(block: &Value) -> String {
        let object = block.as_object();
        object.map(|block| block_text(block).0).unwrap_or_default()
    }
}

/// The blocks, separated by blank lines. Each block that is not text becomes a one-line
/// notice.
fn text(result: &Object) -> String {
    let content = result.get("content").and_then(Value::as_array);
    let blocks = content.into_iter().flatten().filter_map(Value::as_object);
    let (mut texts, mut has_text) = (Vec::new(), false);
    for block in blocks {
        let (text, is_text) = block_text(block);
        has_text |= is_text;
        texts.push(text);
    }
    if !has_text && let Some(value) = result.get("structuredContent") {
        texts.push(value.to_string());
    }
    texts.join("\n\n")
}

/// The text of a block, and whether it is the block's own text.
fn block_text(block: &Object) -> (String, bool) {
    let kind = str_field(block, "type");
    match kind {
        "text" => (str_field(block, "text").to_owned(), true),
        "image" | "audio" => (notice(kind, "", block, str_field(block, "data")), false),
        "resource_link" => {
            let (name, uri) = (str_field(block, "name"), str_field(block, "uri"));
            (format!("{name}: {uri}"), true)
        }
        "resource" => {
            let empty = Object::new();
            let resource = block
                .get("resource")
                .and_then(Value::as_object)
                .unwrap_or(&empty);
            if let Some(text) = resource.get("text").and_then(Value::as_str) {
                return (text.to_owned(), true);
            }
            let (uri, blob) = (str_field(resource, "uri"), str_field(resource, "blob"));
            (notice("resource", uri, resource, blob), false)
        }
        other => (format!("[content of type `{other}`, omitted]"), false),
    }
}

/// A one-line notice in place of Base64 data.
fn notice(kind: &str, uri: &str, block: &Object, data: &str) -> String {
    let mime = match str_field(block, "mimeType") {
        "" => "of an unknown type",
        mime => mime,
    };
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (data.len() * 3 / 4).saturating_sub(padding);
    let space = if uri.is_empty() { "" } else { " " };
    format!("[{kind}{space}{uri}: {mime}, {bytes} bytes, omitted: results are text only]")
}

fn str_field<'o>(object: &'o Object, key: &str) -> &'o str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a table reads better without borrows"
    )]
    fn check(result: Value, expected: &str) {
        let result = result.as_object().expect("an object");
        assert_eq!(ToolOutput::from_mcp(result.clone()).text, expected);
    }

    #[test]
    fn parts_become_text() {
        check(
            json!({"content": [{"type": "text", "text": " a\n"}]}),
            " a\n",
        );
        check(
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "structuredContent": {}}),
            "a\n\nb",
        );
        check(
            json!({"content": [{"type": "image", "data": "AAEC", "mimeType": "image/png"}]}),
            "[image: image/png, 3 bytes, omitted: results are text only]",
        );
        check(
            json!({"content": [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]}),
            "[audio: audio/wav, 1 bytes, omitted: results are text only]",
        );
        check(
            json!({"content": [{"type": "resource_link", "name": "n", "uri": "file:///a"}]}),
            "n: file:///a",
        );
        check(
            json!({"content": [{"type": "resource", "resource": {"uri": "u:a", "text": "t"}}]}),
            "t",
        );
        check(
            json!({"content": [{"type": "resource", "resource": {"uri": "u:a", "blob": "AAE="}}]}),
            "[resource u:a: of an unknown type, 2 bytes, omitted: results are text only]",
        );
        check(
            json!({"content": [{"type": "video"}]}),
            "[content of type `video`, omitted]",
        );
        check(
            json!({"content": [], "structuredContent": {"b": 1, "a": 2}}),
            r#"{"b":1,"a":2}"#,
        );
        check(json!({}), "");
    }

    #[test]
    fn parts_stay_as_they_are_beside_the_text() {
        let image = json!({"type": "image", "data": "AAEC", "mimeType": "image/png"});
        let meta = json!({"a/b": [null], "io.modelcontextprotocol/serverInfo": {"name": "s"}});
        let result = json!({
            "content": [image], "structuredContent": {"a": 1}, "isError": false, "_meta": meta,
        });
        let answer = ToolOutput::from_mcp(result.as_object().expect("an object").clone());
        assert_eq!(
            answer,
            ToolOutput {
                text: "[image: image/png, 3 bytes, omitted: results are text only]\n\n{\"a\":1}"
                    .to_owned(),
                value: Some(json!({"a": 1})),
                content: vec![image],
                meta: Map::from_iter([("a/b".to_owned(), json!([null]))]),
                ..ToolOutput::default()
            }
        );
    }
}
