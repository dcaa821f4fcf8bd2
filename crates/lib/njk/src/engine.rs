//! The public interface: an engine compiles templates, a template renders.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::analysis::{self, Analysis};
use crate::coverage::Coverage;
use crate::error::{Error, ErrorKind};
use crate::evaluator;
use crate::limits::Limits;
use crate::loader::{Loader, Nothing};
use crate::program::Program;
use crate::runtime::Runtime;
use crate::value::context::from_json;

/// The state that all templates of an engine share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    pub(crate) loader: Box<dyn Loader>,
    pub(crate) autoescape: bool,
    pub(crate) coverage: bool,
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
            loader: Box::new(Nothing),
            autoescape: false,
            coverage: false,
        })
    }

    /// Compiles a template. Errors refer to it as `name`, and relative names of
    /// other templates are resolved against `name`.
    pub fn compile(&self, name: &str, source: &str) -> Result<Template, Error> {
        Ok(Template {
            shared: Arc::clone(&self.0),
            program: Program::compile(name, source, self.0.coverage)?,
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

    /// Returns true if [`Template::render_recording`] records the branches that templates take.
    #[must_use]
    pub const fn coverage(mut self, yes: bool) -> Self {
        self.0.coverage = yes;
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
    program: Arc<Program>,
}

impl Template {
    /// Renders the template with the members of `context`, which must be an
    /// object (or null, for none), as its variables.
    pub fn render(&self, context: &Json) -> Result<String, Error> {
        let variables = variables(context)?;
        let runtime = Runtime::new(&self.shared);
        let text = evaluator::render(&runtime, &self.program, variables);
        runtime.finish();
        text
    }

    /// Renders the template like [`Template::render`], and records the branches that it takes,
    /// also of the templates that it includes. The engine has to be built with
    /// [`Builder::coverage`]; otherwise there are no branches.
    ///
    /// ```
    /// let engine = njk::Engine::builder().coverage(true).build();
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
        let variables = variables(context)?;
        let runtime = Runtime::new(&self.shared);
        let text = evaluator::render(&runtime, &self.program, variables);
        coverage.add(&self.program);
        runtime.record(coverage);
        runtime.finish();
        text
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// The name that the template was compiled with.
    pub fn name(&self) -> &str {
        self.program.name()
    }

    /// The names that the template reads and sets, without rendering it.
    pub fn analysis(&self) -> Result<Analysis, Error> {
        analysis::analyse(self.program.source())
    }
}

/// The variables of a template: the members of an object, or none for null.
fn variables(context: &Json) -> Result<HashMap<Arc<str>, minijinja::Value>, Error> {
    let mut variables = HashMap::new();
    match context {
        Json::Object(members) => {
            variables.reserve(members.len());
            for (name, value) in members {
                variables.insert(Arc::from(name.as_str()), from_json(value)?);
            }
        }
        Json::Null => {}
        _ => {
            return Err(Error::new(
                ErrorKind::BadValue,
                "the context must be an object",
            ));
        }
    }
    Ok(variables)
}
