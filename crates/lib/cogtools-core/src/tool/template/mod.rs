//! A template in a YAML file, and the locations of its lines.

mod condition;
mod partials;
mod source;
mod value;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

pub(super) use partials::{Partials, stays_inside};
pub use source::TemplateSource;
pub(super) use value::ValueTemplate;

use super::embedded::Embedded;
use crate::text::{Span, Text};
use crate::yaml::{Entry, Node};
use crate::{Code, Diagnostic, Hint, Location};

/// A template and its location.
#[derive(Clone, Debug)]
pub(super) struct Template {
    /// Its name for other templates; relative names are resolved against it.
    name: String,
    text: Embedded,
    /// How many characters at its beginning are not in the file.
    lead: usize,
}

impl Template {
    /// The template in a string of the file `text`.
    pub(super) fn read(node: &Node, text: &Text) -> Option<Self> {
        Some(Self {
            name: file_name(text.display_path()),
            text: Embedded::read(node)?,
            lead: 0,
        })
    }

    fn name(&self) -> &str {
        &self.name
    }

    /// `value` as templates print it.
    pub(super) fn print(&self, value: &Value, text: &Text) -> Result<String, Box<Diagnostic>> {
        if let Value::String(value) = value {
            return Ok(value.clone());
        }
        let printer = self.with_source("{{ value }}".to_owned());
        let mut context = Map::new();
        context.insert("value".to_owned(), value.clone());
        printer.render(text, &Partials::of(text), context)
    }

    /// The location of the whole template, as far as it is on one line.
    pub(super) fn whole(&self, text: &Text) -> Location {
        self.text.whole(text)
    }

    /// The template in the file at `path` below the tool's folder.
    fn from_file(path: &Path, text: &Text) -> Self {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        Self {
            name: parts.join("/"),
            text: Embedded::file(text),
            lead: 0,
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
        self.render_compiled(&template, text, partials, arguments)
    }

    /// Renders it over `arguments` as `template`, which [`Self::compile`] has compiled.
    pub(super) fn render_compiled(
        &self,
        template: &njk::Template,
        text: &Text,
        partials: &Partials,
        arguments: Map<String, Value>,
    ) -> Result<String, Box<Diagnostic>> {
        let rendered = template.render(&Value::Object(arguments));
        rendered.map_err(|error| self.diagnostic(&error, Code::TemplateFailed, text, partials))
    }

    /// Compiles it and looks for unknown filters and tests, which a call would find
    /// only when it reaches them.
    pub(super) fn check(&self, text: &Text, partials: &Partials) -> Result<(), Box<Diagnostic>> {
        let invalid =
            |error: &njk::Error| self.diagnostic(error, Code::InvalidTool, text, partials);
        let template = self.compile(text, partials)?;
        let analysis = template.analysis().map_err(|error| invalid(&error))?;
        analysis
            .unknown
            .first()
            .map_or(Ok(()), |error| Err(invalid(error)))
    }

    /// Compiles it; templates that it names are loaded only when it renders.
    pub(super) fn compile(
        &self,
        text: &Text,
        partials: &Partials,
    ) -> Result<njk::Template, Box<Diagnostic>> {
        let engine = njk::Engine::builder().loader(partials.clone()).build();
        let compiled = engine.compile(&self.name, self.source());
        compiled.map_err(|error| self.diagnostic(&error, Code::InvalidTool, text, partials))
    }

    /// The diagnostic for `error`, at its location in the file where it occurred.
    fn diagnostic(
        &self,
        error: &njk::Error,
        code: Code,
        text: &Text,
        partials: &Partials,
    ) -> Box<Diagnostic> {
        let mut diagnostic = Diagnostic::new(code, error.message());
        let name = error.template();
        let mut hint = error.hint().map(str::to_owned);
        diagnostic.location = Some(if name.is_empty() || name == self.name {
            hint = self.hint(error, text);
            if !self.text.has_lines() && error.line() > 1 {
                let _ = write!(
                    diagnostic.message,
                    " (line {} of the template)",
                    error.line()
                );
            }
            self.location(error, text)
        } else if let Ok(other) = partials.read(Path::new(name)) {
            let (line, column) = (error.line().max(1), error.column().max(1));
            other.location_at(line, column, error.length())
        } else {
            let _ = write!(diagnostic.message, " (in `{name}`)");
            let (line, column) = self.text.start(text);
            text.location_at(line, column, 1)
        });
        diagnostic.hints.extend(hint.map(Hint::from));
        Box::new(diagnostic)
    }

    /// The hint of an error in this template: the line that it names is that in the file.
    fn hint(&self, error: &njk::Error, text: &Text) -> Option<String> {
        let Some((mistake, line)) = error
            .mistake()
            .and_then(|mistake| Some((mistake, mistake.line()?)))
        else {
            return error.hint().map(str::to_owned);
        };
        if self.lead > 0 && line == 1 {
            // The tag is not in the file: it was put around a condition.
            return None;
        }
        if !self.text.has_lines() && line > 1 {
            return Some(mistake.to_string());
        }
        let line = self.location_at((line, 1), 1, text).line;
        Some(mistake.clone().on_line(line).to_string())
    }

    /// The location of an error in this template.
    fn location(&self, error: &njk::Error, text: &Text) -> Location {
        self.location_at((error.line(), error.column()), error.length(), text)
    }

    /// The location in the file of `width` characters at a line and a column of this
    /// template (both from 1).
    fn location_at(&self, at: (usize, usize), width: usize, text: &Text) -> Location {
        let at = match at {
            (0 | 1, column) => (1, column.saturating_sub(self.lead).max(1)),
            at => at,
        };
        self.text.location(at, width, text)
    }

    /// Whether it has no tags.
    pub(super) fn is_plain(&self) -> bool {
        !["{{", "{%", "{#"]
            .iter()
            .any(|tag| self.source().contains(tag))
    }

    /// Its output, if that is the same in every call: it reads no arguments and no
    /// other files.
    pub(super) fn constant(&self, text: &Text) -> Option<String> {
        if self.is_plain() {
            return Some(self.source().to_owned());
        }
        let partials = Partials::of(text);
        let analysis = self.compile(text, &partials).ok()?.analysis().ok()?;
        if !analysis.reads.is_empty() || !analysis.templates.is_empty() {
            return None;
        }
        self.render(text, &partials, Map::new()).ok()
    }

    /// The text of the template.
    pub(super) fn source(&self) -> &str {
        self.text.source()
    }

    /// Another template in the same place.
    fn with_source(&self, source: String) -> Self {
        Self {
            text: self.text.with_source(source),
            ..self.clone()
        }
    }
}

/// The template in the file at `path` below the folder of the tool in `text`.
pub(super) fn load_sibling(text: &Text, path: &Path) -> Result<(Template, Text), Box<Diagnostic>> {
    let file = Partials::of(text).read(path).map_err(|error| {
        let diagnostic = Diagnostic::new(Code::InvalidTool, error.to_string())
            .with_subject(text.display_path().display().to_string())
            .hint("`njk_file` takes a file in the tool's folder, or below it");
        Box::new(diagnostic)
    })?;
    Ok((Template::from_file(path, &file), file))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The language in a comment of one word after `|`, unless it is njk, and its span.
/// `# njk` marks the format; a longer comment is only a comment.
pub(super) fn language(entry: &Entry, text: &Text) -> Option<(String, Span)> {
    let rest = text.as_str().get(entry.span.end..)?;
    let header = rest.lines().next()?;
    let value = header.trim_start().strip_prefix(':')?.trim_start();
    let word = value
        .strip_prefix(['|', '>'])?
        .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'))
        .trim()
        .strip_prefix('#')?
        .trim();
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
