//! Which names are variables of JavaScript in Nunjucks' output: the variables of loops,
//! parameters, and macros and imports that are not at the top level. They are found by
//! position, in the loops and functions that enclose them; all other names are looked up
//! at run time. On the way, the blocks and the branches of the template are collected.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use crate::ast::{Arguments, Expression, Function, Kind, Name, Statement, Target, Value};
use crate::coverage::BranchKind;
use crate::error::{Error, ErrorKind, Span};
use crate::walk;

/// A block, taken out of the body that contains it.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) body: Vec<Statement>,
    /// Where it first calls `super`, if it does.
    pub(crate) parent: Option<Span>,
}

/// Facts about a template besides its body.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) blocks: IndexMap<String, Block>,
    /// The conditions of branches, if they are recorded.
    pub(crate) branches: IndexSet<(Span, BranchKind)>,
}

type Failure = (Error, Span);

/// Marks the variables in `statements`, and takes the blocks out of them.
pub(crate) fn resolve(statements: &mut [Statement], coverage: bool) -> Result<Resolved, Failure> {
    let mut resolver = Resolver {
        coverage,
        in_block: false,
        scope: vec![HashSet::new()],
        pending: Vec::new(),
        resolved: Resolved::default(),
    };
    resolver.body(statements)?;
    resolver.in_block = true;
    while let Some((number, mut body)) = resolver.pending.pop() {
        resolver.scope = vec![HashSet::new()];
        resolver.body(&mut body)?;
        if let Some((_, block)) = resolver.resolved.blocks.get_index_mut(number) {
            block.body = body;
        }
    }
    Ok(resolver.resolved)
}

struct Resolver {
    /// True if branches are recorded.
    coverage: bool,
    in_block: bool,
    /// The names that each enclosing loop or function declares, and at its bottom the top
    /// level of the template, a block or a macro.
    scope: Vec<HashSet<String>>,
    /// The numbers and the bodies of blocks that are still to be resolved.
    pending: Vec<(usize, Vec<Statement>)>,
    resolved: Resolved,
}

impl Resolver {
    /// Returns true if an enclosing loop or function declares the name.
    fn contains(&self, name: &str) -> bool {
        self.scope.iter().any(|names| names.contains(name))
    }

    fn declare(&mut self, name: &Name) {
        if let Some(names) = self.scope.last_mut() {
            names.insert(name.text.clone());
        }
    }

    /// Declares a macro or an import. At the top level they are in the context.
    fn define(&mut self, name: &Name) {
        if self.scope.len() > 1 {
            self.declare(name);
        }
    }

    fn branch(&mut self, span: Span, kind: BranchKind) {
        if self.coverage {
            self.resolved.branches.insert((span, kind));
        }
    }

    fn body(&mut self, statements: &mut [Statement]) -> Result<(), Failure> {
        statements
            .iter_mut()
            .try_for_each(|one| self.statement(one))
    }

    fn statement(&mut self, statement: &mut Statement) -> Result<(), Failure> {
        match statement {
            Statement::Text(_) => {}
            Statement::Output(value) => self.expression(value),
            Statement::If {
                branches,
                otherwise,
            } => self.conditions(branches, otherwise)?,
            Statement::For {
                names,
                iterable,
                body,
                otherwise,
            } => self.for_loop(names, iterable, body, otherwise)?,
            Statement::Set { targets, value } => self.set(targets, value)?,
            Statement::Macro { name, function } => {
                let outer =
                    std::mem::replace(&mut self.scope, vec![HashSet::new(), HashSet::new()]);
                self.function(function)?;
                self.scope = outer;
                self.define(name);
            }
            Statement::Call { call, caller } => {
                self.scope.push(HashSet::new());
                self.function(caller)?;
                self.scope.pop();
                self.expression(call);
            }
            Statement::Filter {
                arguments, body, ..
            } => {
                self.body(body)?;
                self.arguments(arguments);
            }
            Statement::Switch {
                subject,
                cases,
                otherwise,
            } => self.switch(subject, cases, otherwise)?,
            Statement::Block { name, body } => self.block(name, body)?,
            Statement::Extends(template) | Statement::Include { template, .. } => {
                self.expression(template);
            }
            Statement::Import {
                template, names, ..
            } => {
                self.expression(template);
                for (_, alias) in names {
                    self.define(alias);
                }
            }
        }
        Ok(())
    }

    fn for_loop(
        &mut self,
        names: &[Name],
        iterable: &mut Expression,
        body: &mut [Statement],
        otherwise: &mut [Statement],
    ) -> Result<(), Failure> {
        self.expression(iterable);
        let declared = names.iter().map(|name| name.text.clone()).collect();
        self.scope.push(declared);
        self.branch(iterable.span, BranchKind::For);
        self.body(body)?;
        self.otherwise(iterable.span, BranchKind::Empty, otherwise)?;
        self.scope.pop();
        Ok(())
    }

    fn set(&mut self, targets: &mut [Target], value: &mut Value) -> Result<(), Failure> {
        match value {
            Value::Expression(value) => self.expression(value),
            Value::Body(body) => self.body(body)?,
        }
        for target in targets {
            target.local = self.contains(&target.name.text);
        }
        Ok(())
    }

    fn conditions(
        &mut self,
        branches: &mut [(Expression, Vec<Statement>)],
        otherwise: &mut [Statement],
    ) -> Result<(), Failure> {
        let mut first = None;
        for (condition, body) in branches {
            self.expression(condition);
            let kind = match first {
                None => BranchKind::If,
                Some(_) => BranchKind::Elif,
            };
            first.get_or_insert(condition.span);
            self.branch(condition.span, kind);
            self.body(body)?;
        }
        self.otherwise(first.unwrap_or_default(), BranchKind::Else, otherwise)
    }

    fn switch(
        &mut self,
        subject: &mut Expression,
        cases: &mut [(Expression, Vec<Statement>)],
        otherwise: &mut [Statement],
    ) -> Result<(), Failure> {
        self.expression(subject);
        if cases.is_empty() {
            return self.body(otherwise);
        }
        for (value, body) in cases {
            self.expression(value);
            if !body.is_empty() {
                self.branch(value.span, BranchKind::Case);
                self.body(body)?;
            }
        }
        self.otherwise(subject.span, BranchKind::Default, otherwise)
    }

    fn otherwise(
        &mut self,
        span: Span,
        kind: BranchKind,
        body: &mut [Statement],
    ) -> Result<(), Failure> {
        if !body.is_empty() {
            self.branch(span, kind);
        }
        self.body(body)
    }

    fn block(&mut self, name: &Name, body: &mut Vec<Statement>) -> Result<(), Failure> {
        let blocks = &mut self.resolved.blocks;
        let block = Block {
            body: Vec::new(),
            parent: parent_call(body),
        };
        let (number, known) = blocks.insert_full(name.text.clone(), block);
        if known.is_some() {
            let message = format!("block `{}` is defined twice", name.text);
            return Err((Error::new(ErrorKind::Syntax, message), name.span));
        }
        self.pending.push((number, std::mem::take(body)));
        Ok(())
    }

    fn function(&mut self, function: &mut Arc<Function>) -> Result<(), Failure> {
        let Some(function) = Arc::get_mut(function) else {
            return Err((Error::internal("a shared function"), Span::default()));
        };
        for parameter in &function.parameters {
            self.declare(parameter);
        }
        for (_, value) in &mut function.defaults {
            self.expression(value);
        }
        self.body(&mut function.body)
    }
}

impl Resolver {
    fn expression(&mut self, one: &mut Expression) {
        match &mut one.kind {
            Kind::Str(_)
            | Kind::Number(_)
            | Kind::Bool(_)
            | Kind::Null
            | Kind::Regex { .. }
            | Kind::Local(_) => {}
            Kind::Name(name) => {
                if self.contains(name) {
                    one.kind = Kind::Local(std::mem::take(name));
                }
            }
            Kind::Member(target, _) | Kind::Unary(_, target) => self.expression(target),
            Kind::Index(left, right) | Kind::Binary(_, left, right) | Kind::In(left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Kind::Call(target, arguments) => {
                if !self.in_block || !is_super(target) {
                    self.expression(target);
                }
                self.arguments(arguments);
            }
            Kind::Filter(target, _, arguments) | Kind::Test(target, _, arguments) => {
                self.expression(target);
                self.arguments(arguments);
            }
            Kind::Array(items) | Kind::Group(items) => {
                for item in items {
                    self.expression(item);
                }
            }
            Kind::Dict(pairs) => {
                for (_, value) in pairs {
                    self.expression(value);
                }
            }
            Kind::InlineIf {
                condition,
                then,
                otherwise,
            } => {
                self.expression(then);
                self.branch(condition.span, BranchKind::If);
                self.expression(condition);
                if let Some(otherwise) = otherwise {
                    self.expression(otherwise);
                    self.branch(condition.span, BranchKind::Else);
                }
            }
        }
    }

    fn arguments(&mut self, arguments: &mut Arguments) {
        let keyword = arguments.keyword.iter_mut().map(|(_, value)| value);
        for argument in arguments.positional.iter_mut().chain(keyword) {
            self.expression(argument);
        }
    }
}

/// Returns true if the expression is `super`, which is no variable in a block.
pub(crate) fn is_super(expression: &Expression) -> bool {
    matches!(&expression.kind, Kind::Name(name) if name == "super")
}

/// Where `super` is first called in the body of a block.
fn parent_call(body: &[Statement]) -> Option<Span> {
    let mut found = None;
    walk::statements(body, &mut |expression| {
        if let Kind::Call(target, _) = &expression.kind
            && is_super(target)
        {
            found.get_or_insert(target.span);
        }
    });
    found
}
