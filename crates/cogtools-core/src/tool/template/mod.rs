//! A template as it is written in a YAML file, and where its lines are.

mod partials;
mod source;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

pub(super) use partials::{Partials, stays_inside};
pub use source::TemplateSource;

use crate::text::{Span, Text};
use crate::yaml::{Data, Entry, Node};
use crate::{Code, Diagnostic, Hint, Location};

/// A template and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Template {
    /// What other templates call it; relative names start from here.
    name: String,
    source: String,
    /// Where it stands in its file. Lines are counted only when there is a fault.
    span: Span,
    /// How far its lines are indented there; `None` when its lines are not the
    /// file's (a quoted or folded scalar): faults then point at its beginning.
    indent: Option<usize>,
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
        Some(Self {
            name: file_name(text.display_path()),
            source: source.clone(),
            span: node.span,
            indent: *block,
        })
    }

    /// The template that is the whole file at `path` below the tool's folder.
    fn whole(path: &Path, text: &Text) -> Self {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        Self {
            name: parts.join("/"),
            source: text.as_str().to_owned(),
            span: Span { start: 0, end: 0 },
            indent: Some(0),
        }
    }

    /// Renders it over `arguments`.
    pub(super) fn render(
        &self,
        text: &Text,
        partials: &Partials,
        arguments: Map<String, Value>,
    ) -> Result<String, Box<Diagnostic>> {
        let template = self.compile(text, partials)?;
        let rendered = template.render(&Value::Object(arguments));
        rendered.map_err(|error| self.diagnostic(&error, Code::TemplateFailed, text, partials))
    }

    /// Compiles it, and looks for filters and tests that there are not: a call
    /// would find them only when it comes to them.
    pub(super) fn check(&self, text: &Text, partials: &Partials) -> Result<(), Box<Diagnostic>> {
        let found = |error: &njk::Error| self.diagnostic(error, Code::InvalidTool, text, partials);
        let analysis = self.compile(text, partials)?.analysis();
        let analysis = analysis.map_err(|error| found(&error))?;
        analysis
            .unknown
            .first()
            .map_or(Ok(()), |error| Err(found(error)))
    }

    fn compile(&self, text: &Text, partials: &Partials) -> Result<njk::Template, Box<Diagnostic>> {
        let engine = njk::Engine::builder().loader(partials.clone()).build();
        let compiled = engine.compile(&self.name, &self.source);
        compiled.map_err(|error| self.diagnostic(&error, Code::InvalidTool, text, partials))
    }

    /// The fault of a template, at its place in the file it happened in.
    fn diagnostic(
        &self,
        error: &njk::Error,
        code: Code,
        text: &Text,
        partials: &Partials,
    ) -> Box<Diagnostic> {
        let mut diagnostic = Diagnostic::new(code, error.message());
        let name = error.template();
        diagnostic.location = Some(if name.is_empty() || name == self.name {
            if self.indent.is_none() && error.line() > 1 {
                let _ = write!(
                    diagnostic.message,
                    " (line {} of the template)",
                    error.line()
                );
            }
            self.location(error, text)
        } else if let Ok(other) = partials.read(Path::new(name)) {
            let (line, column) = (error.line().max(1), error.column().max(1));
            Location::new(
                other.display_path(),
                other.as_str(),
                line,
                column,
                error.length(),
            )
        } else {
            let _ = write!(diagnostic.message, " (in `{name}`)");
            let (line, column) = self.start(text);
            Location::new(text.display_path(), text.as_str(), line, column, 1)
        });
        diagnostic.hints.extend(error.hint().map(Hint::from));
        Box::new(diagnostic)
    }

    /// Where in the file of this template an error of its own stands.
    fn location(&self, error: &njk::Error, text: &Text) -> Location {
        self.place_of((error.line(), error.column()), error.length(), text)
    }

    /// Where in its file the `width` characters at a line and a column of this
    /// template (both from 1) stand.
    fn place_of(&self, at: (usize, usize), width: usize, text: &Text) -> Location {
        let (line, column) = self.start(text);
        let (line, column) = match self.indent {
            Some(indent) => (line + at.0.max(1) - 1, at.1.max(1) + indent),
            None => (line, column),
        };
        Location::new(text.display_path(), text.as_str(), line, column, width)
    }

    /// The line of the file, from 1, on which its first line stands, and the column
    /// of its beginning.
    fn start(&self, text: &Text) -> (usize, usize) {
        let location = text.location(self.span);
        let line = if self.indent.is_some() {
            // The span of a block begins with its first line that is not blank.
            let blank = self.source.len() - self.source.trim_start_matches('\n').len();
            location.line.saturating_sub(blank).max(1)
        } else {
            location.line
        };
        (line, location.column)
    }

    /// The template itself.
    fn source(&self) -> &str {
        &self.source
    }
}

/// The template in the file at `path` below the folder of the tool in `text`.
pub(super) fn load_sibling(text: &Text, path: &Path) -> Result<(Template, Text), Box<Diagnostic>> {
    let file = Partials::beside(text).read(path).map_err(|error| {
        let diagnostic = Diagnostic::new(Code::InvalidTool, error.to_string());
        let diagnostic = diagnostic.with_subject(text.display_path().display().to_string());
        Box::new(diagnostic.hint("`njk_file` names a file in the folder of the tool, or below it"))
    })?;
    Ok((Template::whole(path, &file), file))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
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
