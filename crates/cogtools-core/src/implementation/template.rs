//! A template as it stands in a YAML file, and where its lines are.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::text::{Span, Text};
use crate::yaml::{Data, Entry, Node};
use crate::{Code, Fault, Place};

/// A template and the place of its first line.
#[derive(Debug)]
pub struct Template {
    source: String,
    /// The line of the file, from 1, on which its first line stands.
    line: usize,
    /// How far its lines are indented there; `None` when its lines are not the
    /// file's (a quoted or folded scalar): faults then point at its beginning.
    indent: Option<usize>,
    /// The column of its beginning, from 1.
    column: usize,
}

impl Template {
    /// The template in a string of the file `text`.
    pub(super) fn read(node: &Node, text: &Text) -> Option<Self> {
        let Data::Text {
            text: source,
            block,
        } = &node.data
        else {
            return None;
        };
        let place = text.place(node.span);
        // The span of a block begins with its first line that is not blank.
        let blank = source.len() - source.trim_start_matches('\n').len();
        let line = if block.is_some() {
            place.line.saturating_sub(blank).max(1)
        } else {
            place.line
        };
        Some(Self {
            source: source.clone(),
            line,
            indent: *block,
            column: place.column,
        })
    }

    /// The template that is a whole file.
    pub(super) fn whole(text: &Text) -> Self {
        Self {
            source: text.as_str().to_owned(),
            line: 1,
            indent: Some(0),
            column: 1,
        }
    }

    /// Renders it over `arguments`.
    pub(super) fn render(
        &self,
        text: &Text,
        arguments: Map<String, Value>,
    ) -> Result<String, Box<Fault>> {
        let template = self.compile(text)?;
        let rendered = template.render(&Value::Object(arguments));
        rendered.map_err(|error| self.fault(&error, Code::TemplateFailed, text))
    }

    /// Compiles it.
    pub(super) fn check(&self, text: &Text) -> Result<(), Box<Fault>> {
        self.compile(text).map(drop)
    }

    fn compile(&self, text: &Text) -> Result<njk::Template, Box<Fault>> {
        let name = text.name().display().to_string();
        let compiled = njk::Engine::new().compile(&name, &self.source);
        compiled.map_err(|error| self.fault(&error, Code::InvalidTool, text))
    }

    /// The fault of a template, at its place in the file.
    fn fault(&self, error: &njk::Error, code: Code, text: &Text) -> Box<Fault> {
        let mut message = error.message().to_owned();
        let place = if let Some(indent) = self.indent {
            // An error that knows no place of its own is one of the whole template.
            let line = self.line + error.line().max(1) - 1;
            Place::new(
                text.name(),
                text.as_str(),
                line,
                error.column().max(1) + indent,
                error.length(),
            )
        } else {
            let _ = write!(message, " (line {} of the template)", error.line().max(1));
            Place::new(text.name(), text.as_str(), self.line, self.column, 1)
        };
        let mut fault = Fault::new(code, message).at(place);
        fault.hints.extend(error.hint().map(str::to_owned));
        Box::new(fault)
    }
}

/// A comment of one word behind `|` that names a language other than njk, and
/// where it stands. `# njk` is the mark of the format; a longer comment is just
/// a comment.
pub(super) fn language(entry: &Entry, text: &Text) -> Option<(String, Span)> {
    let rest = text.as_str().get(entry.span.end..)?;
    let header = rest.lines().next()?;
    let value = header.trim_start().strip_prefix(':')?.trim_start();
    let value = value.strip_prefix(['|', '>'])?;
    let comment = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    let word = comment.trim().strip_prefix('#')?.trim();
    if word.is_empty() || word == "njk" || word.contains(char::is_whitespace) {
        return None;
    }
    let start = entry.span.end + header.rfind(word)?;
    Some((
        word.to_owned(),
        Span {
            start,
            end: start + word.len(),
        },
    ))
}
