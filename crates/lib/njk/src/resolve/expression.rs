//! The variables in expressions.

use super::{Resolver, is_super};
use crate::ast::{Arguments, Expression, Kind};
use crate::coverage::BranchKind;

impl Resolver {
    pub(super) fn expression(&mut self, one: &mut Expression) {
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

    pub(super) fn arguments(&mut self, arguments: &mut Arguments) {
        let keyword = arguments.keyword.iter_mut().map(|(_, value)| value);
        for argument in arguments.positional.iter_mut().chain(keyword) {
            self.expression(argument);
        }
    }
}
