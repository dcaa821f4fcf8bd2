//! Expressions.

use std::sync::Arc;

use minijinja::value::Value;

use super::{Evaluator, operator};
use crate::ast::{Arguments, Binary, Expression, Kind, Name, Unary};
use crate::coverage::BranchKind;
use crate::error::{Error, ErrorKind};
use crate::methods;
use crate::native::{Native, unknown};
use crate::regex::Regex;
use crate::value::dict::Entries;
use crate::value::number;
use crate::{filters, tests};

impl Evaluator<'_> {
    pub(super) fn expression(&self, one: &Expression) -> Result<Value, Error> {
        let result = self.runtime.step(|| self.value(one));
        self.at(one.span, result)
    }

    fn value(&self, one: &Expression) -> Result<Value, Error> {
        match &one.kind {
            Kind::Str(text) => Ok(Value::from(text.as_str())),
            Kind::Number(number) => Ok(number::make(*number)),
            Kind::Bool(value) => Ok(Value::from(*value)),
            Kind::Null => Ok(Value::from(())),
            Kind::Regex { body, flags } => Regex::value(body, flags),
            Kind::Name(name) => Ok(self.runtime.variable(self.here, name)),
            Kind::Local(name) => Ok(self.runtime.local(self.here, name)),
            Kind::Member(target, name) => {
                let target = self.expression(target)?;
                methods::named_member(self.runtime, &target, &name.text)
            }
            Kind::Index(target, index) => {
                let (target, index) = (self.expression(target)?, self.expression(index)?);
                methods::member(self.runtime, &target, &index)
            }
            Kind::Call(target, arguments) => self.call(target, arguments, None),
            Kind::Filter(target, name, arguments) => {
                let target = self.expression(target)?;
                self.filter(&target, name, arguments)
            }
            Kind::Test(target, name, arguments) => {
                let target = self.expression(target)?;
                let test = tests::named(&name.text);
                self.native(test, &target, name, arguments)
            }
            Kind::Array(items) => self.runtime.budget.array(self.list(items)?),
            Kind::Group(items) => Ok(self.list(items)?.pop().unwrap_or_default()),
            Kind::Dict(pairs) => self.runtime.budget.dict(self.entries(pairs)?),
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
            Kind::Unary(operator, target) => self.unary(*operator, target),
            Kind::In(item, container) => {
                let (item, container) = (self.expression(item)?, self.expression(container)?);
                operator::contains(self.runtime, &item, &container)
            }
            Kind::InlineIf {
                condition,
                then,
                otherwise,
            } => self.inline_if(condition, then, otherwise.as_deref()),
        }
    }

    fn list(&self, items: &[Expression]) -> Result<Vec<Value>, Error> {
        items.iter().map(|item| self.expression(item)).collect()
    }

    pub(super) fn entries(&self, pairs: &[(Name, Expression)]) -> Result<Entries, Error> {
        let mut entries = Entries::with_capacity(pairs.len());
        for (key, value) in pairs {
            entries.insert(Arc::from(&*key.text), self.expression(value)?);
        }
        Ok(entries)
    }

    /// Applies the filter that the template names.
    pub(super) fn filter(
        &self,
        target: &Value,
        name: &Name,
        arguments: &Arguments,
    ) -> Result<Value, Error> {
        let filter = filters::find(&name.text).ok_or_else(|| {
            let known = &mut filters::names();
            unknown(ErrorKind::UnknownFilter, "filter", &name.text, known)
        });
        self.native(filter, target, name, arguments)
    }

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
