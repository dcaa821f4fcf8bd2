//! Documents that are read like a tool file, and locations in them.
//!
//! A provider's declaration is JSON without lines that a user could look at. So the span of each
//! of its nodes is its number in preorder, and diagnostics point to the value with that number.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::ToolError;
use crate::pointer::{child, segments};
use crate::schema::InvalidSchema;
use crate::text::{Span, Text, TextError};
use crate::yaml::{Data, Entry, MAX_DEPTH, MAX_NODES, Node, YamlError, YamlErrorKind};
use crate::{Code, Diagnostic};

/// Finds locations in a tool file or a provider's declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locator<'d> {
    /// The file; empty for a declaration.
    pub(super) text: &'d Text,
    /// The document, if it has no lines: the span of each value is its number.
    pub(super) numbered: Option<&'d Node>,
}

/// A JSON object, within the limits of a tool file.
#[derive(Debug)]
pub(crate) struct JsonDocument {
    /// An empty text that only carries the name.
    text: Text,
    node: Node,
}

/// Counts the bytes that are written to it.
struct Counter(usize);

impl Locator<'_> {
    /// Adds the location of `span` to `diagnostic`.
    pub(super) fn locate(&self, diagnostic: Diagnostic, span: Span) -> Diagnostic {
        let Some(root) = self.numbered else {
            return diagnostic.at(self.text.location(span));
        };
        let diagnostic = diagnostic.with_subject(self.text.display_path().display().to_string());
        match pointer(root, span.start) {
            whole if whole.is_empty() => diagnostic,
            pointer => diagnostic.with_pointer(pointer),
        }
    }

    /// Makes the diagnostic of an invalid part of a schema at `span`.
    pub(super) fn locate_schema(&self, span: Span, invalid: &InvalidSchema) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::InvalidTool, invalid.message.clone());
        let hint = "put it in single quotes, so that YAML leaves the backslashes alone";
        self.locate(diagnostic.hint(hint), span)
    }

    /// Makes the diagnostic of an invalid part of the plain schema in `node`.
    pub(super) fn locate_schema_in(&self, node: &Node, invalid: &InvalidSchema) -> Diagnostic {
        let segments = segments(&invalid.pointer);
        let path = segments.iter().map(String::as_str);
        self.locate_schema(node.walk(path).0.span, invalid)
    }
}

/// Returns the JSON pointer to the value with this number.
fn pointer(root: &Node, number: usize) -> String {
    let mut pointer = String::new();
    let mut node = root;
    while node.span.start < number {
        let inner = match &node.data {
            Data::List(items) => {
                let index = items.partition_point(|item| item.span.start <= number);
                let index = index.checked_sub(1);
                index.and_then(|index| Some((index.to_string(), items.get(index)?)))
            }
            Data::Map(entries) => {
                let index = entries.partition_point(|entry| entry.span.start <= number);
                let entry = index.checked_sub(1).and_then(|index| entries.get(index));
                entry.map(|entry| (entry.key.clone(), &entry.value))
            }
            _ => None,
        };
        let Some((name, inner)) = inner else { break };
        pointer = child(&pointer, &name);
        node = inner;
    }
    pointer
}

impl JsonDocument {
    /// Makes the document of `entries`, which messages call `name`.
    ///
    /// # Errors
    ///
    /// The entries exceed a limit of tool files.
    pub(crate) fn new(name: PathBuf, entries: Map<String, Value>) -> Result<Self, ToolError> {
        let value = Value::Object(entries);
        let mut size = Counter(0);
        // Writing to a counter cannot fail.
        let _ = serde_json::to_writer(&mut size, &value);
        if size.0 > Text::MAX_BYTES {
            return Err(ToolError::Text(TextError::TooLarge(name)));
        }
        let text = Text::empty(name);
        match node(value, 1, &mut 0) {
            Ok(node) => Ok(Self { text, node }),
            Err(kind) => {
                let span = Span { start: 0, end: 0 };
                let mut diagnostic = YamlError { kind, span }.diagnostic(Code::InvalidTool, &text);
                diagnostic.location = None;
                let name = text.display_path().display().to_string();
                Err(ToolError::Syntax(Box::new(diagnostic.with_subject(name))))
            }
        }
    }

    /// The root.
    pub(super) const fn node(&self) -> &Node {
        &self.node
    }

    /// The locator of its values.
    pub(super) const fn locator(&self) -> Locator<'_> {
        Locator {
            text: &self.text,
            numbered: Some(&self.node),
        }
    }
}

/// Makes the node of a `value` at this `depth` below the root, numbered `next`.
fn node(value: Value, depth: usize, next: &mut usize) -> Result<Node, YamlErrorKind> {
    let span = Span {
        start: *next,
        end: *next,
    };
    *next += 1;
    if *next > MAX_NODES {
        return Err(YamlErrorKind::TooMany);
    }
    if depth > MAX_DEPTH && (value.is_array() || value.is_object()) {
        return Err(YamlErrorKind::TooDeep);
    }
    let data = match value {
        Value::Array(items) => {
            let nodes = items.into_iter().map(|item| node(item, depth + 1, next));
            Data::List(nodes.collect::<Result<_, _>>()?)
        }
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| {
                let value = node(value, depth + 1, next)?;
                let span = value.span;
                Ok(Entry { key, span, value })
            });
            Data::Map(entries.collect::<Result<_, _>>()?)
        }
        scalar => return Ok(Node::from_json(scalar, span)),
    };
    Ok(Node { data, span })
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Checks the error of a document that has this `value`.
    #[track_caller]
    fn check(value: Value, expected: Option<&str>) {
        let entries = Map::from_iter([("a".to_owned(), value)]);
        let document = JsonDocument::new("p: own".into(), entries);
        let lines = document.err().map(|error| {
            let diagnostics = error.diagnostics();
            let lines = diagnostics.iter().map(Diagnostic::summary);
            lines.collect::<Vec<_>>().join("\n")
        });
        assert_eq!(lines.as_deref(), expected);
    }

    #[test]
    fn limits_are_those_of_tool_files() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        check(nested(MAX_DEPTH - 1), None);
        check(
            nested(MAX_DEPTH),
            Some("p: own: more than 64 levels of nesting"),
        );
        let values = |count: usize| Value::from(vec![0; count]);
        check(values(MAX_NODES - 2), None);
        check(
            values(MAX_NODES - 1),
            Some("p: own: more than 100000 values, aliases counted in full"),
        );
        let frame = r#"{"a":""}"#.len();
        check("x".repeat(Text::MAX_BYTES - frame).into(), None);
        check(
            "x".repeat(Text::MAX_BYTES - frame + 1).into(),
            Some("`p: own` is larger than 1024 KiB"),
        );
    }

    #[test]
    fn a_value_number_becomes_a_json_pointer() {
        let value = json!({"a": 1, "b": [2, {"c/d": {}}], "e": null});
        let value = value.as_object().expect("an object").clone();
        let document = JsonDocument::new("x".into(), value).expect("it is small");
        let all = ["", "/a", "/b", "/b/0", "/b/1", "/b/1/c~1d", "/e", "/e"];
        for (number, expected) in all.into_iter().enumerate() {
            assert_eq!(pointer(document.node(), number), expected, "{number}");
        }
    }
}
