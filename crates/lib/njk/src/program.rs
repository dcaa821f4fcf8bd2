//! A compiled template: its tree, with its blocks apart.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use crate::ast::Statement;
use crate::coverage::BranchKind;
use crate::error::{Error, Span};
use crate::parser;
use crate::resolve::{Block, Resolved, resolve};

#[derive(Debug)]
pub(crate) struct Program {
    name: String,
    source: String,
    body: Vec<Statement>,
    resolved: Resolved,
}

impl Program {
    /// Compiles a template, whose branches can be recorded if there is to be `coverage`.
    pub(crate) fn compile(name: &str, source: &str, coverage: bool) -> Result<Arc<Self>, Error> {
        let mut body = parser::parse(name, source)?;
        let resolved =
            resolve(&mut body, coverage).map_err(|(error, span)| error.at(name, source, span))?;
        Ok(Arc::new(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            body,
            resolved,
        }))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn body(&self) -> &[Statement] {
        &self.body
    }

    /// The branches, if they are recorded.
    pub(crate) fn branches(&self) -> &IndexSet<(Span, BranchKind)> {
        &self.resolved.branches
    }

    pub(crate) fn blocks(&self) -> &IndexMap<String, Block> {
        &self.resolved.blocks
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
