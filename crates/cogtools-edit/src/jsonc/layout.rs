//! How a file is laid out, so that what is inserted looks like the rest.

use jsonc_parser::ast::ObjectProp;
use jsonc_parser::common::Ranged as _;
use serde_json::{Map, Value};

use super::document::Document;

/// A file's habits.
pub(super) struct Layout<'a> {
    /// What ends a line.
    pub(super) newline: &'static str,
    /// One step of indentation.
    unit: &'a str,
    /// What stands between a key and its value.
    colon: &'static str,
    /// What stands between two values on one line.
    pub(super) gap: &'static str,
    /// What stands inside the braces of an object on one line.
    padding: &'static str,
}

impl<'a> Layout<'a> {
    /// The habits of `document`; two blanks and line feeds where it shows none.
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

    /// `base` and one step more.
    pub(super) fn deeper(&self, base: &str) -> String {
        format!("{base}{}", self.unit)
    }

    /// `key` and `value`, over several lines where `indent` is that of the key.
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

/// The blanks before `at`, when nothing else stands there on its line.
///
/// Looks no further than the blanks: a file of one long line has many values.
pub(super) fn indent(text: &str, at: usize) -> Option<&str> {
    let before = &text[..at];
    let blanks = before.trim_end_matches(|c: char| c.is_whitespace() && c != '\n' && c != '\r');
    blanks
        .ends_with(['\n', '\r'])
        .then(|| &before[blanks.len()..])
}

/// The blanks that the line of `at` begins with.
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

/// Whether nothing stands between the colon and the value of `property`.
fn tight(text: &str, property: &ObjectProp<'_>) -> bool {
    text[..property.value.start()].ends_with(':')
}
