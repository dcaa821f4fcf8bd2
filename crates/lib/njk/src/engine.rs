//! The public interface: an engine compiles templates, a template renders.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::analysis::{self, Analysis};
use crate::ast::Statement;
use crate::coverage::Coverage;
use crate::error::{Error, Span};
use crate::resolve::{self, Resolved};
use crate::runtime::Runtime;
use crate::value::{Value, from_json};
use crate::{evaluator, parser};

/// The state that all templates of an engine share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    pub(crate) loader: Box<dyn Loader>,
    pub(crate) autoescape: bool,
    pub(crate) legible: bool,
}

/// Compiles templates. Creating one is cheap.
///
/// ```
/// let engine = njk::Engine::new();
/// let template = engine.compile("greeting", "Hello {{ name | title }}!").unwrap();
/// let text = template.render(&serde_json::json!({"name": "world"})).unwrap();
/// assert_eq!(text, "Hello World!");
/// ```
#[derive(Clone, Debug)]
pub struct Engine(Arc<Shared>);

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine with the default limits, no loader, and no autoescaping.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A builder for an engine.
    pub fn builder() -> Builder {
        Builder(Shared {
            limits: Limits::default(),
            loader: Box::new(BTreeMap::new()),
            autoescape: false,
            legible: false,
        })
    }

    /// Compiles a template. Errors refer to it as `name`, and relative names of
    /// other templates are resolved against `name`.
    pub fn compile(&self, name: &str, source: &str) -> Result<Template, Error> {
        Ok(Template {
            shared: Arc::clone(&self.0),
            program: Program::compile(name, source)?,
        })
    }
}

/// Sets up an [`Engine`].
#[derive(Debug)]
pub struct Builder(Shared);

impl Builder {
    /// The limits of one rendering.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.0.limits = limits;
        self
    }

    /// Where `include`, `import`, `from` and `extends` find templates.
    #[must_use]
    pub fn loader(mut self, loader: impl Loader + 'static) -> Self {
        self.0.loader = Box::new(loader);
        self
    }

    /// Returns true if HTML characters in printed values are escaped; off by default.
    #[must_use]
    pub fn autoescape(mut self, yes: bool) -> Self {
        self.0.autoescape = yes;
        self
    }

    /// Makes it an error that an object, or a value that is not there, becomes text: in a result,
    /// `[object Object]` and `undefined` say nothing. Off by default, as in Nunjucks.
    #[must_use]
    pub const fn legible(mut self, yes: bool) -> Self {
        self.0.legible = yes;
        self
    }

    /// The engine.
    pub fn build(self) -> Engine {
        Engine(Arc::new(self.0))
    }
}

/// A compiled template, which can be rendered any number of times, from any
/// thread.
#[derive(Clone, Debug)]
pub struct Template {
    shared: Arc<Shared>,
    pub(crate) program: Arc<Program>,
}

impl Template {
    /// Renders the template with the members of `context`, which must be an
    /// object (or null, for none), as its variables.
    pub fn render(&self, context: &Json) -> Result<String, Error> {
        self.run(context, None)
    }

    /// Renders the template like [`Template::render`], and records the branches that it takes,
    /// also of the templates that it includes.
    ///
    /// ```
    /// let engine = njk::Engine::new();
    /// let template = engine.compile("t", "{% if a %}A{% else %}B{% endif %}").unwrap();
    /// let mut coverage = njk::Coverage::default();
    /// let text = template.render_recording(&serde_json::json!({"a": true}), &mut coverage);
    /// assert_eq!(text.unwrap(), "A");
    /// let taken: Vec<_> = coverage.branches().map(|it| (&*it.condition, it.taken)).collect();
    /// assert_eq!(taken, [("if a", true), ("else of if a", false)]);
    /// ```
    pub fn render_recording(
        &self,
        context: &Json,
        coverage: &mut Coverage,
    ) -> Result<String, Error> {
        self.run(context, Some(coverage))
    }

    /// Evaluates a template that is one expression in braces, and returns its value as JSON, with
    /// its type: a safe string is text. There is none if the value is undefined or a function.
    ///
    /// ```
    /// let template = njk::Engine::new().compile("t", "{{ [size * 2, 'a' | safe] }}")?;
    /// let json = template.json(&serde_json::json!({"size": 4}))?;
    /// assert_eq!(json.as_deref(), Some(r#"[8,"a"]"#));
    /// # Ok::<(), njk::Error>(())
    /// ```
    ///
    /// # Errors
    /// The template is something else, or the value has a number that JSON does not have.
    pub fn json(&self, context: &Json) -> Result<Option<String>, Error> {
        let variables = variables(context)?;
        let runtime = Runtime::new(&self.shared, false);
        let json = evaluator::json(&runtime, &self.program, variables);
        runtime.finish();
        json
    }

    fn run(&self, context: &Json, coverage: Option<&mut Coverage>) -> Result<String, Error> {
        let variables = variables(context)?;
        let runtime = Runtime::new(&self.shared, coverage.is_some());
        let text = evaluator::render(&runtime, &self.program, variables);
        if let Some(coverage) = coverage {
            coverage.add(&self.program);
            runtime.record(coverage);
        }
        runtime.finish();
        text
    }

    /// The name that the template was compiled with.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// The names that the template reads and sets, without rendering it.
    pub fn analysis(&self) -> Analysis {
        analysis::of(&self.program.body, &self.program.source)
    }
}

/// The variables of a template: the members of an object, or none for null.
fn variables(context: &Json) -> Result<HashMap<Rc<str>, Value>, Error> {
    let mut variables = HashMap::new();
    match context {
        Json::Object(members) => {
            variables.reserve(members.len());
            for (name, value) in members {
                variables.insert(Rc::from(name.as_str()), from_json(value, 0)?);
            }
        }
        Json::Null => {}
        _ => {
            return Err(Error::bad_value("the context must be an object"));
        }
    }
    Ok(variables)
}

/// The limits of one rendering.
///
/// ```
/// let engine = njk::Engine::builder()
///     .limits(njk::Limits { fuel: 1_000, ..njk::Limits::default() })
///     .build();
/// let endless = engine.compile("endless", "{% for i in range(100000) %}.{% endfor %}").unwrap();
/// let error = endless.render(&serde_json::json!({})).unwrap_err();
/// assert_eq!(error.kind(), njk::ErrorKind::OutOfFuel);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: roughly one for each tag or expression that runs, and one for
    /// each element or 64 bytes that a filter or method processes.
    pub fuel: u64,
    /// The maximum nesting of macros, blocks and included templates.
    pub recursion: usize,
    /// Bytes that a template may print. No string may be longer, and all
    /// strings and lists of a rendering together may take 32 times as much, but
    /// at least 1 MiB.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 5_000_000,
            recursion: 100,
            output: 8 * 1024 * 1024,
        }
    }
}

/// The error of a loader, which becomes the message of a template error.
pub type LoadError = Box<dyn std::error::Error + Send + Sync>;

/// Finds the source of a template by its name.
///
/// Relative names (`./row.njk`, `../row.njk`) are resolved against the name of
/// the including template before they reach the loader; a name that leads above
/// the top is never passed on.
pub trait Loader: Send + Sync {
    /// The source of the template `name`, or `None` if it does not exist.
    fn load(&self, name: &str) -> Result<Option<String>, LoadError>;
}

impl<S: BuildHasher + Send + Sync> Loader for HashMap<String, String, S> {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        Ok(self.get(name).cloned())
    }
}

impl Loader for BTreeMap<String, String> {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        Ok(self.get(name).cloned())
    }
}

impl fmt::Debug for dyn Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader")
    }
}

/// Resolves `name` in the template `from`.
///
/// `None` means that the name leads above the top.
pub fn resolve(from: &str, name: &str) -> Option<String> {
    if !name.starts_with("./") && !name.starts_with("../") {
        return Some(name.to_owned());
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    source: String,
    pub(crate) body: Vec<Statement>,
    pub(crate) resolved: Resolved,
}

impl Program {
    /// Compiles a template.
    pub(crate) fn compile(name: &str, source: &str) -> Result<Arc<Self>, Error> {
        let body = parser::parse(name, source)?;
        let resolved =
            resolve::resolve(&body).map_err(|(error, span)| error.at(name, source, span))?;
        Ok(Arc::new(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            body,
            resolved,
        }))
    }

    /// The source text at a position.
    pub(crate) fn text(&self, span: Span) -> &str {
        let range = span.start as usize..span.end();
        self.source.get(range).unwrap_or_default()
    }

    /// `error`, at a position, unless it has one.
    pub(crate) fn locate(&self, error: Error, span: Span) -> Error {
        error.at(&self.name, &self.source, span)
    }
}
