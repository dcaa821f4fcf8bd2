//! The types of expressions, and what contradicts them.

use std::collections::BTreeMap;

use super::checker::Checker;
use super::compare::is_comparison;
use super::lattice::{Absent, FALSE, TRUE, Type};
use super::literal::{Numbers, Strings};
use super::object::{Object, Presence, Property};
use super::problem::Problem;
use super::scope::{Place, Role};
use crate::ast::{Arguments, Binary, Expression, Kind, Name, Unary};

impl Checker<'_> {
    /// The type of an expression whose value is used.
    pub(super) fn expression(&mut self, one: &Expression) -> Type {
        let printing = self.printing;
        let passes = match &one.kind {
            Kind::Name(_)
            | Kind::Member(..)
            | Kind::Index(..)
            | Kind::Group(_)
            | Kind::InlineIf { .. } => true,
            Kind::Binary(operator, ..) => {
                !is_comparison(*operator) && !matches!(operator, Binary::And | Binary::Or)
            }
            Kind::Call(target, _) => matches!(target.kind, Kind::Member(..)),
            Kind::Filter(_, name, _) => !matches!(name.text.as_str(), "length" | "default" | "d"),
            _ => false,
        };
        self.printing = printing && passes;
        let ty = self.kind(one);
        self.printing = printing;
        ty
    }

    fn kind(&mut self, one: &Expression) -> Type {
        match &one.kind {
            Kind::Str(text) => Type::text(Strings::literal(text)),
            Kind::Number(number) => Type::numeric(Numbers::of_literal(*number)),
            Kind::Bool(value) => Type::literal_boolean(*value),
            Kind::Null => Type::null(),
            Kind::Regex { .. } => Type::unknown().defined(),
            // No tree that is analysed is resolved.
            Kind::Local(_) => Type::unknown(),
            Kind::Name(_) | Kind::Member(..) | Kind::Index(..) => self.read(one),
            Kind::Call(target, arguments) => self.call(one, target, arguments),
            Kind::Filter(target, name, arguments) => self.filter(one, target, name, arguments),
            Kind::Array(items) => self.array(items),
            Kind::Group(items) => self.group(items),
            Kind::Dict(pairs) => self.dictionary(pairs),
            Kind::Binary(Binary::And | Binary::Or, ..) => {
                self.dropped_by_or(one);
                self.judge(one).ty
            }
            Kind::Binary(operator, left, right) => self.binary(one, *operator, left, right),
            Kind::Unary(Unary::Not, _) | Kind::Test(..) | Kind::In(..) => self.judge(one).ty,
            Kind::Unary(_, target) => {
                let ty = self.expression(target);
                self.need(target, &ty);
                self.arithmetic(target, &ty);
                Type::number()
            }
            Kind::InlineIf {
                condition,
                then,
                otherwise,
            } => self.inline_if(condition, then, otherwise.as_deref()),
        }
    }

    /// The place that an expression names, if nothing can change it.
    pub(super) fn place(&self, one: &Expression) -> Option<Place> {
        let (target, member) = match &one.kind {
            Kind::Name(name) => {
                let binding = self.scope.get(name)?;
                let fixed = !binding.volatile && binding.role == Role::Value;
                return fixed.then(|| Place {
                    root: binding.id,
                    path: String::new(),
                });
            }
            Kind::Group(items) => match items.as_slice() {
                [only] => return self.place(only),
                _ => return None,
            },
            Kind::Member(target, name) => (target, name.text.clone()),
            Kind::Index(target, index) => match &index.kind {
                Kind::Str(text) => (target, text.clone()),
                Kind::Number(number) => (target, number.to_string()),
                _ => {
                    let Place { root, path } = self.place(index)?;
                    (target, format!("[{root}{path}]"))
                }
            },
            _ => return None,
        };
        Some(self.place(target)?.member(&member))
    }

    /// The value of a name, a member or an index, as the conditions around it narrow it.
    fn read(&mut self, one: &Expression) -> Type {
        let printing = std::mem::replace(&mut self.printing, false);
        let ty = match &one.kind {
            Kind::Name(name) => self.name(name),
            Kind::Member(target, name) => {
                let owner = self.expression(target);
                self.member(target, &owner, &name.text, name.span)
            }
            Kind::Index(target, index) => self.index(target, index),
            _ => Type::unknown(),
        };
        self.printing = printing;
        let Some(place) = self.place(one) else {
            return ty;
        };
        let Some(fact) = self.scope.fact(&place).cloned() else {
            return ty;
        };
        if let Some(others) = &fact.others
            && self.are_false(others)
        {
            return fact.ty.truthy();
        }
        if let (true, Some((span, dropped))) = (self.printing, fact.dropped) {
            let value = self.text(one.span);
            self.report(span, Problem::Dropped { value, dropped });
        }
        fact.ty
    }

    pub(super) fn name(&mut self, name: &str) -> Type {
        match self.scope.get(name) {
            Some(binding) if binding.role == Role::Value => binding.ty.clone(),
            _ => Type::unknown(),
        }
    }

    /// The first part of an expression that may be undefined.
    pub(super) fn culprit<'e>(&mut self, one: &'e Expression) -> &'e Expression {
        let inner = match &one.kind {
            Kind::Member(target, _) | Kind::Index(target, _) => target,
            Kind::Group(items) if items.len() == 1 => &items[0],
            Kind::Binary(Binary::Or, _, right) => right,
            _ => return one,
        };
        let ty = self.quietly(|this| this.expression(inner));
        if ty.absent == Absent::Declared {
            self.culprit(inner)
        } else {
            one
        }
    }

    fn array(&mut self, items: &[Expression]) -> Type {
        let mut all: Option<Type> = None;
        for item in items {
            let ty = self.expression(item).widened();
            self.escape(&ty);
            all = Some(match all {
                Some(before) => before.union(&ty),
                None => ty,
            });
        }
        Type::list(all.unwrap_or_else(Type::unknown))
    }

    fn group(&mut self, items: &[Expression]) -> Type {
        let mut last = Type::unknown();
        for item in items {
            last = self.expression(item);
        }
        last
    }

    fn dictionary(&mut self, pairs: &[(Name, Expression)]) -> Type {
        let mut properties = BTreeMap::new();
        for (key, value) in pairs {
            let ty = self.expression(value).widened();
            self.escape(&ty);
            let presence = match ty.absent {
                Absent::Never => Presence::Required,
                _ => Presence::Unclear,
            };
            let property = Property {
                ty: ty.defined(),
                presence,
                origins: Vec::new(),
            };
            properties.insert(key.text.clone(), property);
        }
        Type::object(Object {
            properties,
            open: false,
            rest: None,
        })
    }

    fn inline_if(
        &mut self,
        condition: &Expression,
        then: &Expression,
        otherwise: Option<&Expression>,
    ) -> Type {
        let printing = std::mem::replace(&mut self.printing, false);
        if let Some(otherwise) = otherwise {
            self.missing_inline(condition, otherwise);
        }
        let judged = self.condition(condition, otherwise.is_some());
        self.printing = printing;
        let mark = self.scope.facts_mark();
        self.scope.learn(&judged.yes);
        let dead = !judged.ty.may_hold();
        let first = self.branch(dead, |this| this.expression(then));
        self.scope.forget_to(mark);
        self.scope.learn(&judged.no);
        let dead = !judged.ty.may_fail();
        let second = match otherwise {
            Some(otherwise) => self.branch(dead, |this| this.expression(otherwise)),
            None => Type {
                absent: Absent::Perhaps,
                ..Type::default()
            },
        };
        self.scope.forget_to(mark);
        self.union(&first, &second)
    }

    /// Runs `work`, without reports in a branch that is never taken.
    pub(super) fn branch<T>(&mut self, dead: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        if dead { self.quietly(work) } else { work(self) }
    }

    /// The types of arguments; each is used.
    pub(super) fn arguments(&mut self, arguments: &Arguments) -> Vec<Type> {
        let mut types = Vec::new();
        for argument in arguments.iter() {
            let ty = self.expression(argument);
            self.need(argument, &ty);
            self.escape(&ty);
            types.push(ty);
        }
        types
    }
}

impl Type {
    pub(super) fn is_only_number(&self) -> bool {
        self.number.is_some()
            && self.is_scalar()
            && self.string.is_none()
            && self.simple & (TRUE | FALSE) == 0
    }
}
