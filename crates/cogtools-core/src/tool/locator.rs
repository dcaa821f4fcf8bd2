//! Where what a tool says of itself is written, for faults to point at.

use crate::pointer::{child, segments};
use crate::schema::InvalidSchema;
use crate::text::{Span, Text};
use crate::yaml::{Data, Node};
use crate::{Code, Diagnostic};

/// A document that is read: the file of a tool, or what a provider declares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locator<'d> {
    text: &'d Text,
    /// The document, if it has no lines: the spans of its values are their numbers.
    numbered: Option<&'d Node>,
}

impl<'d> Locator<'d> {
    /// For the file `text`.
    pub(super) const fn of_file(text: &'d Text) -> Self {
        Self {
            text,
            numbered: None,
        }
    }

    /// For the document `root`, known by the name of `text`, whose values have spans
    /// that begin with their numbers, an outer one before all that is in it.
    pub(super) const fn of_numbered(text: &'d Text, root: &'d Node) -> Self {
        Self {
            text,
            numbered: Some(root),
        }
    }

    /// The text of the file, which is empty where there is none.
    pub(super) const fn text(&self) -> &'d Text {
        self.text
    }

    /// The fault, about what is written at `span`.
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

    /// The fault of what cannot be used of a schema, which is written at `span`.
    pub(super) fn unusable(&self, span: Span, unusable: &InvalidSchema) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::InvalidTool, unusable.message.clone());
        let hint = "put it in single quotes, so that YAML leaves the backslashes alone";
        self.locate(diagnostic.hint(hint), span)
    }

    /// The same for a schema that is written in `node` word for word.
    pub(super) fn unusable_in(&self, node: &Node, unusable: &InvalidSchema) -> Diagnostic {
        let segments = segments(&unusable.pointer);
        let path = segments.iter().map(String::as_str);
        self.unusable(node.walk(path).0.span, unusable)
    }
}

/// The pointer to the value of that number.
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
    fn a_number_is_a_pointer() {
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
