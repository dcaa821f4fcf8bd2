//! The URL of a request: text in which each value is encoded by its place.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::http::{canonical_host, percent_encode, split_port};
use crate::text::Text;
use crate::tool::call::RunError;
use crate::tool::error::HttpToolError;
use crate::tool::template::{Template, TemplateScope, ValueTemplate, printed};
use crate::yaml::Node;
use crate::{Code, Diagnostic};

/// Characters that are encoded in the author's own text.
const OWN: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'|');

/// A URL with values in it.
#[derive(Debug, Default)]
pub(super) struct UrlTemplate {
    pub(super) is_https: bool,
    host: Vec<Part>,
    path: Vec<Part>,
    query: Vec<Part>,
    has_query: bool,
}

/// A part of a URL.
#[derive(Debug)]
enum Part {
    Own(String),
    Value(ValueTemplate),
}

impl UrlTemplate {
    /// Reads the URL in a string of the file `text`.
    pub(super) fn read(node: &Node, text: &Text) -> Result<Self, HttpToolError> {
        let source = node.text().unwrap_or_default().trim();
        let mut parts = split(source, node, text)?;
        let Some(Part::Own(first)) = parts.first_mut() else {
            return Err(HttpToolError::Scheme);
        };
        let lower = first.to_ascii_lowercase();
        let is_https = lower.starts_with("https://");
        if !is_https && !lower.starts_with("http://") {
            return Err(HttpToolError::Scheme);
        }
        first.drain(..if is_https { 8 } else { 7 });
        let mut url = Self {
            is_https,
            ..Self::default()
        };
        let mut is_host = true;
        for part in parts {
            let Part::Own(mut rest) = part else {
                let place = match (is_host, url.has_query) {
                    (true, _) => &mut url.host,
                    (_, false) => &mut url.path,
                    (_, true) => &mut url.query,
                };
                place.push(part);
                continue;
            };
            if rest.contains('#') {
                return Err(HttpToolError::Fragment);
            }
            if is_host {
                let end = rest.find(['/', '?', '\\']).unwrap_or(rest.len());
                let after = rest.split_off(end);
                is_host = after.is_empty();
                url.host.push(Part::Own(rest));
                rest = after;
            }
            if !is_host && !url.has_query {
                let end = rest.find('?').unwrap_or(rest.len());
                let after = rest.split_off(end);
                url.path
                    .push(Part::Own(utf8_percent_encode(&rest, OWN).to_string()));
                url.has_query = !after.is_empty();
                after.get(1..).unwrap_or_default().clone_into(&mut rest);
            }
            if url.has_query {
                url.query
                    .push(Part::Own(utf8_percent_encode(&rest, OWN).to_string()));
            }
        }
        url.check_host()?;
        Ok(url)
    }

    fn check_host(&self) -> Result<(), HttpToolError> {
        let mut own = String::new();
        for part in &self.host {
            match part {
                Part::Value(_) if is_in_port(&own) => return Err(HttpToolError::Port),
                Part::Value(_) => own.push('x'),
                Part::Own(text) => own.push_str(text),
            }
        }
        if own.contains('@') {
            return Err(HttpToolError::Userinfo);
        }
        checked_host(&own).map(drop).ok_or(HttpToolError::UrlHost)
    }

    /// Returns the host and its port as the file writes them, unless arguments are a part of it.
    pub(super) fn literal_host(&self) -> Option<String> {
        self.host
            .iter()
            .map(|part| match part {
                Part::Own(text) => Some(text.as_str()),
                Part::Value(_) => None,
            })
            .collect()
    }

    /// All templates in it.
    pub(super) fn templates(&self) -> impl Iterator<Item = &Template> {
        let parts = self.host.iter().chain(&self.path).chain(&self.query);
        parts.flat_map(|part| match part {
            Part::Own(_) => Vec::new(),
            Part::Value(value) => value.templates(),
        })
    }

    /// Renders it over `arguments`, with further parameters of the query.
    pub(super) fn render(
        &self,
        scope: &TemplateScope<'_>,
        arguments: &Map<String, Value>,
        more: &str,
    ) -> Result<String, RunError> {
        let value = |value: &ValueTemplate| value.evaluate(scope, arguments);
        let render = |parts: &[Part], print: fn(&Value) -> String| {
            let part = |part: &Part| match part {
                Part::Own(text) => Ok(text.clone()),
                Part::Value(it) => value(it).map(|value| print(&value)),
            };
            parts.iter().map(part).collect::<Result<String, _>>()
        };
        let host = render(&self.host, printed)?;
        if checked_host(&host).is_none() {
            return Err(impossible(
                format!("`{host}` in `url` is not a host"),
                "send the name of a host",
            ));
        }
        let mut segments = Segments::default();
        for part in &self.path {
            match part {
                Part::Own(text) => segments.own(text),
                Part::Value(it) => segments.value(&value(it)?),
            }
        }
        let mut query = render(&self.query, encoded)?;
        if !more.is_empty() {
            if !query.is_empty() && !query.ends_with('&') {
                query.push('&');
            }
            query.push_str(more);
        }
        let scheme = if self.is_https { "https" } else { "http" };
        let mark = if self.has_query || !more.is_empty() {
            "?"
        } else {
            ""
        };
        Ok(format!(
            "{scheme}://{host}{}{mark}{query}",
            segments.path()?
        ))
    }
}

/// Splits a text at its expressions in braces.
fn split(source: &str, node: &Node, text: &Text) -> Result<Vec<Part>, HttpToolError> {
    let mut parts = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        let (own, tag) = rest.split_at(start);
        let end = tag
            .starts_with("{{")
            .then(|| end_of_expression(tag))
            .flatten();
        let Some(end) = end else {
            let shown: String = tag.chars().take_while(|c| *c != '/').take(40).collect();
            return Err(HttpToolError::Brace(shown));
        };
        if !own.is_empty() {
            parts.push(Part::Own(own.to_owned()));
        }
        let expression = Node::from_json(tag[..end].into(), node.span);
        parts.push(Part::Value(ValueTemplate::read(&expression, text)));
        rest = &tag[end..];
    }
    if !rest.is_empty() {
        parts.push(Part::Own(rest.to_owned()));
    }
    Ok(parts)
}

/// Returns the end of the expression that `tag` begins with; braces in its strings do not count.
fn end_of_expression(tag: &str) -> Option<usize> {
    let mut quote = None;
    let mut chars = tag.char_indices().skip(2);
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => drop(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '}') if tag[at..].starts_with("}}") => {
                // A map may end with a brace of its own.
                let is_map = tag[at..].starts_with("}}}");
                return Some(at + 2 + usize::from(is_map));
            }
            _ => {}
        }
    }
    None
}

fn is_in_port(host: &str) -> bool {
    host.rfind(']')
        .map_or(host, |end| &host[end..])
        .contains(':')
}

/// Returns the canonical host of `HOST` or `HOST:PORT`, if it is one.
fn checked_host(text: &str) -> Option<String> {
    let (host, _) = split_port(text)?;
    let inner = host
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'));
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let is_valid = match inner {
        Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.chars().all(is_name),
    };
    is_valid.then(|| canonical_host(host))
}

/// A path while it is rendered.
#[derive(Default)]
struct Segments {
    done: String,
    current: String,
    /// True if an argument is a part of the current segment.
    has_value: bool,
    /// The first segment that leads elsewhere.
    invalid: Option<String>,
}

impl Segments {
    fn own(&mut self, text: &str) {
        for (index, piece) in text.split('/').enumerate() {
            if index > 0 {
                self.end();
                self.done.push('/');
            }
            self.current.push_str(piece);
        }
    }

    fn value(&mut self, value: &Value) {
        let single = std::slice::from_ref(value);
        let items = value.as_array().map_or(single, Vec::as_slice);
        self.has_value = true;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.end();
                self.done.push('/');
                self.has_value = true;
            }
            self.current.push_str(&joined(item));
        }
    }

    fn end(&mut self) {
        let segment = std::mem::take(&mut self.current);
        if std::mem::take(&mut self.has_value) {
            let decoded = percent_decode_str(&segment).decode_utf8_lossy();
            if matches!(&*decoded, "" | "." | "..") {
                self.invalid.get_or_insert(decoded.into_owned());
            }
        }
        self.done.push_str(&segment);
    }

    fn path(mut self) -> Result<String, RunError> {
        self.end();
        match self.invalid {
            None if self.done.is_empty() => Ok("/".to_owned()),
            None => Ok(self.done),
            Some(segment) => Err(impossible(
                format!("a segment of the path of `url` would be `{segment}`"),
                "send a value that is not empty, `.` or `..`",
            )),
        }
    }
}

/// Makes the parameters of a query or a form; missing values are left out. Below a name that ends
/// with `[]`, maps are in brackets, too.
pub(super) fn parameters<'e>(entries: impl Iterator<Item = (&'e str, Option<Value>)>) -> String {
    let mut pairs = Vec::new();
    for (name, value) in entries {
        let stem = name.strip_suffix("[]");
        match value {
            None | Some(Value::Null) => {}
            Some(value) if stem.is_some() && has_maps(&value) => {
                nest(&mut pairs, stem.unwrap_or(name), &value);
            }
            Some(Value::Array(items)) => {
                let name = percent_encode(name);
                let is_empty = |item: &&Value| item.as_array().is_some_and(Vec::is_empty);
                let items = items.iter().filter(|it| !it.is_null() && !is_empty(it));
                pairs.extend(items.map(|item| format!("{name}={}", joined(item))));
            }
            Some(value) => pairs.push(format!("{}={}", percent_encode(name), encoded(&value))),
        }
    }
    pairs.join("&")
}

fn has_maps(value: &Value) -> bool {
    let mut items = value.as_array().into_iter().flatten();
    value.is_object() || items.any(Value::is_object)
}

/// Adds the parameters of a map or a list, as in `a[b][c]=1` and `a[0][b]=1`.
fn nest(pairs: &mut Vec<String>, name: &str, value: &Value) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (key, value) in fields {
                nest(pairs, &format!("{name}[{key}]"), value);
            }
        }
        Value::Array(items) => {
            let is_nested = items.iter().any(|it| it.is_object() || it.is_array());
            for (index, item) in items.iter().enumerate() {
                let index = if is_nested {
                    index.to_string()
                } else {
                    String::new()
                };
                nest(pairs, &format!("{name}[{index}]"), item);
            }
        }
        value => pairs.push(format!("{}={}", percent_encode(name), encoded(value))),
    }
}

/// Encodes the items of a list in a list, with commas between them.
fn joined(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items = items.iter().filter(|item| !item.is_null()).map(joined);
            items.collect::<Vec<_>>().join(",")
        }
        value => encoded(value),
    }
}

fn encoded(value: &Value) -> String {
    percent_encode(&printed(value))
}

/// Makes the error of arguments with which there is no request.
pub(super) fn impossible(message: String, hint: &str) -> RunError {
    Box::new(Diagnostic::new(Code::SchemaViolation, message).hint(hint))
}
