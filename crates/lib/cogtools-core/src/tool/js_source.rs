//! The code of a tool in JavaScript, for linters.

use super::embedded::Embedded;
use crate::Location;
use crate::text::Text;

/// The code of a tool, and its file.
#[derive(Clone, Debug)]
pub struct JsSource {
    code: Embedded,
    text: Text,
}

impl JsSource {
    /// The `code` in the tool file `text`.
    pub(super) fn new(code: &Embedded, text: &Text) -> Self {
        Self {
            code: code.clone(),
            text: text.clone(),
        }
    }

    /// The code.
    pub fn source(&self) -> &str {
        self.code.source()
    }

    /// The location in the file of `width` characters at a line and a column of the code
    /// (both from 1).
    pub fn location(&self, line: usize, column: usize, width: usize) -> Location {
        self.code.location((line, column), width, &self.text)
    }
}
