//! The variables that a condition checks, so that reading them under it is safe.

use crate::ast::{Binary, Expression, Kind, Unary};

/// The names that are known to be defined.
#[derive(Default)]
pub(crate) struct Guards(Vec<String>);

impl Guards {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }

    pub(crate) fn extend(&mut self, names: Vec<String>) {
        self.0.extend(names);
    }
}

/// Returns true if the left side of an operator is only checked for being defined:
/// of `a or b` and of comparisons with something.
pub(crate) fn asks(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Or
            | Binary::And
            | Binary::Equal
            | Binary::Unequal
            | Binary::StrictEqual
            | Binary::StrictUnequal
    )
}

/// The names that are defined when the right side of an operator is evaluated.
pub(crate) fn after(operator: Binary, left: &Expression) -> Vec<String> {
    match operator {
        Binary::And => when_true(left),
        Binary::Or => when_false(left),
        _ => Vec::new(),
    }
}

/// The first name of an expression: `a` of `a.b.c`.
fn root(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        Kind::Name(name) => Some(name),
        Kind::Member(target, _) | Kind::Index(target, _) => root(target),
        Kind::Group(items) => match items.as_slice() {
            [only] => root(only),
            _ => None,
        },
        Kind::Filter(target, name, _) if name.text == "length" => root(target),
        _ => None,
    }
}

fn named(expression: &Expression) -> Vec<String> {
    root(expression).map(str::to_owned).into_iter().collect()
}

fn joined(
    left: &Expression,
    right: &Expression,
    holds: fn(&Expression) -> Vec<String>,
) -> Vec<String> {
    let mut names = holds(left);
    names.extend(holds(right));
    names
}

/// The name that is compared with `undefined` or null.
fn other_than_nothing(left: &Expression, right: &Expression) -> Vec<String> {
    let is_nothing = |one: &Expression| {
        matches!(&one.kind, Kind::Null)
            || matches!(&one.kind, Kind::Name(name) if name == "undefined")
    };
    match (is_nothing(left), is_nothing(right)) {
        (true, false) => named(right),
        (false, true) => named(left),
        _ => Vec::new(),
    }
}

/// The names that are defined if `condition` is true.
pub(crate) fn when_true(condition: &Expression) -> Vec<String> {
    match &condition.kind {
        Kind::Binary(Binary::And, left, right) => joined(left, right, when_true),
        Kind::Binary(Binary::Or, left, right) => {
            let right = when_true(right);
            let mut left = when_true(left);
            left.retain(|name| right.contains(name));
            left
        }
        Kind::Binary(
            Binary::Equal
            | Binary::StrictEqual
            | Binary::Less
            | Binary::Greater
            | Binary::LessEqual
            | Binary::GreaterEqual,
            left,
            right,
        ) => {
            let mut names = named(left);
            names.extend(named(right));
            names
        }
        Kind::Binary(Binary::Unequal | Binary::StrictUnequal, left, right) => {
            other_than_nothing(left, right)
        }
        Kind::Unary(Unary::Not, target) => when_false(target),
        Kind::Test(target, name, _)
            if !matches!(name.text.as_str(), "undefined" | "null" | "falsy") =>
        {
            named(target)
        }
        Kind::Group(items) => match items.as_slice() {
            [only] => when_true(only),
            _ => Vec::new(),
        },
        Kind::In(_, container) => named(container),
        _ => named(condition),
    }
}

/// The names that are defined if `condition` is false.
pub(crate) fn when_false(condition: &Expression) -> Vec<String> {
    match &condition.kind {
        Kind::Binary(Binary::Or, left, right) => joined(left, right, when_false),
        Kind::Binary(Binary::Equal | Binary::StrictEqual, left, right) => {
            other_than_nothing(left, right)
        }
        Kind::Unary(Unary::Not, target) => when_true(target),
        Kind::Test(target, name, _)
            if matches!(name.text.as_str(), "undefined" | "null" | "falsy") =>
        {
            named(target)
        }
        Kind::Group(items) => match items.as_slice() {
            [only] => when_false(only),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
