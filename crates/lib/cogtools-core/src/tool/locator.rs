//! Places in a tool file or a declaration.

use crate::pointer::{child, segments};
use crate::schema::InvalidSchema;
use crate::text::{Span, Text};
use crate::yaml::{Data, Node};
use crate::{Code, Diagnostic};

/// Finds locations in a tool file or a provider's declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locator<'d> {
    /// The file; empty for a declaration.
    pub(super) text: &'d Text,
    /// The document, if it has no lines: the span of each value is its number.
    pub(super) numbered: Option<&'d Node>,
}

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
pub(super) fn pointer(root: &Node, number: usize) -> String {
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
