//! Visits every expression of a template.

use crate::ast::{Expression, FilterBlock, For, Function, If, Import, Statement, Switch, Value};

/// Calls `visit` with every expression in `statements`, outer ones before inner
/// ones.
pub(crate) fn statements<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Expression)) {
    each(statements, &mut |one| {
        for value in expressions(one) {
            expression(value, visit);
        }
    });
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

/// Calls `visit` with every statement in `statements`, outer ones before inner ones.
pub(crate) fn each<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Statement)) {
    for one in statements {
        visit(one);
        for body in bodies(one) {
            each(body, visit);
        }
    }
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

/// Calls `visit` with `one` and every expression below it.
pub(crate) fn expression<'a>(one: &'a Expression, visit: &mut dyn FnMut(&'a Expression)) {
    visit(one);
    for child in one.kind.children() {
        expression(child, visit);
    }
}
