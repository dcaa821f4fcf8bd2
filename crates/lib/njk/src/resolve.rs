//! Which names are variables of JavaScript in Nunjucks' output: the variables of loops,
//! parameters, and macros and imports that are not at the top level. They are found by
//! position, in the loops and functions that enclose them; all other names are looked up
//! at run time. On the way, the blocks and the branches of the template are collected.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use crate::ast::{Expression, Function, Kind, Name, Statement, Value};
use crate::coverage::BranchKind;
use crate::error::{Failure, Span, fail};
use crate::walk;

/// A block of a template.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) body: Arc<Vec<Statement>>,
    /// Where it first calls `super`, if it does.
    pub(crate) parent: Option<Span>,
}

/// Facts about a template besides its body.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) blocks: IndexMap<String, Block>,
    /// The places of names that are variables of an enclosing loop or function.
    pub(crate) locals: HashSet<Span>,
    /// The conditions of branches.
    pub(crate) branches: IndexSet<(Span, BranchKind)>,
}

/// Finds the variables, the blocks and the branches in `statements`.
pub(crate) fn resolve(statements: &[Statement]) -> Result<Resolved, Failure> {
    let mut resolver = Resolver {
        in_block: false,
        scope: vec![HashSet::new()],
        resolved: Resolved::default(),
    };
    resolver.body(statements)?;
    Ok(resolver.resolved)
}

struct Resolver<'a> {
    in_block: bool,
    /// The names that each enclosing loop or function declares, and at its bottom the top
    /// level of the template, a block or a macro.
    scope: Vec<HashSet<&'a str>>,
    resolved: Resolved,
}

impl<'a> Resolver<'a> {
    /// Notes a name that an enclosing loop or function declares.
    fn name(&mut self, name: &str, span: Span) {
        if self.scope.iter().any(|names| names.contains(name)) {
            self.resolved.locals.insert(span);
        }
    }

    fn declare(&mut self, name: &'a Name) {
        if let Some(names) = self.scope.last_mut() {
            names.insert(&name.text);
        }
    }

    /// Declares a macro or an import. At the top level they are in the context.
    fn define(&mut self, name: &'a Name) {
        if self.scope.len() > 1 {
            self.declare(name);
        }
    }

    fn branch(&mut self, span: Span, kind: BranchKind) {
        self.resolved.branches.insert((span, kind));
    }

    fn body(&mut self, statements: &'a [Statement]) -> Result<(), Failure> {
        statements.iter().try_for_each(|one| self.statement(one))
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<(), Failure> {
        match statement {
            Statement::If(one) => {
                let mut kind = BranchKind::If;
                for (condition, body) in &one.branches {
                    self.expression(condition);
                    self.branch(condition.span, kind);
                    self.body(body)?;
                    kind = BranchKind::Elif;
                }
                let first = one.branches.first().map(|(condition, _)| condition.span);
                self.otherwise(first.unwrap_or_default(), BranchKind::Else, &one.otherwise)?;
            }
            Statement::For(one) => {
                self.expression(&one.iterable);
                let names = one.names.iter().map(|name| name.text.as_str());
                self.scope.push(names.collect());
                self.branch(one.iterable.span, BranchKind::For);
                self.body(&one.body)?;
                self.otherwise(one.iterable.span, BranchKind::Empty, &one.otherwise)?;
                self.scope.pop();
            }
            Statement::Set { targets, value } => {
                match value {
                    Value::Expression(value) => self.expression(value),
                    Value::Body(body) => self.body(body)?,
                }
                for target in targets {
                    self.name(&target.text, target.span);
                }
            }
            Statement::Macro { name, function } => {
                let apart = vec![HashSet::new(), HashSet::new()];
                let outer = std::mem::replace(&mut self.scope, apart);
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
            Statement::Switch(one) => {
                self.expression(&one.subject);
                for (value, body) in &one.cases {
                    self.expression(value);
                    if !body.is_empty() {
                        self.branch(value.span, BranchKind::Case);
                        self.body(body)?;
                    }
                }
                if one.cases.is_empty() {
                    self.body(&one.otherwise)?;
                } else {
                    self.otherwise(one.subject.span, BranchKind::Default, &one.otherwise)?;
                }
            }
            Statement::Block { name, body } => self.block(name, body)?,
            Statement::Import(one) => {
                self.expression(&one.template);
                for (_, alias) in &one.names {
                    self.define(alias);
                }
            }
            _ => {
                for body in walk::bodies(statement) {
                    self.body(body)?;
                }
                for value in walk::expressions(statement) {
                    self.expression(value);
                }
            }
        }
        Ok(())
    }

    fn otherwise(
        &mut self,
        span: Span,
        kind: BranchKind,
        body: &'a [Statement],
    ) -> Result<(), Failure> {
        if !body.is_empty() {
            self.branch(span, kind);
        }
        self.body(body)
    }

    fn block(&mut self, name: &Name, body: &'a Arc<Vec<Statement>>) -> Result<(), Failure> {
        let block = Block {
            body: Arc::clone(body),
            parent: parent_call(body),
        };
        let blocks = &mut self.resolved.blocks;
        if blocks.insert(name.text.clone(), block).is_some() {
            return fail(
                &format!("block `{}` is defined twice", name.text),
                name.span,
            );
        }
        let scope = std::mem::replace(&mut self.scope, vec![HashSet::new()]);
        let in_block = std::mem::replace(&mut self.in_block, true);
        self.body(body)?;
        (self.scope, self.in_block) = (scope, in_block);
        Ok(())
    }

    fn function(&mut self, function: &'a Function) -> Result<(), Failure> {
        for parameter in &function.parameters {
            self.declare(parameter);
        }
        for (_, value) in &function.defaults {
            self.expression(value);
        }
        self.body(&function.body)
    }

    fn expression(&mut self, one: &Expression) {
        match &one.kind {
            Kind::Name(name) => self.name(name, one.span),
            Kind::Call(target, arguments) if self.in_block && is_super(target) => {
                for argument in arguments.iter() {
                    self.expression(argument);
                }
            }
            Kind::InlineIf(inner) => {
                self.expression(&inner.then);
                self.branch(inner.condition.span, BranchKind::If);
                self.expression(&inner.condition);
                if let Some(otherwise) = &inner.otherwise {
                    self.expression(otherwise);
                    self.branch(inner.condition.span, BranchKind::Else);
                }
            }
            kind => {
                for child in kind.children() {
                    self.expression(child);
                }
            }
        }
    }
}

/// Returns true if the expression is `super`, which is no variable in a block.
pub(crate) fn is_super(expression: &Expression) -> bool {
    expression.as_name() == Some("super")
}

/// Where `super` is first called in the body of a block.
fn parent_call(body: &[Statement]) -> Option<Span> {
    walk::all_expressions(body).find_map(|expression| match &expression.kind {
        Kind::Call(target, _) if is_super(target) => Some(target.span),
        _ => None,
    })
}
