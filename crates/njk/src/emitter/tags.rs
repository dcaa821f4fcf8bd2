//! Statements with effects beyond their own position: macros, call blocks,
//! blocks and other templates.

use super::{Emitter, Failure};
use crate::ast::{self, Expression, Kind, Name, Statement};
use crate::error::{Error, ErrorKind};
use crate::walk;

impl Emitter {
    /// Binds the expression just written to a name: in the context at the top
    /// level, in the frame elsewhere.
    fn define(&mut self, name: &str, helper: &str) {
        let top = self.scope.is_top();
        if !top {
            self.scope.declare(name);
        }
        self.open(helper);
        self.string(name);
        self.close();
    }

    pub(super) fn definition(
        &mut self,
        name: &Name,
        function: &ast::Function,
    ) -> Result<(), Failure> {
        let number = self.callable(function, false)?;
        self.out.push_str("{% set _ = ");
        self.out.push_str(&number.to_string());
        self.open("macro");
        self.close();
        let helper = if self.scope.is_top() {
            "export"
        } else {
            "bind"
        };
        self.define(&name.text, helper);
        self.out.push_str(" %}");
        Ok(())
    }

    pub(super) fn call_block(
        &mut self,
        call: &Expression,
        caller: &ast::Function,
    ) -> Result<(), Failure> {
        let Kind::Call(target, arguments) = &call.kind else {
            return Err((Error::internal("a call block without a call"), call.span));
        };
        let number = self.callable(caller, true)?;
        self.out.push_str("{{ ");
        self.call(target, arguments, Some(number))?;
        self.out.push_str(" }}");
        Ok(())
    }

    pub(super) fn block_call(&mut self, name: &Name, body: &[Statement]) -> Result<(), Failure> {
        if self
            .emitted
            .blocks
            .iter()
            .any(|(known, _)| *known == name.text)
        {
            let message = format!("block `{}` is defined twice", name.text);
            return Err((Error::new(ErrorKind::Syntax, message), name.span));
        }
        let function = self.reserve();
        self.emitted.blocks.push((name.text.clone(), function));
        self.pending.push((function, name.clone(), body.to_vec()));
        self.out.push_str("{{ ");
        self.string(&name.text);
        self.open_at("block", name.span);
        self.out
            .push_str(if self.in_block { ", true" } else { ", false" });
        self.close();
        self.out.push_str(" }}");
        Ok(())
    }

    /// Resolves `super()`, once, before the block runs.
    pub(super) fn super_value(&mut self, function: usize, name: &Name, body: &[Statement]) {
        let mut used = None;
        walk::statements(body, &mut |expression| {
            if let Kind::Call(target, _) = &expression.kind
                && matches!(&target.kind, Kind::Name(name) if name == "super")
            {
                used.get_or_insert(target.span);
            }
        });
        let Some(span) = used else {
            return;
        };
        self.out.push_str("{% set _ = ");
        self.string(&name.text);
        self.open_at("super", span);
        self.comma();
        self.out.push_str(&function.to_string());
        self.out.push_str(") %}");
    }

    pub(super) fn extends(&mut self, template: &Expression) -> Result<(), Failure> {
        self.emitted.extends = true;
        self.out.push_str("{% set _ = ");
        self.expression(template)?;
        self.open_at("extends", template.span);
        self.out.push_str(") %}");
        Ok(())
    }

    pub(super) fn include(
        &mut self,
        template: &Expression,
        ignore_missing: bool,
    ) -> Result<(), Failure> {
        self.out.push_str("{{ ");
        self.expression(template)?;
        self.open_at("include", template.span);
        self.out
            .push_str(if ignore_missing { ", true" } else { ", false" });
        self.out.push_str(") }}");
        Ok(())
    }

    fn module(&mut self, template: &Expression, with_context: bool) -> Result<(), Failure> {
        self.expression(template)?;
        self.open_at("import", template.span);
        self.out
            .push_str(if with_context { ", true" } else { ", false" });
        self.close();
        Ok(())
    }

    pub(super) fn import(
        &mut self,
        template: &Expression,
        target: &Name,
        with_context: bool,
    ) -> Result<(), Failure> {
        self.out.push_str("{% set _ = ");
        self.module(template, with_context)?;
        let helper = if self.scope.is_top() {
            "define"
        } else {
            "bind"
        };
        self.define(&target.text, helper);
        self.out.push_str(" %}");
        Ok(())
    }

    pub(super) fn from(
        &mut self,
        template: &Expression,
        names: &[(Name, Name)],
        with_context: bool,
    ) -> Result<(), Failure> {
        self.switches += 1;
        let module = format!("module{}", self.switches);
        self.out.push_str("{% set ");
        self.out.push_str(&module);
        self.out.push_str(" = ");
        self.module(template, with_context)?;
        self.out.push_str(" %}");
        for (name, alias) in names {
            self.out.push_str("{% set _ = ");
            self.out.push_str(&module);
            self.open_at("imported", name.span);
            self.comma();
            self.string(&name.text);
            self.close();
            let helper = if self.scope.is_top() {
                "define"
            } else {
                "bind"
            };
            self.define(&alias.text, helper);
            self.out.push_str(" %}");
        }
        Ok(())
    }
}
