//! Visits every expression of a template.

use crate::ast::{Arguments, Expression, Function, Name, Statement, Value};

/// Calls `visit` with every expression in `statements`, outer ones before inner
/// ones.
pub(crate) fn statements<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Expression)) {
    for one in statements {
        statement(one, visit);
    }
}

fn statement<'a>(one: &'a Statement, visit: &mut dyn FnMut(&'a Expression)) {
    match one {
        Statement::Output(value)
        | Statement::Extends(value)
        | Statement::For {
            iterable: value, ..
        }
        | Statement::Set {
            value: Value::Expression(value),
            ..
        }
        | Statement::Include {
            template: value, ..
        }
        | Statement::Import {
            template: value, ..
        }
        | Statement::From {
            template: value, ..
        } => expression(value, visit),
        Statement::If { branches, .. } => {
            for (condition, _) in branches {
                expression(condition, visit);
            }
        }
        Statement::Macro { function, .. } => defaults(function, visit),
        Statement::Call { call, caller } => {
            expression(call, visit);
            defaults(caller, visit);
        }
        Statement::Filter { arguments, .. } => {
            for argument in arguments.iter() {
                expression(argument, visit);
            }
        }
        Statement::Switch { subject, cases, .. } => {
            expression(subject, visit);
            for (value, _) in cases {
                expression(value, visit);
            }
        }
        Statement::Text(_) | Statement::Set { .. } | Statement::Block { .. } => {}
    }
    for body in bodies(one) {
        statements(body, visit);
    }
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

/// Calls `visit` with the name and the arguments of each filter in `{% filter name(…) %}`.
pub(crate) fn filter_tags(statements: &[Statement], visit: &mut dyn FnMut(&Name, &Arguments)) {
    for one in statements {
        if let Statement::Filter {
            name, arguments, ..
        } = one
        {
            visit(name, arguments);
        }
        for body in bodies(one) {
            filter_tags(body, visit);
        }
    }
}

/// The bodies of a statement.
pub(crate) fn bodies(one: &Statement) -> Vec<&[Statement]> {
    match one {
        Statement::If {
            branches,
            otherwise,
        } => {
            let bodies = branches.iter().map(|(_, body)| body.as_slice());
            bodies.chain([otherwise.as_slice()]).collect()
        }
        Statement::For {
            body, otherwise, ..
        } => vec![body, otherwise],
        Statement::Set {
            value: Value::Body(body),
            ..
        }
        | Statement::Filter { body, .. }
        | Statement::Block { body, .. } => vec![body],
        Statement::Macro { function, .. } => vec![&function.body],
        Statement::Call { caller, .. } => vec![&caller.body],
        Statement::Switch {
            cases, otherwise, ..
        } => {
            let bodies = cases.iter().map(|(_, body)| body.as_slice());
            bodies.chain([otherwise.as_slice()]).collect()
        }
        _ => Vec::new(),
    }
}

fn defaults<'a>(function: &'a Function, visit: &mut dyn FnMut(&'a Expression)) {
    for (_, value) in &function.defaults {
        expression(value, visit);
    }
}

/// Calls `visit` with `one` and every expression below it.
pub(crate) fn expression<'a>(one: &'a Expression, visit: &mut dyn FnMut(&'a Expression)) {
    visit(one);
    for child in one.kind.children() {
        expression(child, visit);
    }
}
