//! Results that are content blocks of MCP: of an MCP server, of a program that prints a file, and of
//! a tool that answers with blocks itself. A text represents all of them where a result is text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::pointer::child;
use crate::process::Process;
use crate::tool::call::{RunError, ToolOutput};
use crate::tool::command::cut_notice;
use crate::tool::example::HINT;
use crate::{Code, Diagnostic, json, media};

/// The keys of a result that is blocks.
const KEYS: [&str; 2] = ["content", "structuredContent"];
/// The types of blocks, each with pointers to the texts that it has.
const BLOCKS: [(&str, &[&str]); 5] = [
    ("text", &["/text"]),
    ("image", &["/data", "/mimeType"]),
    ("audio", &["/data", "/mimeType"]),
    ("resource_link", &["/name", "/uri"]),
    ("resource", &["/resource/uri"]),
];
/// Bytes of the files of a result that a model is sent, as Base64: APIs take about 5 MB of each.
const MAX_SENT: usize = 4 << 20;
/// Bytes of a text that are shown where a file is expected.
const MAX_SHOWN_BYTES: usize = 2 << 10;
/// The names in `_meta` that are the protocol's.
const RESERVED: &str = "io.modelcontextprotocol/";

type Object = Map<String, Value>;

/// The output of an MCP server. A text that is too long is truncated, and returned
/// without the other content.
pub(crate) fn mcp_output(result: Map<String, Value>) -> ToolOutput {
    let mut output = ToolOutput::from_mcp(result);
    output.cut();
    if output.truncated_bytes > 0 {
        output.content.clear();
    }
    output
}

impl ToolOutput {
    /// Cuts the text to the limit of a program's output.
    pub(super) fn cut(&mut self) {
        let kept = self.text.floor_char_boundary(Process::STDOUT_LIMIT);
        let left_out = (self.text.len() - kept) as u64;
        if left_out > 0 {
            self.text.truncate(kept);
            self.text.push_str(&cut_notice(left_out));
            self.truncated_bytes = left_out;
        }
    }

    /// Converts the result of a `tools/call`, as MCP defines it.
    pub fn from_mcp(mut result: Object) -> Self {
        let text = text(&result);
        let value = result.remove("structuredContent");
        let blocks = match result.remove("content") {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        };
        let mut meta = json::object(result.remove("_meta").unwrap_or_default());
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
        block_text(block).0
    }
}

/// The blocks, separated by blank lines. Each block that is not text becomes a one-line
/// notice.
fn text(result: &Object) -> String {
    let content = result.get("content").and_then(Value::as_array);
    let blocks = content.into_iter().flatten();
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

/// The length of an invalid block from which on it is cut.
const MAX_INVALID_CHARS: usize = 200;

/// The text of a block, and whether it is the block's own text.
fn block_text(block: &Value) -> (String, bool) {
    let invalid = || {
        let text: String = block.to_string().chars().take(MAX_INVALID_CHARS).collect();
        (format!("[invalid content: {text}]"), false)
    };
    let kind = str_field(block, "type");
    match kind {
        _ if !block.is_object() => invalid(),
        "text" => match block["text"].as_str() {
            Some(text) => (text.to_owned(), true),
            None => invalid(),
        },
        "image" | "audio" => (notice(kind, "", block, str_field(block, "data")), false),
        "resource_link" => {
            let (name, uri) = (str_field(block, "name"), str_field(block, "uri"));
            (format!("{name}: {uri}"), true)
        }
        "resource" => {
            let resource = &block["resource"];
            if let Some(text) = resource["text"].as_str() {
                return (text.to_owned(), true);
            }
            let (uri, blob) = (str_field(resource, "uri"), str_field(resource, "blob"));
            (notice("resource", uri, resource, blob), false)
        }
        other => (format!("[content of type `{other}`, omitted]"), false),
    }
}

/// A one-line notice in place of Base64 data.
fn notice(kind: &str, uri: &str, block: &Value, data: &str) -> String {
    let mime = match str_field(block, "mimeType") {
        "" => "of an unknown type",
        mime => mime,
    };
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (data.len() * 3 / 4).saturating_sub(padding);
    let space = if uri.is_empty() { "" } else { " " };
    format!("[{kind}{space}{uri}: {mime}, {bytes} bytes, omitted: results are text only]")
}

fn str_field<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

impl ToolOutput {
    /// Bytes of a result that is a file or has blocks: 16 MiB.
    pub const MAX_BLOCK_BYTES: usize = 16 << 20;

    /// Makes the result of the tool `name` that is a file of the type `media`, if `bytes` are one.
    pub(crate) fn of_file(name: &str, media: &str, bytes: &[u8]) -> Result<Self, RunError> {
        if !media::is(media, bytes) {
            return Err(not_a_file(media, bytes));
        }
        let data = STANDARD.encode(bytes);
        let block = match media.split_once('/') {
            Some((kind @ ("image" | "audio"), _)) => {
                json!({"type": kind, "data": data, "mimeType": media})
            }
            _ => json!({"type": "resource", "resource": {
                "uri": format!("cogtools:result/{name}"), "mimeType": media, "blob": data,
            }}),
        };
        let content = (KEYS[0].to_owned(), json!([block]));
        Ok(Self::from_mcp(Map::from_iter([content])))
    }

    /// Makes the result that `value` describes: an object with `content` and, if there is a value,
    /// `structuredContent`.
    pub(crate) fn of_content(value: &Value) -> Result<Self, RunError> {
        let at = |key: &str| child("", key);
        let expected = "an object with a list `content` is expected";
        let result = value.as_object().ok_or_else(|| invalid("", expected))?;
        if let Some(key) = result.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let known = KEYS.map(|key| format!("`{key}`")).join(" and ");
            return Err(invalid(&at(key), &format!("the keys are {known}")));
        }
        let blocks = result.get(KEYS[0]).and_then(Value::as_array);
        let blocks = blocks.ok_or_else(|| invalid(&at(KEYS[0]), "a list of blocks is expected"))?;
        if blocks.is_empty() {
            return Err(invalid(&at(KEYS[0]), "at least one block is expected"));
        }
        if result.get(KEYS[1]).is_some_and(|value| !value.is_object()) {
            return Err(invalid(&at(KEYS[1]), "an object is expected"));
        }
        for (index, block) in blocks.iter().enumerate() {
            check_block(&format!("/content/{index}"), block)?;
        }
        Ok(mcp_output(result.clone()))
    }

    /// Returns the bytes of the file that the whole result is, if it is one.
    pub fn file(&self) -> Option<(&str, Vec<u8>)> {
        let [block] = self.content.as_slice() else {
            return None;
        };
        let (media, data) = file_of(block)?;
        Some((media, STANDARD.decode(data).ok()?))
    }

    /// Returns the files that a model may see, each its type and its bytes as Base64, and the text
    /// with the rest. Bytes that are not what their type says are left out: an API would reject every
    /// later request with them.
    pub fn files(&self) -> (Vec<(String, String)>, String) {
        let mut left = MAX_SENT;
        let (mut files, mut texts) = (Vec::new(), Vec::new());
        for block in &self.content {
            let file = file_of(block).filter(|(media, data)| {
                let is_seen = media.starts_with("image/") || *media == "application/pdf";
                let bytes = STANDARD.decode(data).unwrap_or_default();
                is_seen && data.len() <= left && media::is(media, &bytes)
            });
            if let Some((media, data)) = file {
                left -= data.len();
                files.push((media.to_owned(), data.to_owned()));
                texts.push(format!("[{media}]"));
            } else {
                texts.push(Self::block_text(block));
            }
        }
        (files, texts.join("\n\n"))
    }
}

/// Returns the type of the file in a block, and its bytes as Base64.
fn file_of(block: &Value) -> Option<(&str, &str)> {
    let (holder, key) = match block["type"].as_str()? {
        "image" | "audio" => (block, "data"),
        "resource" => (&block["resource"], "blob"),
        _ => return None,
    };
    Some((
        holder["mimeType"].as_str().unwrap_or(""),
        holder[key].as_str()?,
    ))
}

/// Checks a block at `pointer` that a tool's author wrote.
fn check_block(pointer: &str, block: &Value) -> Result<(), RunError> {
    let kind = block["type"].as_str().unwrap_or_default();
    let Some((_, texts)) = BLOCKS.iter().find(|(name, _)| *name == kind) else {
        let names = BLOCKS.map(|(name, _)| name).join(", ");
        let message = format!("its type is none of {names}");
        return Err(invalid(&format!("{pointer}/type"), &message));
    };
    let is_text = |at: &&&str| block.pointer(at).is_some_and(Value::is_string);
    let resource = &block["resource"];
    let missing = texts.iter().find(|at| !is_text(at)).copied();
    let missing = missing.or_else(|| {
        let has = resource["text"].is_string() != resource["blob"].is_string();
        (kind == "resource" && !has).then_some("/resource/text")
    });
    if let Some(at) = missing {
        return Err(invalid(&format!("{pointer}{at}"), "text is expected"));
    }
    let Some((media, data)) = file_of(block) else {
        return Ok(());
    };
    let Ok(bytes) = STANDARD.decode(data) else {
        return Err(invalid(pointer, "its data is not Base64"));
    };
    let is_of_kind = |name: &str| name.split('/').next() == Some(kind);
    if kind == "resource" && media::find(media).is_none() {
        return Ok(());
    }
    if kind != "resource" && !media::find(media).is_some_and(is_of_kind) {
        let names = media::names().into_iter().filter(|name| is_of_kind(name));
        let names = names.collect::<Vec<_>>().join(", ");
        let message = format!("one of {names} is expected");
        return Err(invalid(&format!("{pointer}/mimeType"), &message));
    }
    if media::is(media, &bytes) {
        return Ok(());
    }
    let message = format!("its data is not {media}: it is {}", actual_type(&bytes));
    Err(invalid(pointer, &message))
}

fn invalid(pointer: &str, message: &str) -> RunError {
    let message = format!("the result is not content blocks, as `output` declares: {message}");
    let diagnostic = Diagnostic::new(Code::ToolFailed, message).with_pointer(pointer);
    Box::new(diagnostic.hint(HINT))
}

fn actual_type(bytes: &[u8]) -> String {
    media::of(bytes).map_or_else(
        || format!("{} bytes of another type", bytes.len()),
        str::to_owned,
    )
}

/// The diagnostic for bytes that are not of the type `media`.
fn not_a_file(media: &str, bytes: &[u8]) -> RunError {
    let actual = actual_type(bytes);
    let message = format!("the result is not {media}, as `output` declares: it is {actual}");
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_SHOWN_BYTES)]);
    let is_text = std::str::from_utf8(bytes).is_ok();
    let details = if is_text { shown.trim_end() } else { "" };
    let diagnostic = Diagnostic::new(Code::ToolFailed, message).with_details(details);
    Box::new(diagnostic.hint(HINT))
}

#[cfg(test)]
mod tests {
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
            json!({"content": [{"type": "text", "text": null}, "a"]}),
            "[invalid content: {\"type\":\"text\",\"text\":null}]\n\n[invalid content: \"a\"]",
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

    const PNG: &str = "iVBORw0KGgo=";

    #[test]
    fn blocks_of_an_author_are_checked() {
        let check = |block: Value, expected: Option<(&str, &str)>| {
            let found = ToolOutput::of_content(&json!({ "content": [block] }));
            let found = found.err().map(|error| {
                let (_, why) = error.message.rsplit_once(": ").expect("a reason");
                (error.pointer.unwrap_or_default(), why.to_owned())
            });
            let expected = expected.map(|(at, why)| (format!("/content/0{at}"), why.to_owned()));
            assert_eq!(found, expected);
        };
        check(json!({"type": "text", "text": "a"}), None);
        check(
            json!({"type": "image", "mimeType": "image/png", "data": PNG}),
            None,
        );
        check(
            json!({"type": "resource_link", "name": "n", "uri": "file:///a"}),
            None,
        );
        check(
            json!({"type": "resource", "resource": {"uri": "u:a", "text": "<b>"}}),
            None,
        );
        check(
            json!({"type": "resource", "resource": {"uri": "u:a", "blob": "AA=="}}),
            None,
        );
        let text = "text is expected";
        check(json!({"type": "text", "text": 1}), Some(("/text", text)));
        check(
            json!({"type": "image", "data": PNG}),
            Some(("/mimeType", text)),
        );
        check(
            json!({"type": "resource", "resource": {"uri": "u:a"}}),
            Some(("/resource/text", text)),
        );
        check(
            json!("a"),
            Some((
                "/type",
                "its type is none of text, image, audio, resource_link, resource",
            )),
        );
        check(
            json!({"type": "image", "mimeType": "image/png", "data": "?"}),
            Some(("", "its data is not Base64")),
        );
        // Only pictures that a model can be shown: one that an API rejects ends a conversation.
        let images = "one of image/png, image/jpeg, image/gif, image/webp, image/heic is expected";
        let sounds = "one of audio/wav, audio/mp3, audio/mpeg, audio/ogg is expected";
        for (kind, media, data, expected) in [
            ("image", "image/svg+xml", "PHN2Zy8+", ("/mimeType", images)),
            ("image", "image/jpeg", PNG, ("", "it is image/png")),
            ("audio", "image/png", PNG, ("/mimeType", sounds)),
        ] {
            let block = json!({"type": kind, "mimeType": media, "data": data});
            check(block, Some(expected));
        }
    }

    #[test]
    fn what_is_no_result_with_blocks_has_a_place() {
        let text = json!([{"type": "text", "text": "a"}]);
        for (result, pointer, expected) in [
            (json!([]), "", "an object with a list `content` is expected"),
            (json!({}), "/content", "a list of blocks is expected"),
            (
                json!({"content": []}),
                "/content",
                "at least one block is expected",
            ),
            (
                json!({"content": text, "isError": true}),
                "/isError",
                "the keys are `content` and `structuredContent`",
            ),
            (
                json!({"content": text, "structuredContent": []}),
                "/structuredContent",
                "an object is expected",
            ),
        ] {
            let error = ToolOutput::of_content(&result).expect_err("no blocks");
            let message =
                format!("the result is not content blocks, as `output` declares: {expected}");
            assert_eq!(error.message, message, "{result}");
            assert_eq!(
                error.pointer.as_deref().unwrap_or_default(),
                pointer,
                "{result}"
            );
        }
    }

    #[test]
    fn a_model_sees_the_files_that_are_what_they_say() {
        let image = |data: &str| json!({"type": "image", "mimeType": "image/png", "data": data});
        let large = STANDARD.encode([b"\x89PNG".as_slice(), &vec![0; MAX_SENT]].concat());
        let output = ToolOutput {
            content: vec![
                json!({"type": "text", "text": "a"}),
                image(PNG),
                image("AAEC"),
                image(&large),
                json!({"type": "audio", "mimeType": "audio/ogg", "data": "T2dnUw=="}),
            ],
            ..ToolOutput::default()
        };
        let (files, text) = output.files();
        assert_eq!(files, [("image/png".to_owned(), PNG.to_owned())]);
        assert_eq!(
            text,
            "a\n\n[image/png]\n\n\
             [image: image/png, 3 bytes, omitted: results are text only]\n\n\
             [image: image/png, 4194308 bytes, omitted: results are text only]\n\n\
             [audio: audio/ogg, 4 bytes, omitted: results are text only]"
        );
        assert_eq!(output.file(), None);
    }

    #[test]
    fn a_document_is_a_resource() {
        let output = ToolOutput::of_file("print", "application/pdf", b"%PDF-1.7").expect("a PDF");
        assert_eq!(
            output.content,
            [json!({"type": "resource", "resource": {
                "uri": "cogtools:result/print", "mimeType": "application/pdf", "blob": "JVBERi0xLjc=",
            }})]
        );
        assert_eq!(
            output.file(),
            Some(("application/pdf", b"%PDF-1.7".to_vec()))
        );
    }
}
