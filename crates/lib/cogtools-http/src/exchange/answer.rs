//! A response whose body was read and decoded.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cogtools_document::text::without_mark;
use cogtools_document::{Code, Diagnostic};
use cogtools_process::http::{HttpKind, HttpReply};
use http::StatusCode;
use http::header::CONTENT_ENCODING;
use serde_json::{Map, Value, json};

use super::Failed;
use crate::client::Response;
use crate::html;
use crate::secrets::Secrets;

/// Headers that no recording has: they differ each time, or are secrets.
const UNRECORDED: [&str; 4] = ["set-cookie", "date", "content-encoding", "content-length"];

/// A response.
pub(super) struct Answer {
    pub(super) status: u16,
    headers: Map<String, Value>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Reads the rest of a response, whose decoded body has at most `limit` bytes.
    pub(super) async fn read(response: Response, limit: u64) -> Result<Self, Failed> {
        let status = response.status.as_u16();
        let mut headers: Map<String, Value> = Map::new();
        for (name, value) in &response.headers {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            match headers.get_mut(name.as_str()) {
                Some(Value::String(other)) => {
                    other.push_str(", ");
                    other.push_str(&text);
                }
                _ => drop(headers.insert(name.to_string(), text.into())),
            }
        }
        let encoding = response.header(CONTENT_ENCODING);
        let is_packed = encoding.is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let body = response.bytes(limit).await.map_err(Failed::Client)?;
        let mut body = body.to_vec();
        if is_packed && !body.is_empty() {
            body = unpack(&body, limit)?;
        }
        Ok(Self {
            status,
            headers,
            body,
        })
    }

    /// Makes a recorded response. A body that is no text is JSON.
    pub(super) fn of(status: u16, headers: Map<String, Value>, body: Value) -> Self {
        let lower = headers.into_iter().map(|(name, value)| {
            let value = match value {
                Value::String(text) => text,
                value => value.to_string(),
            };
            (name.to_ascii_lowercase(), Value::String(value))
        });
        let mut headers: Map<String, Value> = lower.collect();
        let body = match body {
            Value::Null => Vec::new(),
            Value::String(text) => text.into_bytes(),
            Value::Object(only) if only.len() == 1 && only.contains_key("$base64") => {
                let text = only["$base64"].as_str().unwrap_or_default();
                STANDARD.decode(text).unwrap_or_default()
            }
            value => {
                let kind = headers.entry("content-type");
                kind.or_insert_with(|| "application/json".into());
                value.to_string().into_bytes()
            }
        };
        Self {
            status,
            headers,
            body,
        }
    }

    /// Returns it as a recording has it.
    pub(super) fn recorded(&self, secrets: &Secrets) -> Value {
        let headers = self.headers.iter();
        let headers: Map<String, Value> = headers
            .filter(|(name, _)| !UNRECORDED.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), secrets.redact_value(value.clone())))
            .collect();
        let body = match std::str::from_utf8(&self.body) {
            Ok(text) => Value::String(secrets.redact_body(text)),
            Err(_) => json!({"$base64": STANDARD.encode(secrets.redact_bytes(&self.body))}),
        };
        json!({"status": self.status, "headers": headers, "body": body})
    }

    /// Returns it with the items of all pages.
    pub(super) fn with_items(mut self, items: Vec<Value>) -> Self {
        self.body = Value::Array(items).to_string().into_bytes();
        self.headers
            .insert("content-type".to_owned(), "application/json".into());
        self
    }

    /// Returns a header by its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.as_str()
    }

    /// Returns the phrase of its status.
    pub(super) fn reason(&self) -> &'static str {
        let status = StatusCode::from_u16(self.status).ok();
        let reason = status.and_then(|status| status.canonical_reason());
        reason.unwrap_or_default()
    }

    /// Returns the target with `rel="next"` in the header `Link`.
    pub(super) fn next_link(&self) -> Option<String> {
        let links = self.header("link")?.split('<').skip(1);
        let links = links.filter_map(|link| link.split_once('>'));
        let is_next = |parameters: &str| {
            parameters.split(';').any(|parameter| {
                let (name, value) = parameter.split_once('=').unwrap_or_default();
                let value = value.trim().trim_end_matches(',').trim().trim_matches('"');
                name.trim().eq_ignore_ascii_case("rel")
                    && value
                        .split_whitespace()
                        .any(|it| it.eq_ignore_ascii_case("next"))
            })
        };
        let mut next = links.filter(|(_, parameters)| is_next(parameters));
        next.next().map(|(target, _)| target.to_owned())
    }

    /// Returns what is passed on, without secrets.
    pub(super) fn reply(
        self,
        kind: Option<HttpKind>,
        secrets: &Secrets,
    ) -> Result<(HttpReply, Vec<u8>), Box<Diagnostic>> {
        let content_type = self.header("content-type").unwrap_or_default().to_owned();
        let media_type = content_type.split(';').next().unwrap_or_default();
        let media_type = media_type.trim().to_ascii_lowercase();
        let text = decode(&self.body, &content_type);
        let is_picture = kind == Some(HttpKind::Image) && self.status < 400;
        let reason = self.reason().to_owned();
        let headers = self.headers.into_iter();
        let headers = headers.map(|(name, value)| (name, secrets.redact_value(value)));
        let reply = HttpReply {
            status: self.status,
            reason,
            headers: headers.collect(),
            more: false,
            size: self.body.len() as u64,
            is_text: text.is_some() && !is_picture,
            media_type,
            exchanges: Vec::new(),
        };
        let body = match text.filter(|_| !is_picture) {
            None if is_picture => STANDARD.encode(&self.body),
            None => String::new(),
            Some(text) if kind == Some(HttpKind::Markdown) && self.status < 400 => {
                let html = ["", "text/html", "application/xhtml+xml"];
                if !html.contains(&reply.media_type.as_str()) {
                    let message = format!("the response is not HTML: {}", reply.media_type);
                    return Err(Box::new(Diagnostic::new(Code::ToolFailed, message)));
                }
                secrets.redact(&html::markdown(&text))
            }
            Some(text) => secrets.redact_body(&text),
        };
        Ok((reply, body.into_bytes()))
    }
}

fn unpack(body: &[u8], limit: u64) -> Result<Vec<u8>, Failed> {
    let failed =
        |message: String| Failed::Other(Box::new(Diagnostic::new(Code::ToolFailed, message)));
    let mut unpacked = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(body).take(limit.saturating_add(1));
    let read = reader.read_to_end(&mut unpacked);
    read.map_err(|error| failed(format!("the response is not valid gzip: {error}")))?;
    if unpacked.len() as u64 > limit {
        return Err(failed(format!("the response has more than {limit} bytes")));
    }
    Ok(unpacked)
}

/// Decodes text by the charset of its type: UTF-8 unless it says otherwise.
fn decode(body: &[u8], content_type: &str) -> Option<String> {
    let mut parameters = content_type.split(';').skip(1);
    let charset = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"').to_ascii_lowercase();
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    });
    let utf16 = |body: &[u8], read: fn([u8; 2]) -> u16| {
        let units = body.chunks_exact(2).map(|unit| read([unit[0], unit[1]]));
        String::from_utf16(&units.collect::<Vec<_>>()).ok()
    };
    let text = match charset.as_deref() {
        Some("iso-8859-1" | "latin1" | "windows-1252") => {
            Some(body.iter().map(|byte| windows_1252(*byte)).collect())
        }
        Some("utf-16be") => {
            let body = body.strip_prefix(b"\xfe\xff").unwrap_or(body);
            utf16(body, u16::from_be_bytes)
        }
        Some("utf-16" | "utf-16le") => match body {
            [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
            [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
            body => utf16(body, u16::from_le_bytes),
        },
        _ => std::str::from_utf8(without_mark(body))
            .ok()
            .map(str::to_owned),
    };
    text.filter(|text: &String| !text.contains('\0'))
}

/// Decodes a byte as browsers do, which read ISO 8859-1 as Windows-1252.
const fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[(byte - 0x80) as usize],
        byte => byte as char,
    }
}
