//! Types of expressions: what a template does with its variables, compared with what these can
//! be. It reports what is certain to go wrong, and nothing else.

mod alternative;
mod arguments;
mod branch;
mod call;
mod checker;
mod compare;
mod condition;
mod dropped;
mod equality;
mod expression;
mod filter;
mod function;
mod include;
mod json;
mod json_value;
mod lattice;
mod length;
mod literal;
mod load;
mod member;
mod message;
mod missing;
mod narrow;
mod object;
mod operand;
mod operator;
mod order;
mod outcome;
mod problem;
mod scope;
mod statement;
mod taint;
mod test;
mod unused;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use lattice::Type;
pub use narrow::Kind;
pub use object::{Object, Presence, Property};
pub use problem::{Definition, Habit, JsonFlaw, Problem, TypeProblem};

use crate::error::{Error, Positions, Span};
use checker::Checker;
use load::Loaded;

/// What [`check`] found.
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
/// template; names are resolved against `name` before. With `json`, its output must be JSON.
///
/// What is not certain is not reported: a variable that is not among `variables` is unknown.
///
/// # Errors
///
/// The template does not parse.
pub fn check(
    name: &str,
    source: &str,
    variables: &BTreeMap<String, Type>,
    json: bool,
    find: &dyn Fn(&str) -> Option<String>,
) -> Result<TypeCheck, Error> {
    let loaded = load::load(name, source, find)?;
    let mut checker = Checker::new(&loaded, variables);
    checker.run(json);
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
