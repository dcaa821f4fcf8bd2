//! The formatting of a file, so that insertions look like the rest.

use jsonc_parser::ast::ObjectProp;
use jsonc_parser::common::Ranged as _;
use serde_json::{Map, Value};

use super::document::Document;

/// The formatting of a file.
pub(super) struct Layout<'a> {
    /// The line ending.
    pub(super) newline: &'static str,
    /// One step of indentation.
    unit: &'a str,
    /// The separator of a key and its value.
    colon: &'static str,
    /// The space after a comma on one line.
    pub(super) gap: &'static str,
    /// The space inside the braces of an object on one line.
    padding: &'static str,
}

impl<'a> Layout<'a> {
    /// The formatting of `document`; by default, two spaces and line feeds.
    pub(super) fn of(document: &Document<'a>) -> Self {
        let text = document.text;
        let properties = document
            .root
            .as_ref()
            .map_or(&[][..], |root| root.properties.as_slice());
        let first = properties.first();
        let tight = first.is_some_and(|property| tight(text, property));
        let padded = first.is_some_and(|property| text[..property.name.start()].ends_with("{ "));
        let own_line = properties
            .iter()
            .find_map(|property| indent(text, property.name.start()));
        Self {
            newline: newline(text),
            unit: own_line.unwrap_or("  "),
            colon: if tight { ":" } else { ": " },
            gap: if tight { "" } else { " " },
            padding: if padded { " " } else { "" },
        }
    }

    /// `base` with one more step of indentation.
    pub(super) fn deeper(&self, base: &str) -> String {
        format!("{base}{}", self.unit)
    }

    /// `key` and `value`; on several lines if `indent`, that of the key, is given.
    pub(super) fn member(&self, key: &str, value: &Value, indent: Option<&str>) -> String {
        let key = Value::from(key);
        format!("{key}{}{}", self.colon, self.value(value, indent))
    }

    fn value(&self, value: &Value, indent: Option<&str>) -> String {
        match (value, indent) {
            (Value::Object(members), _) if members.is_empty() => "{}".to_owned(),
            (Value::Object(members), Some(indent)) => {
                let deeper = self.deeper(indent);
                let separator = format!(",{}{deeper}", self.newline);
                let inside = self.members(members, Some(&deeper)).join(&separator);
                let newline = self.newline;
                format!("{{{newline}{deeper}{inside}{newline}{indent}}}")
            }
            (Value::Object(members), None) => {
                let padding = self.padding;
                let inside = self.members(members, None).join(&self.comma());
                format!("{{{padding}{inside}{padding}}}")
            }
            (Value::Array(elements), _) => {
                let elements: Vec<String> = elements
                    .iter()
                    .map(|element| self.value(element, None))
                    .collect();
                format!("[{}]", elements.join(&self.comma()))
            }
            (scalar, _) => scalar.to_string(),
        }
    }

    fn members(&self, members: &Map<String, Value>, indent: Option<&str>) -> Vec<String> {
        members
            .iter()
            .map(|(key, value)| self.member(key, value, indent))
            .collect()
    }

    /// A comma between two values on one line.
    pub(super) fn comma(&self) -> String {
        format!(",{}", self.gap)
    }
}

/// The white space before `at` if it starts the line.
///
/// Only the white space is scanned: a file of one long line has many values.
pub(super) fn indent(text: &str, at: usize) -> Option<&str> {
    let before = &text[..at];
    let blanks = before.trim_end_matches(|c: char| c.is_whitespace() && c != '\n' && c != '\r');
    blanks
        .ends_with(['\n', '\r'])
        .then(|| &before[blanks.len()..])
}

/// The white space at the start of the line that contains `at`.
pub(super) fn margin(text: &str, at: usize) -> &str {
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |feed| feed + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start().len()]
}

fn newline(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Whether the value of `property` follows the colon without a space.
fn tight(text: &str, property: &ObjectProp<'_>) -> bool {
    text[..property.value.start()].ends_with(':')
}
