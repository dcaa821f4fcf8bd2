//! The statements of a template: what they print, bind and repeat.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::analysis::types::checker::{Binding, Checker, Role};
use crate::analysis::types::function::{address, parameters};
use crate::analysis::types::lattice::{Any, LOOP, NULL, Type};
use crate::analysis::types::narrow::may_equal;
use crate::analysis::types::problem::{Habit, Problem};
use crate::analysis::types::unused::assigned_in;
use crate::ast::{Expression, For, Function, If, Kind, Name, Statement, Switch, Value};
use crate::walk;

impl Checker<'_> {
    pub(super) fn body(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Text(_) => {}
            Statement::Output(value) => self.output(value),
            Statement::If(one) => self.branches(one),
            Statement::For(one) => self.repeat(one),
            Statement::Set { targets, value } => self.set(targets, value),
            Statement::Macro { name, function } => {
                let number = self.numbers.get(&address(function)).copied();
                let role = number.map_or(Role::Value, Role::Macro);
                self.scope.bind_role(&name.text, role);
            }
            Statement::Call { call, caller } => self.call_block(call, caller),
            Statement::Filter(block) => {
                self.arguments(&block.arguments);
                self.body(&block.body);
            }
            Statement::Switch(one) => self.switch(one),
            Statement::Block { body, .. } => {
                let mark = self.scope.mark();
                if self.loaded[self.here].extends {
                    // It runs later, when other values are set.
                    let names = self.assigned.clone();
                    self.forget(&names);
                }
                self.body(body);
                self.scope.undo_to(mark);
            }
            _ => self.load(statement),
        }
    }

    fn output(&mut self, value: &Expression) {
        self.printing = true;
        let ty = self.expression(value);
        self.printing = false;
        self.printed_parts(value, &ty);
        self.need(value, &ty);
        self.escape(&ty);
    }

    fn set(&mut self, targets: &[Name], value: &Value) {
        let (mut ty, implied) = match value {
            Value::Expression(value) => {
                let ty = self.expression(value).widened();
                let judged = self.quietly(|this| this.judge(value));
                (ty, Some(Rc::new(judged)))
            }
            Value::Body(body) => {
                self.body(body);
                (Type::unknown().defined(), None)
            }
        };
        for target in targets {
            ty = self.unless_tainted(&target.text, ty);
            let (ty, implied) = (ty.clone(), implied.clone());
            self.scope
                .bind_as(&target.text, ty, Role::Value, false, implied);
        }
    }

    /// Takes what these names are bound to for unknown: it changes elsewhere.
    pub(super) fn forget(&mut self, names: &HashSet<String>) {
        for name in names {
            if let Some(binding) = self.scope.get(name) {
                let ty = binding.ty.clone();
                self.escape(&ty);
                self.scope.bind_role(name, Role::Value);
            }
        }
    }

    fn repeat(&mut self, one: &For) {
        let ty = self.expression(&one.iterable);
        let judged = self.quietly(|this| this.judge(&one.iterable));
        self.loop_condition(&one.names, &one.iterable);
        let types = self.items(&one.names, &one.iterable, &ty);
        let changing = assigned_in(&one.body);
        self.forget(&changing);
        let mark = self.scope.mark();
        let facts = self.scope.facts_mark();
        self.scope.learn(&judged.yes);
        for (name, ty) in one.names.iter().zip(types) {
            let ty = self.unless_tainted(&name.text, ty);
            let volatile = changing.contains(&name.text);
            self.scope.bind(&name.text, ty, volatile);
        }
        self.scope.bind("loop", Type::simple(LOOP), false);
        self.body(&one.body);
        self.scope.forget_to(facts);
        self.scope.undo_to(mark);
        self.body(&one.otherwise);
        self.forget(&assigned_in(&one.otherwise));
    }

    /// `for x in xs if x.a` asks before there is an `x`.
    fn loop_condition(&mut self, names: &[Name], iterable: &Expression) {
        let Kind::InlineIf(one) = &iterable.kind else {
            return;
        };
        let mut mentioned = walk::expression(&one.condition).filter_map(Expression::as_name);
        let mentions = mentioned.any(|name| names.iter().any(|bound| bound.text == name));
        if mentions && one.otherwise.is_none() {
            self.report(one.condition.span, Problem::Habit(Habit::LoopCondition));
        }
    }

    /// The types of the variables of a loop.
    fn items(&mut self, names: &[Name], iterable: &Expression, ty: &Type) -> Vec<Type> {
        let unknown = || vec![Type::unknown(); names.len()];
        if ty.any != Any::No {
            self.escape(ty);
            return unknown();
        }
        let value = self.text(iterable.span);
        if ty.is_scalar() {
            let kind = ty.kind();
            self.report(iterable.span, Problem::LoopOverScalar { value, kind });
            return unknown();
        }
        if ty.is_only_object() {
            let Some(object) = ty.object.clone() else {
                return unknown();
            };
            if names.len() == 1 {
                if !object.properties.contains_key("length") {
                    self.report(iterable.span, Problem::LoopOverObject { value });
                }
                self.escape(ty);
                return unknown();
            }
            let (key, value) = self.pairs(&object);
            return vec![key, value];
        }
        let Some(item) = ty.list.clone().filter(|_| ty.is_only_list()) else {
            self.escape(ty);
            return unknown();
        };
        if names.len() == 1 {
            return vec![item.as_ref().clone()];
        }
        let is_flat = item.is_only_object() || item.is_scalar();
        if item.any == Any::No && is_flat {
            let kind = item.kind();
            self.report(iterable.span, Problem::Unpacked { value, kind });
        }
        self.escape(&item);
        unknown()
    }

    fn call_block(&mut self, call: &Expression, caller: &Function) {
        if let Kind::Call(target, arguments) = &call.kind {
            match self.callee(target) {
                Some(number) => self.call_macro(number, call, arguments, false),
                None => {
                    self.expression(call);
                }
            }
        }
        let mark = self.scope.mark();
        let changing = assigned_in(&caller.body);
        self.forget(&changing);
        for (_, value) in &caller.defaults {
            let ty = self.expression(value);
            self.escape(&ty);
        }
        for name in parameters(caller) {
            self.scope.bind_role(&name.text, Role::Value);
        }
        self.body(&caller.body);
        self.scope.undo_to(mark);
    }
}

impl Checker<'_> {
    fn branches(&mut self, one: &If) {
        let facts = self.scope.facts_mark();
        let mark = self.scope.mark();
        let mut after = Vec::new();
        for (index, (condition, body)) in one.branches.iter().enumerate() {
            let followed = index + 1 < one.branches.len() || !one.otherwise.is_empty();
            let judged = self.condition(condition, followed);
            let inner = self.scope.facts_mark();
            self.scope.learn(&judged.yes);
            self.body(body);
            self.scope.forget_to(inner);
            after.push(self.scope.undo_to(mark));
            self.scope.learn(&judged.no);
        }
        self.body(&one.otherwise);
        after.push(self.scope.undo_to(mark));
        self.scope.forget_to(facts);
        self.merge(&after);
    }

    /// Puts what several branches bound together.
    fn merge(&mut self, after: &[HashMap<String, Option<Binding>>]) {
        let mut names: Vec<&String> = after.iter().flat_map(HashMap::keys).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let base = self.scope.get(name).cloned();
            let types = after.iter().map(|end| {
                let binding = end.get(name).unwrap_or(&base).as_ref();
                binding.map_or_else(Type::absent, |binding| binding.ty.clone())
            });
            let merged = types.reduce(|before, ty| self.union(&before, &ty));
            self.scope
                .bind(name, merged.unwrap_or_else(Type::unknown), false);
        }
    }

    fn switch(&mut self, one: &Switch) {
        let subject = &one.subject;
        let ty = self.expression(subject);
        let mark = self.scope.mark();
        let mut after = Vec::new();
        // True if one of the cases that fall through to the next body is null.
        let mut null = false;
        for (value, body) in &one.cases {
            let other = self.expression(value);
            if !may_equal(&ty, &other, true) {
                self.report_never(value, subject, value, &ty);
            }
            null |= other.simple & NULL != 0 || other.any != Any::No;
            if body.is_empty() {
                continue;
            }
            let facts = self.scope.facts_mark();
            if !std::mem::take(&mut null) {
                let there = self.mentioned(subject);
                self.scope.learn(&there);
            }
            self.body(body);
            self.scope.forget_to(facts);
            after.push(self.scope.undo_to(mark));
        }
        self.body(&one.otherwise);
        after.push(self.scope.undo_to(mark));
        self.merge(&after);
    }
}
