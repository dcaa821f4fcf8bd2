//! A template in a YAML file, and the locations of its lines.

mod value;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::file::{self, ReadScope};
use crate::schema::Schema;
use crate::suggest::Suggestion;
use crate::text::{Span, Text, TextError};
use crate::tool::embedded::Embedded;
use crate::yaml::{Entry, Node};
use crate::{Code, Diagnostic, Hint, Location};
pub use value::{ValueTemplate, printed};

/// The text that surrounds an expression to make it a condition.
const CONDITION: [&str; 2] = ["{% if ", " %}1{% endif %}"];
/// The text that surrounds an expression to print it.
const OUTPUT: [&str; 2] = ["{{ ", " }}"];

/// The variable with the folder of the tool, in the command line of a program.
pub const TOOL_DIR: &str = "tool_dir";

/// A template and its location.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name for other templates; relative names are resolved against it.
    name: String,
    text: Embedded,
    /// The number of characters at its beginning that are not in the file.
    lead: usize,
}

/// The surroundings of a template: the file that it is in, and the folder of its tool.
#[derive(Clone, Debug)]
pub(super) struct TemplateScope<'t> {
    pub(super) text: &'t Text,
    partials: Partials,
}

/// The folder of a tool: its files are the ones that `include`, `import`, `extends` and `njk_file`
/// can load. `..`, absolute paths and links cannot leave it.
#[derive(Clone, Debug)]
struct Partials {
    folder: PathBuf,
    display_path: PathBuf,
    scope: ReadScope,
}

/// Why a template file is not read.
#[derive(Debug, thiserror::Error)]
enum PartialError {
    #[error("`{0}` is outside the tool's folder")]
    Outside(String),
    #[error(transparent)]
    Text(#[from] TextError),
}

impl<'t> TemplateScope<'t> {
    /// The scope of the templates in the tool file `text`.
    pub(super) fn of(text: &'t Text) -> Self {
        Self::beside(text, text)
    }

    /// The scope of the template in the file `text` of the tool in the file `tool`.
    pub(super) fn beside(text: &'t Text, tool: &Text) -> Self {
        Self {
            text,
            partials: Partials::of(tool),
        }
    }

    /// Returns the loader of the files that templates name.
    pub(super) fn loader(&self) -> impl njk::Loader + use<> {
        self.partials.clone()
    }
}

impl Template {
    /// Reads the template in a string of the file `text`.
    pub(super) fn read(node: &Node, text: &Text) -> Option<Self> {
        let name = text.display_path().file_name();
        Some(Self {
            name: name.unwrap_or_default().to_string_lossy().into_owned(),
            text: Embedded::read(node)?,
            lead: 0,
        })
    }

    /// Prints `value` as templates do.
    pub(super) fn print(
        &self,
        value: &Value,
        scope: &TemplateScope<'_>,
    ) -> Result<String, Box<Diagnostic>> {
        if let Value::String(value) = value {
            return Ok(value.clone());
        }
        let printer = self.with_source("{{ value }}".to_owned());
        let mut context = Map::new();
        context.insert("value".to_owned(), value.clone());
        printer.render(scope, context)
    }

    /// Returns the location of the whole template, as far as it is on one line.
    pub(super) fn whole(&self, text: &Text) -> Location {
        text.location(self.text.span)
    }

    /// Makes the template in the file at `path` below the tool's folder.
    fn from_file(path: &Path, text: &Text) -> Self {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        Self {
            name: parts.join("/"),
            text: Embedded::file(text),
            lead: 0,
        }
    }

    /// Loads the template in the file at `path` below the folder of the tool in `text`, and returns
    /// it with that file.
    pub(super) fn load(text: &Text, path: &Path) -> Result<(Self, Text), Box<Diagnostic>> {
        let file = Partials::of(text).read(path).map_err(|error| {
            let diagnostic = Diagnostic::new(Code::InvalidTool, error.to_string())
                .with_subject(text.display_path().display().to_string())
                .hint("`njk_file` takes a file in the tool's folder, or below it");
            Box::new(diagnostic)
        })?;
        Ok((Self::from_file(path, &file), file))
    }

    /// Renders it over `arguments`.
    pub(super) fn render(
        &self,
        scope: &TemplateScope<'_>,
        arguments: Map<String, Value>,
    ) -> Result<String, Box<Diagnostic>> {
        self.render_compiled(&self.compile(scope)?, scope, arguments)
    }

    /// Renders it over `arguments` as `template`, which [`Self::compile`] has compiled.
    pub(super) fn render_compiled(
        &self,
        template: &njk::Template,
        scope: &TemplateScope<'_>,
        arguments: Map<String, Value>,
    ) -> Result<String, Box<Diagnostic>> {
        let rendered = template.render(&Value::Object(arguments));
        rendered.map_err(|error| self.diagnostic(&error, Code::TemplateFailed, scope))
    }

    /// Compiles it and looks for unknown filters and tests, which a call would find
    /// only when it reaches them.
    pub(super) fn check(&self, scope: &TemplateScope<'_>) -> Result<(), Box<Diagnostic>> {
        let invalid = |error: &njk::Error| self.diagnostic(error, Code::InvalidTool, scope);
        let analysis = self.compile(scope)?.analysis();
        let unknown = analysis.unknown.first();
        unknown.map_or(Ok(()), |error| Err(invalid(error)))
    }

    /// Compiles it; templates that it names are loaded only when it renders.
    pub(super) fn compile(
        &self,
        scope: &TemplateScope<'_>,
    ) -> Result<njk::Template, Box<Diagnostic>> {
        self.compile_by(njk::Engine::builder(), scope)
    }

    /// Compiles it as [`Self::compile`] does, so that what would only print as `[object Object]` or
    /// `undefined` fails.
    fn compile_legible(&self, scope: &TemplateScope<'_>) -> Result<njk::Template, Box<Diagnostic>> {
        self.compile_by(njk::Engine::builder().legible(true), scope)
    }

    fn compile_by(
        &self,
        builder: njk::Builder,
        scope: &TemplateScope<'_>,
    ) -> Result<njk::Template, Box<Diagnostic>> {
        let compiled = builder.loader(scope.loader()).build();
        let compiled = compiled.compile(&self.name, self.source());
        compiled.map_err(|error| self.diagnostic(&error, Code::InvalidTool, scope))
    }

    /// Makes the diagnostic for `error`, at its location in the file where it occurred.
    fn diagnostic(
        &self,
        error: &njk::Error,
        code: Code,
        scope: &TemplateScope<'_>,
    ) -> Box<Diagnostic> {
        let text = scope.text;
        let mut diagnostic = Diagnostic::new(code, error.message());
        let name = error.template();
        let mut hint = hint_of(error);
        diagnostic.location = Some(if name.is_empty() || name == self.name {
            hint = self.hint(error, text);
            if !self.text.has_lines() && error.line() > 1 {
                let _ = write!(
                    diagnostic.message,
                    " (line {} of the template)",
                    error.line()
                );
            }
            self.location_at((error.line(), error.column()), error.length(), text)
        } else if let Ok(other) = scope.partials.read(Path::new(name)) {
            let (line, column) = (error.line().max(1), error.column().max(1));
            other.location_at(line, column, error.length())
        } else {
            let _ = write!(diagnostic.message, " (in `{name}`)");
            let (line, column) = self.text.start(text);
            text.location_at(line, column, 1)
        });
        diagnostic.hints.extend(hint);
        Box::new(diagnostic)
    }

    /// Returns the hint of an error in this template, with line numbers of the file.
    fn hint(&self, error: &njk::Error, text: &Text) -> Option<Hint> {
        match error.hint_line() {
            // The tag is not in the file: it was put around a condition.
            Some(1) if self.lead > 0 => None,
            Some(line) if line == 1 || self.text.has_lines() => {
                let line = self.location_at((line, 1), 1, text).line;
                error.hint_on(line).map(Hint::from)
            }
            _ => hint_of(error),
        }
    }

    /// Returns the location in the file of `width` characters at a line and a column of this
    /// template (both from 1).
    fn location_at(&self, at: (usize, usize), width: usize, text: &Text) -> Location {
        let at = match at {
            (0 | 1, column) => (1, column.saturating_sub(self.lead).max(1)),
            at => at,
        };
        self.text.location(at, width, text)
    }

    /// Returns true if it has no tags.
    pub(super) fn is_plain(&self) -> bool {
        !["{{", "{%", "{#"]
            .iter()
            .any(|tag| self.source().contains(tag))
    }

    /// Returns its output, if it is the same in every call: it reads no arguments and no
    /// other files.
    pub(super) fn constant(&self, scope: &TemplateScope<'_>) -> Option<String> {
        if self.is_plain() {
            return Some(self.source().to_owned());
        }
        let analysis = self.compile(scope).ok()?.analysis();
        let mut reads = analysis.reads.iter();
        let is_constant = reads.all(|read| read.name == TOOL_DIR) && analysis.templates.is_empty();
        let folder = scope.partials.folder.display().to_string();
        let arguments = Map::from_iter([(TOOL_DIR.to_owned(), folder.into())]);
        is_constant.then(|| self.render(scope, arguments).ok())?
    }

    /// The text of the template.
    pub fn source(&self) -> &str {
        self.text.source()
    }

    /// Returns another template in the same place.
    fn with_source(&self, source: String) -> Self {
        Self {
            text: self.text.with_source(source),
            ..self.clone()
        }
    }

    /// Reads the template that renders to text if the expression in a string of the file
    /// `text` holds, and to nothing otherwise.
    pub(super) fn read_condition(node: &Node, text: &Text) -> Option<Self> {
        Self::read(node, text).map(|expression| expression.surround(CONDITION))
    }

    /// Makes the template that prints the expression of a condition. Both compile only if it is
    /// one expression.
    pub(super) fn output_of_condition(&self) -> Self {
        self.with_source(self.condition().to_owned())
            .surround(OUTPUT)
    }

    /// The expression of a condition.
    pub(super) fn condition(&self) -> &str {
        let [start, end] = CONDITION;
        let inner = self.source().strip_prefix(start);
        let inner = inner.and_then(|inner| inner.strip_suffix(end));
        inner.unwrap_or_default()
    }

    /// Makes the same template, rendered only if `condition` holds.
    pub(super) fn under(&self, condition: &Self) -> Self {
        self.within("if", condition, self.source())
    }

    /// Makes the same template, rendered for each item of `each`, such as `label in labels`.
    pub(super) fn looped(&self, each: &Self) -> Self {
        self.within("for", each, self.source())
    }

    /// Makes the template of `body` for each item, from the text of a loop.
    pub(super) fn loop_over(&self, body: &str) -> Self {
        Self {
            lead: "{% for ".len(),
            ..self.within("for", self, body)
        }
    }

    /// Makes the template in the same place that has `body` within a statement.
    fn within(&self, statement: &str, head: &Self, body: &str) -> Self {
        let start = format!("{{% {statement} {} %}}", head.condition());
        Self {
            lead: self.lead + start.chars().count(),
            ..self.with_source(format!("{start}{body}{{% end{statement} %}}"))
        }
    }

    /// Returns true if the condition holds only if `name` is set.
    fn guards(&self, name: &str) -> bool {
        let [_, end] = CONDITION;
        let Some(open) = self.source().strip_suffix(end) else {
            return false;
        };
        let guarded = format!("{open} %}}{{{{ {name} }}}}{{% endif %}}");
        let analysis = njk::analyse(&guarded);
        analysis.is_ok_and(|found| {
            let mut reads = found.reads.iter();
            reads.any(|read| read.name == name && read.guarded)
        })
    }

    fn surround(self, [start, end]: [&str; 2]) -> Self {
        let source = format!("{start}{}{end}", self.source());
        Self {
            lead: start.len(),
            ..self.with_source(source)
        }
    }
}

/// The hint of an error, without line numbers.
fn hint_of(error: &njk::Error) -> Option<Hint> {
    let meant = error.meant();
    let meant = meant.and_then(|[name, near]| Suggestion::new(name, &[near]));
    let hint = || error.hint().map(Hint::from);
    meant.map(Hint::from).or_else(hint)
}

impl Partials {
    /// Returns the folder of the tool whose file is `text`.
    fn of(text: &Text) -> Self {
        let parent = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
        Self {
            folder: parent(text.path()),
            display_path: parent(text.display_path()),
            scope: text.scope().clone(),
        }
    }

    /// Reads the file at `path` below the folder.
    fn read(&self, path: &Path) -> Result<Text, PartialError> {
        let outside = || PartialError::Outside(path.display().to_string());
        if !stays_inside(path) {
            return Err(outside());
        }
        let file = self.folder.join(path);
        let folder = if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.folder
        };
        if let (Ok(folder), Ok(real)) = (folder.canonicalize(), file.canonicalize())
            && !real.starts_with(folder)
        {
            return Err(outside());
        }
        Ok(Text::read(
            &file,
            &self.display_path.join(path),
            &self.scope,
        )?)
    }
}

impl njk::Loader for Partials {
    fn load(&self, name: &str) -> Result<Option<String>, njk::LoadError> {
        match self.read(Path::new(name)) {
            Ok(text) => Ok(Some(text.as_str().to_owned())),
            Err(PartialError::Text(TextError::NotFound(_))) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads the file at `path` in the folder of the tool whose file is `tool`.
pub(super) fn read_beside(tool: &Text, path: &Path) -> Result<Text, String> {
    Partials::of(tool)
        .read(path)
        .map_err(|error| error.to_string())
}

/// Returns true if the relative `path` stays below its folder.
pub(super) fn stays_inside(path: &Path) -> bool {
    path.file_name().is_some() && file::descends(path)
}

/// Finds the language in a comment of one word after `|`, unless it is njk, and its span.
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
    Some((word.to_owned(), Span::new(start, start + word.len())))
}

/// A template and its file.
#[derive(Clone, Debug)]
pub struct TemplateSource {
    pub(in crate::tool) template: Template,
    pub(in crate::tool) text: Text,
    /// The template of the condition under which it is rendered.
    pub(in crate::tool) condition: Option<Template>,
    /// The path in `{{ path }}`, where an array becomes an argument for each item.
    pub(in crate::tool) spread: Option<Vec<String>>,
    /// True for a lone value in a request, which is left out if it is missing.
    pub is_left_out: bool,
    /// True if it reads a response instead of the arguments.
    pub reads_response: bool,
}

/// A template that a call of a tool may load.
#[derive(Debug)]
pub struct LoadedTemplate {
    /// The template and its file.
    pub source: TemplateSource,
    /// Its reads and definitions, if it compiles.
    pub analysis: Result<njk::Analysis, njk::Error>,
    /// True if it is the tool's own, rather than included by another.
    pub is_own: bool,
}

impl TemplateSource {
    /// Returns the `template` in the file `text`.
    pub(in crate::tool) fn inline(template: &Template, text: &Text) -> Self {
        Self {
            template: template.clone(),
            text: text.clone(),
            condition: None,
            spread: None,
            is_left_out: false,
            reads_response: false,
        }
    }

    /// Loads the template in the file `name` below the folder of the tool in `tool`, if it exists.
    pub fn partial(name: &str, tool: &Text) -> Option<Self> {
        let path = Path::new(name);
        let text = Partials::of(tool).read(path).ok()?;
        Some(Self::inline(&Template::from_file(path, &text), &text))
    }

    /// Returns true if it is rendered only if `name` is set, for a tool with `schema`.
    pub fn is_guarded(&self, name: &str, schema: &Schema) -> bool {
        let guards = |condition: &Template| condition.guards(name);
        let spreads = |path: &Vec<String>| {
            path.first().is_some_and(|first| first == name) && schema.is_array_at(path)
        };
        self.condition.as_ref().is_some_and(guards) || self.spread.as_ref().is_some_and(spreads)
    }

    /// Returns true if a character of the source, from 1, is not in the file, but was put before
    /// it.
    pub const fn is_added(&self, line: usize, column: usize) -> bool {
        line == 1 && column <= self.template.lead
    }

    /// Its name for other templates: the path of its file in the folder of the tool.
    pub fn name(&self) -> &str {
        &self.template.name
    }

    /// The text of the template.
    pub fn source(&self) -> &str {
        self.template.source()
    }

    /// The file that contains it: the tool file or a template file.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// Returns the location in that file of `width` characters at a line and a column of the
    /// template (both from 1).
    pub fn location(&self, line: usize, column: usize, width: usize) -> Location {
        self.template.location_at((line, column), width, &self.text)
    }
}
