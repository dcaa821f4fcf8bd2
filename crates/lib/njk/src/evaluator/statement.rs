//! Statements.

use std::sync::Arc;

use minijinja::value::Value;

use super::Evaluator;
use crate::ast::{self, Arguments, Expression, Function, Kind, Name, Statement, Target};
use crate::coverage::BranchKind;
use crate::error::{Error, Span};
use crate::value::compare::strict;

impl Evaluator<'_> {
    /// Runs a statement. It calls itself for the bodies in it, so that whatever takes room on
    /// the stack is in a function of its own.
    pub(super) fn statement(&self, one: &Statement, out: &mut String) -> Result<(), Error> {
        match one {
            Statement::Text(text) => self.text(text, out),
            Statement::Output(value) => self.output(value, out),
            Statement::If {
                branches,
                otherwise,
            } => self.conditions(branches, otherwise, out),
            Statement::For {
                names,
                iterable,
                body,
                otherwise,
            } => self.for_loop(names, iterable, body, otherwise, out),
            Statement::Set { targets, value } => self.set(targets, value),
            Statement::Macro { name, function } => self.definition(name, function),
            Statement::Call { call, caller } => self.call_block(call, caller, out),
            Statement::Filter {
                name,
                arguments,
                body,
            } => self.filter_block(name, arguments, body, out),
            Statement::Switch {
                subject,
                cases,
                otherwise,
            } => self.switch(subject, cases, otherwise, out),
            Statement::Block { name, .. } => self.block(name, out),
            Statement::Extends(template) => self.extend(template),
            Statement::Include {
                template,
                ignore_missing,
            } => self.include(template, *ignore_missing, out),
            Statement::Import {
                template,
                target,
                with_context,
            } => self.import(template, target, *with_context),
            Statement::From {
                template,
                names,
                with_context,
            } => self.import_names(template, names, *with_context),
        }
    }

    fn output(&self, value: &Expression, out: &mut String) -> Result<(), Error> {
        let printed = self.expression(value)?;
        self.at(value.span, self.print(&printed, out))
    }

    fn conditions(
        &self,
        branches: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
        out: &mut String,
    ) -> Result<(), Error> {
        let mut kind = BranchKind::If;
        for (condition, body) in branches {
            if self.expression(condition)?.is_true() {
                return self.branch(condition.span, kind, body, out);
            }
            kind = BranchKind::Elif;
        }
        let first = branches.first().map(|(condition, _)| condition.span);
        self.branch(first.unwrap_or_default(), BranchKind::Else, otherwise, out)
    }

    /// The cases are compared in turn; an empty one falls through to the next.
    fn switch(
        &self,
        subject: &Expression,
        cases: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
        out: &mut String,
    ) -> Result<(), Error> {
        let value = self.expression(subject)?;
        let mut found = false;
        for (case, body) in cases {
            found = found || strict(&value, &self.expression(case)?);
            if found && !body.is_empty() {
                return self.branch(case.span, BranchKind::Case, body, out);
            }
        }
        self.branch(subject.span, BranchKind::Default, otherwise, out)
    }

    /// Runs the branch of a condition.
    fn branch(
        &self,
        condition: Span,
        kind: BranchKind,
        body: &[Statement],
        out: &mut String,
    ) -> Result<(), Error> {
        self.take(condition, kind);
        self.at(condition, self.body(body, out))
    }

    /// Notes that a branch is taken, if branches are recorded.
    pub(super) fn take(&self, condition: Span, kind: BranchKind) {
        self.runtime.take(&self.here.program, condition, kind);
    }

    fn set(&self, targets: &[Target], value: &ast::Value) -> Result<(), Error> {
        let value = match value {
            ast::Value::Expression(value) => self.expression(value)?,
            ast::Value::Body(body) => {
                let span = targets.first().map(|target| target.name.span);
                Value::from(self.at(span.unwrap_or_default(), self.capture(body))?)
            }
        };
        for Target { name, local } in targets {
            self.runtime.set(self.here, &name.text, &value, *local);
        }
        Ok(())
    }

    fn filter_block(
        &self,
        name: &Name,
        arguments: &Arguments,
        body: &[Statement],
        out: &mut String,
    ) -> Result<(), Error> {
        let text = Value::from(self.at(name.span, self.capture(body))?);
        let value = self.filter(&text, name, arguments)?;
        self.at(name.span, self.print(&value, out))
    }

    fn definition(&self, name: &Name, function: &Arc<Function>) -> Result<(), Error> {
        let value = self.at(name.span, self.make_macro(function))?;
        self.define(name, value, true);
        Ok(())
    }

    /// Defines a macro or an import: in the context at the top level, in the frame elsewhere.
    pub(super) fn define(&self, name: &Name, value: Value, export: bool) {
        if !self.runtime.is_outermost(self.here) {
            self.runtime.bind(self.here, &name.text, value);
            return;
        }
        self.here.context.set(&name.text, value);
        if export {
            self.here.context.export(&name.text);
        }
    }

    fn call_block(
        &self,
        call: &Expression,
        caller: &Arc<Function>,
        out: &mut String,
    ) -> Result<(), Error> {
        let Kind::Call(target, arguments) = &call.kind else {
            return Err(Error::internal("a call block without a call"));
        };
        let caller = self.at(call.span, self.make_caller(caller))?;
        let value = self.at(call.span, self.call(target, arguments, Some(&caller)))?;
        self.at(call.span, self.print(&value, out))
    }
}
