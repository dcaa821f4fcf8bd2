//! Types of expressions: what a template does with its variables, compared with what these can
//! be. It reports what is certain to go wrong, and nothing else.

mod checker;
mod compare;
mod condition;
mod expression;
mod filter;
mod function;
mod lattice;
mod member;
mod narrow;
mod problem;
mod statement;
mod unused;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use checker::{Checker, Loaded};
pub use lattice::{Object, Property, Type};
pub use narrow::Kind;
pub use problem::{Definition, Habit, Problem, TypeProblem};

use crate::ast::{Kind as ExpressionKind, Statement};
use crate::error::{Error, Positions, Span};

/// The result of [`check`].
#[derive(Clone, Debug, Default)]
pub struct TypeCheck {
    /// The problems, in the order of the templates and of their positions.
    pub problems: Vec<TypeProblem>,
    /// The origins of the properties that the template may read.
    pub used: BTreeSet<Arc<str>>,
    /// Every template that it loads was found.
    pub complete: bool,
}

/// Checks a template against the types of its variables. `find` returns the source of another
/// template; names are resolved against `name` before.
///
/// Only certain problems are reported: a variable that is not among `variables` is unknown.
///
/// # Errors
///
/// The template does not parse.
pub fn check(
    name: &str,
    source: &str,
    variables: &BTreeMap<String, Type>,
    find: &dyn Fn(&str) -> Option<String>,
) -> Result<TypeCheck, Error> {
    let loaded = checker::load(name, source, find)?;
    let mut checker = Checker::new(&loaded, variables);
    checker.run();
    checker.unused();
    let mut found = std::mem::take(&mut checker.problems);
    found.sort_by_key(|(template, span, _)| (*template, span.start));
    let mut positions: Vec<Positions<'_>> = loaded
        .iter()
        .map(|template| Positions::new(&template.source))
        .collect();
    let problems = found.into_iter();
    Ok(TypeCheck {
        problems: problems
            .map(|(at, span, problem)| locate(&loaded[at], &mut positions[at], span, problem))
            .collect(),
        used: std::mem::take(&mut checker.used),
        complete: loaded.iter().all(|template| template.complete),
    })
}

/// Returns the kind of the value that a template prints as JSON, with `dump`, if it is one
/// expression and each value that this can have is of that kind.
pub fn kind_of(source: &str, variables: &BTreeMap<String, Type>) -> Kind {
    let Ok(loaded) = checker::load("", source, &|_| None) else {
        return Kind::Other;
    };
    let mut checker = Checker::new(&loaded, variables);
    checker.scope = checker.fresh_scope(0, false);
    match loaded
        .first()
        .map(|template| template.statements.as_slice())
    {
        Some([Statement::Output(value)]) => match &value.kind {
            ExpressionKind::Filter(inner, ..) => {
                checker.quietly(|it| it.expression(inner)).only_kind()
            }
            _ => Kind::Other,
        },
        _ => Kind::Other,
    }
}

fn locate(
    template: &Loaded,
    positions: &mut Positions<'_>,
    span: Span,
    problem: Problem,
) -> TypeProblem {
    let (line, column) = positions.at(span.start as usize);
    let text = template.source.get(span.start as usize..span.end());
    let first = text.unwrap_or_default().lines().next().unwrap_or_default();
    TypeProblem {
        template: template.name.clone(),
        line,
        column,
        length: first.chars().count(),
        problem,
    }
}
