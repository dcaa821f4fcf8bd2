//! Statements.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::ast::{self, Expression, FilterBlock, For, Function, If, Kind, Name, Statement, Switch};
use crate::coverage::BranchKind;
use crate::error::{Error, Span};
use crate::evaluator::Evaluator;
use crate::methods;
use crate::runtime::Runtime;
use crate::runtime::frames::Loop;
use crate::value::compare::strict;
use crate::value::{Array, Value};

impl Evaluator<'_> {
    /// Runs a statement. It calls itself for the bodies in it, so that whatever takes room on
    /// the stack is in a function of its own.
    pub(super) fn statement(&self, one: &Statement, out: &mut String) -> Result<(), Error> {
        match one {
            Statement::Text(text) => self.text(text, out),
            Statement::Output(value) => self.output(value, out),
            Statement::If(one) => self.conditions(one, out),
            Statement::For(one) => self.for_loop(one, out),
            Statement::Set { targets, value } => self.set(targets, value),
            Statement::Macro { name, function } => self.definition(name, function),
            Statement::Call { call, caller } => self.call_block(call, caller, out),
            Statement::Filter(one) => self.filter_block(one, out),
            Statement::Switch(one) => self.switch(one, out),
            Statement::Block { name, .. } => self.block(name, out),
            Statement::Extends(template) => self.extend(template),
            Statement::Include {
                template,
                ignore_missing,
            } => self.include(template, *ignore_missing, out),
            Statement::Import(one) => self.import(one),
        }
    }

    fn output(&self, value: &Expression, out: &mut String) -> Result<(), Error> {
        let printed = self.expression(value)?;
        self.at(value.span, self.print(&printed, out))
    }

    fn conditions(&self, one: &If, out: &mut String) -> Result<(), Error> {
        let mut kind = BranchKind::If;
        for (condition, body) in &one.branches {
            if self.expression(condition)?.is_true() {
                return self.branch(condition.span, kind, body, out);
            }
            kind = BranchKind::Elif;
        }
        let first = one.branches.first().map(|(condition, _)| condition.span);
        let span = first.unwrap_or_default();
        self.branch(span, BranchKind::Else, &one.otherwise, out)
    }

    /// The cases are compared in turn; an empty one falls through to the next.
    fn switch(&self, one: &Switch, out: &mut String) -> Result<(), Error> {
        let value = self.expression(&one.subject)?;
        let mut found = false;
        for (case, body) in &one.cases {
            found = found || strict(&value, &self.expression(case)?);
            if found && !body.is_empty() {
                return self.branch(case.span, BranchKind::Case, body, out);
            }
        }
        self.branch(one.subject.span, BranchKind::Default, &one.otherwise, out)
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

    fn set(&self, targets: &[Name], value: &ast::Value) -> Result<(), Error> {
        let value = match value {
            ast::Value::Expression(value) => self.expression(value)?,
            ast::Value::Body(body) => {
                let span = targets.first().map(|target| target.span);
                Value::from(self.at(span.unwrap_or_default(), self.capture(body))?)
            }
        };
        for target in targets {
            let local = self.is_local(target.span);
            self.runtime.set(self.here, &target.text, &value, local);
        }
        Ok(())
    }

    fn filter_block(&self, one: &FilterBlock, out: &mut String) -> Result<(), Error> {
        let span = one.name.span;
        let text = Value::from(self.at(span, self.capture(&one.body))?);
        let value = self.filter(&text, &one.name, &one.arguments)?;
        self.at(span, self.print(&value, out))
    }

    fn definition(&self, name: &Name, function: &Arc<Function>) -> Result<(), Error> {
        let value = self.at(name.span, self.make_function(function, None))?;
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
        let caller = self.at(
            call.span,
            self.make_function(caller, Some(self.here.frame())),
        )?;
        let value = self.at(call.span, self.call(target, arguments, Some(&caller)))?;
        self.at(call.span, self.print(&value, out))
    }
}

/// The items of a loop.
enum Items {
    /// Read again at each step, because the loop's body may change it.
    Array(Rc<Array>),
    List(Vec<Value>),
    Pairs(Vec<(Value, Value)>),
}

/// The values of one step.
enum Item {
    One(Value),
    Pair(Value, Value),
}

impl Evaluator<'_> {
    fn for_loop(&self, one: &For, out: &mut String) -> Result<(), Error> {
        let value = self.expression(&one.iterable)?;
        let span = one.iterable.span;
        let items = Items::of(self.runtime, &value, one.names.len() > 1);
        let items = self.at(span, items)?;
        self.runtime.open(self.here);
        for name in &one.names {
            self.bind(name, Value::Undefined);
        }
        if items.len() > 0 {
            self.at(span, self.steps(one, &items, out))?;
        } else if !one.otherwise.is_empty() {
            self.take(span, BranchKind::Empty);
            self.body(&one.otherwise, out)?;
        }
        self.runtime.close(self.here);
        Ok(())
    }

    fn steps(&self, one: &For, items: &Items, out: &mut String) -> Result<(), Error> {
        let loop_ = Rc::new(Loop {
            index: Cell::new(0),
            len: items.len(),
        });
        let value = Value::Special(Rc::<Loop>::clone(&loop_));
        self.runtime.bind(self.here, "loop", value);
        let mut index = 0;
        while let Some(item) = items.get(index) {
            self.runtime.spend(1)?;
            loop_.index.set(index);
            self.unpack(&one.names, item)?;
            self.take(one.iterable.span, BranchKind::For);
            self.body(&one.body, out)?;
            index += 1;
        }
        Ok(())
    }

    /// Sets the variables of one step.
    fn unpack(&self, names: &[Name], item: Item) -> Result<(), Error> {
        match (item, names) {
            (Item::One(item), [name]) => self.bind(name, item),
            (Item::One(item), names) => {
                if !item.is_present() {
                    let message = format!("{} cannot be unpacked into variables", item.type_name());
                    return Err(Error::bad_value(message));
                }
                for (position, name) in names.iter().enumerate() {
                    let key = Value::from(position);
                    self.bind(name, methods::member(self.runtime, &item, &key)?);
                }
            }
            (Item::Pair(key, value), names) => {
                for (name, value) in names.iter().zip([key, value]) {
                    self.bind(name, value);
                }
            }
        }
        Ok(())
    }

    fn bind(&self, name: &Name, value: Value) {
        self.runtime.bind(self.here, &name.text, value);
    }
}

impl Items {
    /// The items of a value, as pairs of a key and a value if those are asked for.
    fn of(runtime: &Runtime, value: &Value, pairs: bool) -> Result<Self, Error> {
        Ok(match value {
            Value::Array(array) => Self::Array(Rc::clone(array)),
            Value::Text(text) if pairs => {
                let characters = runtime.characters(text)?.into_iter().enumerate();
                let pair = |(index, unit): (usize, Value)| (Value::from(index.to_string()), unit);
                Self::Pairs(characters.map(pair).collect())
            }
            Value::Text(text) | Value::Safe(text) => Self::List(runtime.characters(text)?),
            Value::Dict(_) | Value::Special(_) if pairs => {
                let entries = value.entries();
                runtime.spend(entries.len())?;
                let pair = |(key, value): (Rc<str>, Value)| (Value::from(&*key), value);
                Self::Pairs(entries.into_iter().map(pair).collect())
            }
            // Any value with a length is treated as an array.
            Value::Dict(_) | Value::Special(_) => Self::List(methods::elements(runtime, value)?),
            _ => Self::List(Vec::new()),
        })
    }

    fn len(&self) -> usize {
        match self {
            Self::Array(array) => array.len(),
            Self::List(items) => items.len(),
            Self::Pairs(pairs) => pairs.len(),
        }
    }

    fn get(&self, index: usize) -> Option<Item> {
        match self {
            Self::Array(array) => array.get(index).map(Item::One),
            Self::List(items) => items.get(index).cloned().map(Item::One),
            Self::Pairs(pairs) => {
                let (key, value) = pairs.get(index)?;
                Some(Item::Pair(key.clone(), value.clone()))
            }
        }
    }
}
