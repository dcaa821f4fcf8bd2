//! Locations in a tool file or a declaration, for diagnostics.

use super::{Key, Tool};
use crate::pointer::{child, segments};
use crate::schema::InvalidSchema;
use crate::text::{Span, Text};
use crate::yaml::{self, Data, Node};
use crate::{Code, Diagnostic, Location};

/// A document being read: a tool file or a provider's declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locator<'d> {
    text: &'d Text,
    /// The document, if it has no lines: the span of each value is its number.
    numbered: Option<&'d Node>,
}

impl Tool {
    /// Where its implementation begins in its file.
    pub fn implementation_location(&self) -> Option<Location> {
        let document = yaml::parse(&self.text).ok()?;
        let mut entries = document.entries()?.iter();
        let key = Key::Implementation.as_str();
        let entry = entries.find(|entry| entry.key == key)?;
        Some(self.text.location(entry.span))
    }
}

impl Tool {
    /// Adds to `diagnostic` where the tool's file has the value at `pointer` in its
    /// schema. A tool without a file has the pointer only.
    pub(crate) fn locate_in_schema(&self, diagnostic: Diagnostic, pointer: &str) -> Diagnostic {
        let document = yaml::parse(&self.text)
            .ok()
            .filter(|document| document.entries().is_some());
        let Some(document) = document else {
            let diagnostic = diagnostic.with_subject(self.name().as_str());
            return diagnostic.with_pointer(pointer);
        };
        let names = segments(pointer);
        let names = names.iter().map(String::as_str);
        let (root, skipped) = match document.get("parameters_schema") {
            Some(schema) => (schema, 0),
            None => (document.get("parameters").unwrap_or(&document), 1),
        };
        let (_, span) = root.walk(names.skip(skipped));
        diagnostic.at(self.text.location(span))
    }
}

impl<'d> Locator<'d> {
    /// A locator for the file `text`.
    pub(super) const fn of_file(text: &'d Text) -> Self {
        Self {
            text,
            numbered: None,
        }
    }

    /// A locator for the document `root`, named like `text`. The spans of its values
    /// are their numbers in preorder.
    pub(super) const fn of_numbered(text: &'d Text, root: &'d Node) -> Self {
        Self {
            text,
            numbered: Some(root),
        }
    }

    /// The text of the file; empty for a declaration.
    pub(super) const fn text(&self) -> &'d Text {
        self.text
    }

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

    /// The diagnostic for an invalid part of a schema at `span`.
    pub(super) fn locate_schema(&self, span: Span, invalid: &InvalidSchema) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::InvalidTool, invalid.message.clone());
        let hint = "put it in single quotes, so that YAML leaves the backslashes alone";
        self.locate(diagnostic.hint(hint), span)
    }

    /// The same for a plain schema in `node`.
    pub(super) fn locate_schema_in(&self, node: &Node, invalid: &InvalidSchema) -> Diagnostic {
        let segments = segments(&invalid.pointer);
        let path = segments.iter().map(String::as_str);
        self.locate_schema(node.walk(path).0.span, invalid)
    }
}

/// The JSON pointer to the value with this number.
fn pointer(root: &Node, number: usize) -> String {
    let mut pointer = String::new();
    let mut node = root;
    while node.span.start < number {
        let (name, inner) = match &node.data {
            Data::List(items) => {
                let index = items.partition_point(|item| item.span.start <= number);
                let Some(inner) = index.checked_sub(1).and_then(|index| items.get(index)) else {
                    break;
                };
                ((index - 1).to_string(), inner)
            }
            Data::Map(entries) => {
                let index = entries.partition_point(|entry| entry.span.start <= number);
                let Some(entry) = index.checked_sub(1).and_then(|index| entries.get(index)) else {
                    break;
                };
                (entry.key.clone(), &entry.value)
            }
            _ => break,
        };
        pointer = child(&pointer, &name);
        node = inner;
    }
    pointer
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::JsonDocument;

    #[test]
    fn a_value_number_becomes_a_json_pointer() {
        let value = json!({"a": 1, "b": [2, {"c/d": {}}], "e": null});
        let value = value.as_object().expect("an object").clone();
        let document = JsonDocument::new("x".into(), value).expect("it is small");
        let all = ["", "/a", "/b", "/b/0", "/b/1", "/b/1/c~1d", "/e", "/e"];
        for (number, expected) in all.into_iter().enumerate() {
            assert_eq!(
                super::pointer(document.node(), number),
                expected,
                "{number}"
            );
        }
    }
}
