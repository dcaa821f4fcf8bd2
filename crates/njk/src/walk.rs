//! Visits every expression of a template.

use crate::ast::{Expression, Function, Name, Statement, Value};

/// Calls `visit` with every expression in `statements`, outer ones first.
pub(crate) fn statements<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Expression)) {
    for one in statements {
        statement(one, visit);
    }
}

fn statement<'a>(one: &'a Statement, visit: &mut dyn FnMut(&'a Expression)) {
    match one {
        Statement::Text(_) => {}
        Statement::Output(value) | Statement::Extends(value) => expression(value, visit),
        Statement::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                expression(condition, visit);
                statements(body, visit);
            }
            statements(otherwise, visit);
        }
        Statement::For {
            iterable,
            body,
            otherwise,
            ..
        } => {
            expression(iterable, visit);
            statements(body, visit);
            statements(otherwise, visit);
        }
        Statement::Set { value, .. } => match value {
            Value::Expression(value) => expression(value, visit),
            Value::Body(body) => statements(body, visit),
        },
        Statement::Macro { function: inner, .. } => function(inner, visit),
        Statement::Call { call, caller } => {
            expression(call, visit);
            function(caller, visit);
        }
        Statement::Filter {
            arguments, body, ..
        } => {
            for argument in arguments.iter() {
                expression(argument, visit);
            }
            statements(body, visit);
        }
        Statement::Switch {
            subject,
            cases,
            otherwise,
        } => {
            expression(subject, visit);
            for (value, body) in cases {
                expression(value, visit);
                statements(body, visit);
            }
            statements(otherwise, visit);
        }
        Statement::Block { body, .. } => statements(body, visit),
        Statement::Include { template, .. }
        | Statement::Import { template, .. }
        | Statement::From { template, .. } => expression(template, visit),
    }
}

/// Calls `visit` with the names of the filters in `{% filter name %}`.
pub(crate) fn filter_tags(statements: &[Statement], visit: &mut dyn FnMut(&Name)) {
    for one in statements {
        if let Statement::Filter { name, .. } = one {
            visit(name);
        }
        for body in bodies(one) {
            filter_tags(body, visit);
        }
    }
}

/// The bodies of a statement.
fn bodies(one: &Statement) -> Vec<&[Statement]> {
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

fn function<'a>(function: &'a Function, visit: &mut dyn FnMut(&'a Expression)) {
    for (_, value) in &function.defaults {
        expression(value, visit);
    }
    statements(&function.body, visit);
}

/// Calls `visit` with `one` and every expression below it.
pub(crate) fn expression<'a>(one: &'a Expression, visit: &mut dyn FnMut(&'a Expression)) {
    visit(one);
    for child in one.kind.children() {
        expression(child, visit);
    }
}
