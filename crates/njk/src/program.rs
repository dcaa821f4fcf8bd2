//! A compiled template: its minijinja source, compiled in turn, one piece for
//! the body and one for each macro, caller and block.

use std::sync::Arc;

use minijinja::Environment;

use crate::bridge;
use crate::coverage::BranchKind;
use crate::emitter::{self, Emitted};
use crate::error::{Error, ErrorKind, Span};
use crate::parser;

/// The signature of a function.
#[derive(Debug, Default)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<Arc<str>>,
    /// The names of the parameters with a default.
    pub(crate) defaults: Vec<Arc<str>>,
    /// The number of steps of one run, without loops.
    pub(crate) weight: usize,
}

#[derive(Debug)]
pub(crate) struct Program {
    name: String,
    source: String,
    environment: Environment<'static>,
    signatures: Vec<Signature>,
    spans: Vec<Span>,
    blocks: Vec<(String, usize)>,
    extends: bool,
    branches: Vec<(Span, BranchKind)>,
}

impl Program {
    pub(crate) fn compile(
        name: &str,
        source: &str,
        (autoescape, coverage): (bool, bool),
    ) -> Result<Arc<Self>, Error> {
        let statements = parser::parse(name, source)?;
        let emitted = emitter::emit(&statements, source.len(), (autoescape, coverage))
            .map_err(|(error, span)| error.at(name, source, span))?;
        Self::build(name, source, emitted, autoescape)
    }

    fn build(
        name: &str,
        source: &str,
        emitted: Emitted,
        autoescape: bool,
    ) -> Result<Arc<Self>, Error> {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Chainable);
        environment
            .set_formatter(move |out, state, value| bridge::print(out, state, value, autoescape));
        for helper in &emitted.helpers {
            bridge::register(&mut environment, helper);
        }
        let mut signatures = Vec::with_capacity(emitted.functions.len());
        for (index, function) in emitted.functions.into_iter().enumerate() {
            let added = environment.add_template_owned(index.to_string(), function.source);
            added.map_err(|error| refused(&error).at(name, source, Span::default()))?;
            signatures.push(function.signature);
        }
        Ok(Arc::new(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            environment,
            signatures,
            spans: emitted.spans,
            blocks: emitted.blocks,
            extends: emitted.extends,
            branches: emitted.branches.unwrap_or_default(),
        }))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// The branches, if they are recorded.
    pub(crate) fn branches(&self) -> &[(Span, BranchKind)] {
        &self.branches
    }

    pub(crate) fn blocks(&self) -> &[(String, usize)] {
        &self.blocks
    }

    /// Whether the template may extend another.
    pub(crate) fn extends(&self) -> bool {
        self.extends
    }

    pub(crate) fn signature(&self, function: usize) -> Option<&Signature> {
        self.signatures.get(function)
    }

    pub(crate) fn function(&self, function: usize) -> Result<minijinja::Template<'_, '_>, Error> {
        let name = function.to_string();
        self.environment
            .get_template(&name)
            .map_err(Error::internal)
    }

    /// The source text at one of the positions numbered by the emitter.
    pub(crate) fn text(&self, place: usize) -> &str {
        let span = self.spans.get(place).copied().unwrap_or_default();
        let range = span.start as usize..span.end();
        self.source.get(range).unwrap_or_default()
    }

    /// `error`, at one of those positions.
    pub(crate) fn locate(&self, error: Error, place: usize) -> Error {
        let span = self.spans.get(place).copied().unwrap_or_default();
        error.at(&self.name, &self.source, span)
    }
}

/// minijinja rejected the emitted source.
fn refused(error: &minijinja::Error) -> Error {
    if error
        .detail()
        .is_some_and(|detail| detail.contains("recursion"))
    {
        return Error::new(ErrorKind::TooDeep, "the template is nested too deeply");
    }
    Error::internal(error)
}
