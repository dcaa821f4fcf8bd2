//! Definitions that nothing uses, and templates that load themselves.

use std::collections::HashSet;

use super::checker::{Checker, Loaded, template};
use super::function::parameters;
use super::problem::{Definition, Problem};
use crate::analysis::root;
use crate::ast::{Expression, Function, Kind, Name, Statement, Value};
use crate::walk;

impl Checker<'_> {
    /// Reports definitions of the first template that none of the templates uses.
    pub(super) fn unused(&mut self) {
        let loaded = self.loaded;
        self.here = 0;
        if loaded.iter().all(|template| template.complete) {
            let mut read: HashSet<&str> = HashSet::new();
            for template in loaded {
                walk::statements(&template.statements, &mut |it| read.extend(name(it)));
            }
            walk::each(&loaded[0].statements, &mut |statement| {
                self.unused_in(statement, &read);
            });
            self.unused_blocks();
        }
        self.recursive();
    }

    fn unused_in(&mut self, statement: &Statement, read: &HashSet<&str>) {
        match statement {
            Statement::Macro { name, function } => {
                self.report_unused(Definition::Macro, name, read);
                self.unused_parameters(function);
            }
            Statement::Set { targets, value } if !has_effect(value) => {
                for target in targets {
                    self.report_unused(Definition::Variable, target, read);
                }
            }
            Statement::Import(one) => {
                for (_, alias) in &one.names {
                    self.report_unused(Definition::Import, alias, read);
                }
            }
            _ => {}
        }
    }

    fn unused_parameters(&mut self, function: &Function) {
        let mut read: HashSet<&str> = HashSet::new();
        let mut loads = false;
        walk::each(&function.body, &mut |statement| {
            loads |= template(statement).is_some();
        });
        walk::statements(&function.body, &mut |it| read.extend(name(it)));
        for (_, value) in &function.defaults {
            walk::expression(value, &mut |it| read.extend(name(it)));
        }
        if !loads {
            for name in parameters(function) {
                self.report_unused(Definition::Parameter, name, &read);
            }
        }
    }

    fn report_unused(&mut self, definition: Definition, name: &Name, read: &HashSet<&str>) {
        if !name.text.starts_with('_') && !read.contains(name.text.as_str()) {
            let problem = Problem::Unused {
                definition,
                name: name.text.clone(),
            };
            self.report(name.span, problem);
        }
    }

    /// Blocks that replace none of the extended templates.
    fn unused_blocks(&mut self) {
        let loaded = self.loaded;
        let mut extended: HashSet<&str> = HashSet::new();
        let mut seen = HashSet::new();
        let mut at = parent(&loaded[0]);
        if at.is_none() {
            return;
        }
        while let Some(number) = at.filter(|number| seen.insert(*number)) {
            walk::each(&loaded[number].statements, &mut |statement| {
                if let Statement::Block { name, .. } = statement {
                    extended.insert(&name.text);
                }
            });
            at = parent(&loaded[number]);
        }
        for statement in &loaded[0].statements {
            if let Statement::Block { name, .. } = statement {
                self.report_unused(Definition::Block, name, &extended);
            }
        }
    }

    /// Templates that load themselves whatever their variables are.
    fn recursive(&mut self) {
        let loaded = self.loaded;
        let edges: Vec<Vec<usize>> = loaded
            .iter()
            .map(|template| {
                let mut found = Vec::new();
                always(&template.statements, &mut |statement| {
                    found.extend(template.target(statement));
                });
                found
            })
            .collect();
        for (number, one) in loaded.iter().enumerate() {
            self.here = number;
            always(&one.statements, &mut |statement| {
                if let (Some(next), Some(place)) = (one.target(statement), template(statement))
                    && reaches(&edges, next, number)
                {
                    let name = one.name.clone();
                    self.report(place.span, Problem::Recursive { name });
                }
            });
        }
        self.here = 0;
    }
}

/// The template that a template extends.
fn parent(loaded: &Loaded) -> Option<usize> {
    let mut statements = loaded.statements.iter();
    statements.find_map(|statement| match statement {
        Statement::Extends(_) => loaded.target(statement),
        _ => None,
    })
}

fn reaches(edges: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(&edges[at]);
        }
    }
    false
}

/// Calls `visit` with the statements that run in every rendering.
fn always<'s>(statements: &'s [Statement], visit: &mut dyn FnMut(&'s Statement)) {
    for statement in statements {
        visit(statement);
        if let Statement::Filter(_) | Statement::Block { .. } | Statement::Set { .. } = statement {
            for body in walk::bodies(statement) {
                always(body, visit);
            }
        }
    }
}

/// Returns true if a value is computed for its effect.
fn has_effect(value: &Value) -> bool {
    let mut calls = false;
    let mut visit = |expression: &Expression| {
        calls |= matches!(expression.kind, Kind::Call(..));
    };
    match value {
        Value::Expression(value) => walk::expression(value, &mut visit),
        Value::Body(body) => walk::statements(body, &mut visit),
    }
    calls
}

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

/// The number of steps that a changed list is followed through other names.
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
            names.extend(targets.iter().map(|target| target.text.clone()));
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
        walk::statements(&template.statements, &mut |it| {
            names.extend(name(it).map(str::to_owned));
        });
    }
    names
}

/// The variable that an expression is.
fn name(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        Kind::Name(name) => Some(name),
        _ => None,
    }
}

fn spread(statements: &[Statement], names: &mut HashSet<String>) {
    let mut calls = false;
    walk::each(statements, &mut |statement| match statement {
        Statement::Set {
            targets,
            value: Value::Expression(value),
        } if targets.iter().any(|it| names.contains(&it.text)) => mention(value, names),
        Statement::For(one) if one.names.iter().any(|it| names.contains(&it.text)) => {
            mention(&one.iterable, names);
        }
        Statement::Macro { function, .. } => {
            calls |= parameters(function).any(|name| names.contains(&name.text));
        }
        _ => {}
    });
    if calls {
        walk::statements(statements, &mut |expression| {
            if let Kind::Call(_, arguments) = &expression.kind {
                arguments.iter().for_each(|it| mention(it, names));
            }
        });
    }
}

fn mention(value: &Expression, names: &mut HashSet<String>) {
    walk::expression(value, &mut |it| names.extend(name(it).map(str::to_owned)));
}
