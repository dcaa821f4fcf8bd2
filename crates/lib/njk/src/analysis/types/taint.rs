//! The names whose values a template changes or sets: what is known about them at one point may
//! not hold at another.

use std::collections::HashSet;

use super::load::Loaded;
use crate::ast::{Arguments, Expression, Kind, Name, Statement, Value};
use crate::walk;

/// The methods of lists that change them.
const CHANGING: [&str; 7] = [
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "fill",
    "copyWithin",
];

/// How many steps a changed list is followed through other names.
const MAX_STEPS: usize = 8;

/// The names that `set`, of any template, gives to values.
pub(super) fn assigned(loaded: &[Loaded]) -> HashSet<String> {
    let mut names = HashSet::new();
    for template in loaded {
        names.extend(assigned_in(&template.statements));
    }
    names
}

/// The names that `set` gives to values in these statements.
pub(super) fn assigned_in(statements: &[Statement]) -> HashSet<String> {
    let mut names = HashSet::new();
    walk::each(statements, &mut |statement| {
        if let Statement::Set { targets, .. } = statement {
            names.extend(targets.iter().map(|target| target.name.text.clone()));
        }
    });
    names
}

/// The names of lists that the templates change, and of those that they come from.
pub(super) fn tainted(loaded: &[Loaded]) -> HashSet<String> {
    let mut names = HashSet::new();
    for template in loaded {
        walk::statements(&template.statements, &mut |expression| {
            if let Kind::Call(target, _) = &expression.kind
                && let Kind::Member(owner, method) = &target.kind
                && CHANGING.contains(&method.text.as_str())
                && let Some(name) = root(owner)
            {
                names.insert(name.to_owned());
            }
        });
    }
    for _ in 0..MAX_STEPS {
        let before = names.len();
        for template in loaded {
            spread(&template.statements, &mut names);
        }
        if names.len() == before {
            return names;
        }
    }
    for template in loaded {
        walk::statements(&template.statements, &mut |expression| {
            if let Kind::Name(name) = &expression.kind {
                names.insert(name.clone());
            }
        });
    }
    names
}

/// The name that a chain of members begins with.
fn root(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        Kind::Name(name) => Some(name),
        Kind::Member(target, _) | Kind::Index(target, _) => root(target),
        Kind::Group(items) => match items.as_slice() {
            [only] => root(only),
            _ => None,
        },
        _ => None,
    }
}

fn spread(statements: &[Statement], names: &mut HashSet<String>) {
    let mut calls = false;
    walk::each(statements, &mut |statement| match statement {
        Statement::Set {
            targets,
            value: Value::Expression(value),
        } if targets.iter().any(|it| names.contains(&it.name.text)) => mention(value, names),
        Statement::For {
            names: targets,
            iterable,
            ..
        } if any(targets, names) => mention(iterable, names),
        Statement::Macro { function, .. } => {
            let defaults = function.defaults.iter().map(|(name, _)| name);
            let mut parameters = function.parameters.iter().chain(defaults);
            calls |= parameters.any(|name| names.contains(&name.text));
        }
        _ => {}
    });
    if calls {
        walk::statements(statements, &mut |expression| {
            if let Kind::Call(_, arguments) = &expression.kind {
                mention_all(arguments, names);
            }
        });
    }
}

fn any(targets: &[Name], names: &HashSet<String>) -> bool {
    targets.iter().any(|target| names.contains(&target.text))
}

fn mention_all(arguments: &Arguments, names: &mut HashSet<String>) {
    for argument in arguments.iter() {
        mention(argument, names);
    }
}

fn mention(value: &Expression, names: &mut HashSet<String>) {
    walk::expression(value, &mut |expression| {
        if let Kind::Name(name) = &expression.kind {
            names.insert(name.clone());
        }
    });
}
