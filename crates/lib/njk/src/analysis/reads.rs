//! The reads of variables in an expression, and which of them are guarded.

use super::guard;
use super::{Analyst, Read};
use crate::ast::{Arguments, Expression, Kind, Unary};
use crate::error::Span;
use crate::globals;

impl Analyst<'_> {
    /// Reads an expression whose value is only checked for being defined.
    pub(super) fn question(&mut self, expression: &Expression) {
        self.expression(expression, true);
    }

    pub(super) fn read(&mut self, expression: &Expression) {
        self.expression(expression, false);
    }

    fn expression(&mut self, expression: &Expression, asked: bool) {
        match &expression.kind {
            Kind::Name(name) => {
                let guarded = asked || self.guards.contains(name);
                self.note(name, expression.span, guarded);
            }
            Kind::InlineIf {
                condition,
                then,
                otherwise,
            } => {
                self.question(condition);
                let before = self.guards.len();
                self.guards.extend(guard::when_true(condition));
                self.expression(then, asked);
                self.guards.truncate(before);
                self.guards.extend(guard::when_false(condition));
                if let Some(otherwise) = otherwise {
                    self.expression(otherwise, asked);
                }
                self.guards.truncate(before);
            }
            Kind::Binary(operator, left, right) => {
                let asks = guard::asks(*operator);
                self.expression(left, asked || asks);
                let before = self.guards.len();
                self.guards.extend(guard::after(*operator, left));
                self.expression(right, asked);
                self.guards.truncate(before);
            }
            Kind::Unary(Unary::Not, target) => self.expression(target, true),
            Kind::Test(target, _, arguments) => {
                self.expression(target, true);
                self.arguments(arguments);
            }
            Kind::Filter(target, name, arguments) => {
                let default = matches!(name.text.as_str(), "default" | "d");
                self.expression(target, default || (asked && name.text == "length"));
                self.arguments(arguments);
            }
            Kind::Group(items) if items.len() == 1 => {
                for item in items {
                    self.expression(item, asked);
                }
            }
            Kind::Member(target, _) | Kind::Index(target, _) if asked => {
                self.expression(target, true);
                if let Kind::Index(_, index) = &expression.kind {
                    self.read(index);
                }
            }
            kind => {
                for child in kind.children() {
                    self.read(child);
                }
            }
        }
    }

    fn note(&mut self, name: &str, span: Span, guarded: bool) {
        if globals::NAMES.contains(&name)
            || matches!(name, "super" | "undefined")
            || self.bound.iter().any(|bound| bound == name)
        {
            return;
        }
        if let Some(place) = self.places.get(name) {
            self.found.reads[*place].guarded &= guarded;
            return;
        }
        let (line, column) = self.positions.at(span.start as usize);
        self.places.insert(name.to_owned(), self.found.reads.len());
        self.found.reads.push(Read {
            name: name.to_owned(),
            guarded,
            line,
            column,
        });
    }

    pub(super) fn arguments(&mut self, arguments: &Arguments) {
        for argument in arguments.iter() {
            self.read(argument);
        }
    }
}
