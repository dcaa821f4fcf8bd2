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
            let read: HashSet<&str> = names(loaded).collect();
            for statement in walk::each(&loaded[0].statements) {
                self.unused_in(statement, &read);
            }
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
        if walk::each(&function.body).any(|statement| template(statement).is_some()) {
            return;
        }
        let defaults = function.defaults.iter();
        let defaults = defaults.flat_map(|(_, value)| walk::expression(value));
        let read = walk::all_expressions(&function.body).chain(defaults);
        let read: HashSet<&str> = read.filter_map(Expression::as_name).collect();
        for name in parameters(function) {
            self.report_unused(Definition::Parameter, name, &read);
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
            for statement in walk::each(&loaded[number].statements) {
                if let Statement::Block { name, .. } = statement {
                    extended.insert(&name.text);
                }
            }
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
        let edges = loaded.iter().map(|template| {
            let statements = always(&template.statements).into_iter();
            statements.filter_map(|it| template.target(it)).collect()
        });
        let edges: Vec<Vec<usize>> = edges.collect();
        for (number, one) in loaded.iter().enumerate() {
            self.here = number;
            for statement in always(&one.statements) {
                if let (Some(next), Some(place)) = (one.target(statement), template(statement))
                    && reaches(&edges, next, number)
                {
                    let name = one.name.clone();
                    self.report(place.span, Problem::Recursive { name });
                }
            }
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

/// The statements that run in every rendering.
fn always(statements: &[Statement]) -> Vec<&Statement> {
    let mut found = Vec::new();
    for statement in statements {
        found.push(statement);
        if let Statement::Filter(_) | Statement::Block { .. } | Statement::Set { .. } = statement {
            found.extend(walk::bodies(statement).into_iter().flat_map(always));
        }
    }
    found
}

/// Returns true if a value is computed for its effect.
fn has_effect(value: &Value) -> bool {
    let is_call = |expression: &Expression| matches!(expression.kind, Kind::Call(..));
    match value {
        Value::Expression(value) => walk::expression(value).any(is_call),
        Value::Body(body) => walk::all_expressions(body).any(is_call),
    }
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
    let templates = loaded.iter();
    templates
        .flat_map(|it| assigned_in(&it.statements))
        .collect()
}

/// The names that `set` gives to values in these statements.
pub(super) fn assigned_in(statements: &[Statement]) -> HashSet<String> {
    let targets = walk::each(statements).flat_map(|statement| match statement {
        Statement::Set { targets, .. } => targets.as_slice(),
        _ => &[],
    });
    targets.map(|target| target.text.clone()).collect()
}

/// The names of lists that the templates change, and of those that they come from.
pub(super) fn tainted(loaded: &[Loaded]) -> HashSet<String> {
    let mut names = HashSet::new();
    for template in loaded {
        for expression in walk::all_expressions(&template.statements) {
            if let Kind::Call(target, _) = &expression.kind
                && let Kind::Member(owner, method) = &target.kind
                && CHANGING.contains(&method.text.as_str())
            {
                names.extend(root(owner).map(str::to_owned));
            }
        }
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
    names.extend(self::names(loaded).map(str::to_owned));
    names
}

/// The variables that the templates read.
fn names(loaded: &[Loaded]) -> impl Iterator<Item = &str> {
    let templates = loaded.iter();
    let expressions = templates.flat_map(|it| walk::all_expressions(&it.statements));
    expressions.filter_map(Expression::as_name)
}

fn spread(statements: &[Statement], names: &mut HashSet<String>) {
    let mut calls = false;
    for statement in walk::each(statements) {
        if let Statement::Macro { function, .. } = statement {
            calls |= parameters(function).any(|name| names.contains(&name.text));
        }
        let (targets, value) = match statement {
            Statement::Set {
                targets,
                value: Value::Expression(value),
            } => (targets, value),
            Statement::For(one) => (&one.names, &one.iterable),
            _ => continue,
        };
        if targets.iter().any(|it| names.contains(&it.text)) {
            mention(value, names);
        }
    }
    for expression in walk::all_expressions(statements).filter(|_| calls) {
        if let Kind::Call(_, arguments) = &expression.kind {
            arguments.iter().for_each(|it| mention(it, names));
        }
    }
}

fn mention(value: &Expression, names: &mut HashSet<String>) {
    let mentioned = walk::expression(value).filter_map(Expression::as_name);
    names.extend(mentioned.map(str::to_owned));
}
