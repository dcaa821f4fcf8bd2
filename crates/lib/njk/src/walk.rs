//! Iterators over the parts of a template.

use std::iter;

use crate::ast::{Expression, FilterBlock, For, Function, If, Import, Statement, Switch, Value};

/// Every expression in `statements`, outer ones before inner ones.
pub(crate) fn all_expressions(statements: &[Statement]) -> impl Iterator<Item = &Expression> {
    each(statements).flat_map(expressions).flat_map(expression)
}

/// The expressions of a statement itself.
pub(crate) fn expressions(one: &Statement) -> Vec<&Expression> {
    match one {
        Statement::Output(value)
        | Statement::Extends(value)
        | Statement::For(For {
            iterable: value, ..
        })
        | Statement::Set {
            value: Value::Expression(value),
            ..
        }
        | Statement::Include {
            template: value, ..
        }
        | Statement::Import(Import {
            template: value, ..
        }) => vec![value],
        Statement::If(one) => one.branches.iter().map(|(it, _)| it).collect(),
        Statement::Macro { function, .. } => defaults(function).collect(),
        Statement::Call { call, caller } => [call].into_iter().chain(defaults(caller)).collect(),
        Statement::Filter(block) => block.arguments.iter().collect(),
        Statement::Switch(one) => {
            let cases = one.cases.iter().map(|(it, _)| it);
            [&one.subject].into_iter().chain(cases).collect()
        }
        Statement::Text(_) | Statement::Set { .. } | Statement::Block { .. } => Vec::new(),
    }
}

fn defaults(function: &Function) -> impl Iterator<Item = &Expression> {
    function.defaults.iter().map(|(_, value)| value)
}

/// Every statement in `statements`, outer ones before inner ones.
pub(crate) fn each(statements: &[Statement]) -> impl Iterator<Item = &Statement> {
    let mut open: Vec<&Statement> = statements.iter().rev().collect();
    iter::from_fn(move || {
        let next = open.pop()?;
        for body in bodies(next).into_iter().rev() {
            open.extend(body.iter().rev());
        }
        Some(next)
    })
}

/// The bodies of a statement.
pub(crate) fn bodies(one: &Statement) -> Vec<&[Statement]> {
    match one {
        Statement::If(If {
            branches,
            otherwise,
        })
        | Statement::Switch(Switch {
            cases: branches,
            otherwise,
            ..
        }) => {
            let bodies = branches.iter().map(|(_, body)| body.as_slice());
            bodies.chain([otherwise.as_slice()]).collect()
        }
        Statement::For(one) => vec![&one.body, &one.otherwise],
        Statement::Set {
            value: Value::Body(body),
            ..
        }
        | Statement::Filter(FilterBlock { body, .. }) => vec![body],
        Statement::Block { body, .. } => vec![body],
        Statement::Macro { function, .. } => vec![&function.body],
        Statement::Call { caller, .. } => vec![&caller.body],
        _ => Vec::new(),
    }
}

/// An expression and every one below it.
pub(crate) fn expression(one: &Expression) -> impl Iterator<Item = &Expression> {
    let mut open = vec![one];
    iter::from_fn(move || {
        let next = open.pop()?;
        let above = open.len();
        open.extend(next.kind.children());
        open[above..].reverse();
        Some(next)
    })
}
