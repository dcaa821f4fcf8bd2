//! Expressions.

use std::sync::Arc;

use minijinja::value::Value;

use super::{Evaluator, operator};
use crate::ast::{Arguments, Binary, Expression, Kind, Name, Unary};
use crate::coverage::BranchKind;
use crate::error::Error;
use crate::methods;
use crate::native::Native;
use crate::value::dict::Entries;
use crate::value::number;
use crate::{filters, tests};

impl Evaluator<'_> {
    pub(super) fn expression(&self, one: &Expression) -> Result<Value, Error> {
        let level = self.at(one.span, self.runtime.enter())?;
        let result = self.value(one);
        self.runtime.leave(level);
        self.at(one.span, result)
    }

    /// The value of an expression. It calls itself for the parts of it, so that whatever
    /// takes room on the stack is in a function of its own.
    fn value(&self, one: &Expression) -> Result<Value, Error> {
        match &one.kind {
            Kind::Str(text) => Ok(Value::from(text.as_str())),
            Kind::Number(number) => Ok(number::make(*number)),
            Kind::Bool(value) => Ok(Value::from(*value)),
            Kind::Null => Ok(Value::from(())),
            Kind::Regex { body, flags } => {
                let runtime = self.runtime;
                self.runtime.regexes.value(body, flags, runtime)
            }
            Kind::Name(name) => Ok(self.runtime.variable(self.here, name)),
            Kind::Local(name) => Ok(self.runtime.local(self.here, name)),
            Kind::Member(target, name) => self.member(target, name),
            Kind::Index(target, index) => self.index(target, index),
            Kind::Call(target, arguments) => self.call(target, arguments, None),
            Kind::Filter(target, name, arguments) => self.filtered(target, name, arguments),
            Kind::Test(target, name, arguments) => self.tested(target, name, arguments),
            Kind::Array(items) => self.array(items),
            Kind::Group(items) => self.group(items),
            Kind::Dict(pairs) => self.dict(pairs),
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
            Kind::Unary(operator, target) => self.unary(*operator, target),
            Kind::In(item, container) => self.contains(item, container),
            Kind::InlineIf {
                condition,
                then,
                otherwise,
            } => self.inline_if(condition, then, otherwise.as_deref()),
        }
    }

    fn member(&self, target: &Expression, name: &Name) -> Result<Value, Error> {
        let target = self.expression(target)?;
        methods::named_member(self.runtime, &target, &name.text)
    }

    fn index(&self, target: &Expression, index: &Expression) -> Result<Value, Error> {
        let target = self.expression(target)?;
        let index = self.expression(index)?;
        methods::member(self.runtime, &target, &index)
    }

    fn array(&self, items: &[Expression]) -> Result<Value, Error> {
        let items = self.list(items)?;
        self.runtime.array(items)
    }

    fn group(&self, items: &[Expression]) -> Result<Value, Error> {
        let mut last = Value::UNDEFINED;
        for item in items {
            last = self.expression(item)?;
        }
        Ok(last)
    }

    fn dict(&self, pairs: &[(Name, Expression)]) -> Result<Value, Error> {
        let entries = self.entries(pairs)?;
        self.runtime.dict(entries)
    }

    fn contains(&self, item: &Expression, container: &Expression) -> Result<Value, Error> {
        let item = self.expression(item)?;
        let container = self.expression(container)?;
        operator::contains(self.runtime, &item, &container)
    }

    pub(super) fn list(&self, items: &[Expression]) -> Result<Vec<Value>, Error> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(self.expression(item)?);
        }
        Ok(values)
    }

    pub(super) fn entries(&self, pairs: &[(Name, Expression)]) -> Result<Entries, Error> {
        let mut entries = Entries::with_capacity(pairs.len());
        for (key, value) in pairs {
            entries.insert(Arc::from(&*key.text), self.expression(value)?);
        }
        Ok(entries)
    }

    fn filtered(
        &self,
        target: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let target = self.expression(target)?;
        self.filter(&target, name, arguments)
    }

    fn tested(
        &self,
        target: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let target = self.expression(target)?;
        let test = tests::find(&name.text);
        let test = test.ok_or_else(|| tests::unknown(&self.written(name.span)));
        self.native(test, &target, name, arguments)
    }

    /// Applies the filter that the template names.
    pub(super) fn filter(
        &self,
        target: &Value,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let filter = filters::find(&name.text);
        let filter = filter.ok_or_else(|| filters::unknown(&self.written(name.span)));
        self.native(filter, target, name, arguments)
    }

    /// Applies a filter or a test, if there is one of that name.
    fn native(
        &self,
        native: Result<Native, Error>,
        target: &Value,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let arguments = self.arguments(arguments, None)?;
        let result = native.and_then(|native| native(self.runtime, target, &arguments));
        self.at(name.span, result)
    }

    fn binary(
        &self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Result<Value, Error> {
        let left = self.expression(left)?;
        match operator {
            Binary::Or if left.is_true() => Ok(left),
            Binary::And if !left.is_true() => Ok(left),
            Binary::Or | Binary::And => self.expression(right),
            _ => operator::apply(self.runtime, operator, &left, &self.expression(right)?),
        }
    }

    fn unary(&self, operator: Unary, target: &Expression) -> Result<Value, Error> {
        let target = self.expression(target)?;
        operator::apply_unary(self.runtime, operator, &target)
    }

    fn inline_if(
        &self,
        condition: &Expression,
        then: &Expression,
        otherwise: Option<&Expression>,
    ) -> Result<Value, Error> {
        if self.expression(condition)?.is_true() {
            self.take(condition.span, BranchKind::If);
            return self.expression(then);
        }
        let Some(otherwise) = otherwise else {
            return Ok(Value::from(""));
        };
        self.take(condition.span, BranchKind::Else);
        self.expression(otherwise)
    }
}
