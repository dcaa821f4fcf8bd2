//! The types of expressions, and what contradicts them.

use std::collections::BTreeMap;

use super::checker::{Checker, Place, Role};
use super::compare::is_comparison;
use super::filter::is_free_text;
use super::lattice::{Absent, Any, FALSE, NULL, Numbers, Object, Property, Strings, TRUE, Type};
use super::problem::{Habit, Problem};
use crate::ast::{Arguments, Binary, Expression, InlineIf, Kind, Name, Unary};

impl Checker<'_> {
    /// The type of an expression whose value is used.
    pub(super) fn expression(&mut self, one: &Expression) -> Type {
        let printing = self.printing;
        let passes = match &one.kind {
            Kind::Name(_)
            | Kind::Member(..)
            | Kind::Index(..)
            | Kind::Group(_)
            | Kind::InlineIf(_) => true,
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
            Kind::Name(_) | Kind::Member(..) | Kind::Index(..) => self.read(one),
            Kind::Call(target, arguments) => self.call(one, target, arguments),
            Kind::Filter(target, name, arguments) => self.filter(one, target, name, arguments),
            Kind::Array(items) => self.array(items),
            Kind::Group(items) => self.group(items),
            Kind::Dict(pairs) => self.dictionary(pairs),
            Kind::Binary(Binary::And | Binary::Or, ..) => {
                self.needless_or(one);
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
            Kind::InlineIf(one) => self.inline_if(one),
        }
    }

    /// The place that an expression names, if nothing can change it.
    pub(super) fn place(&self, one: &Expression) -> Option<Place> {
        let (target, member) = match &one.ungrouped().kind {
            Kind::Name(name) => {
                let binding = self.scope.get(name)?;
                let fixed = !binding.volatile && binding.role == Role::Value;
                return fixed.then(|| Place {
                    root: binding.id,
                    path: String::new(),
                });
            }
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
        let place = self.place(one);
        let fact = place.and_then(|place| self.scope.fact(&place).cloned());
        fact.unwrap_or(ty)
    }

    pub(super) fn name(&mut self, name: &str) -> Type {
        match self.scope.get(name) {
            Some(binding) if binding.role == Role::Value => binding.ty.clone(),
            None if name == "undefined" => Type::null(),
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
        let types = items.iter().map(|item| {
            let ty = self.expression(item).widened();
            self.escape(&ty);
            ty
        });
        let all = types.reduce(|before, ty| before.union(&ty));
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
            let property = Property {
                ty: ty.lenient(),
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

    fn inline_if(&mut self, one: &InlineIf) -> Type {
        let printing = std::mem::replace(&mut self.printing, false);
        let judged = self.condition(&one.condition, one.otherwise.is_some());
        self.printing = printing;
        let mark = self.scope.facts_mark();
        self.scope.learn(&judged.yes);
        let first = self.expression(&one.then);
        self.scope.forget_to(mark);
        self.scope.learn(&judged.no);
        let second = match &one.otherwise {
            Some(otherwise) => self.expression(otherwise),
            None => Type::absent(),
        };
        self.scope.forget_to(mark);
        self.union(&first, &second)
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

impl Checker<'_> {
    pub(super) fn binary(
        &mut self,
        one: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Type {
        if is_comparison(operator) {
            return self.judge_comparison(one, operator, left, right).ty;
        }
        let (first, second) = (self.expression(left), self.expression(right));
        for (part, ty) in [(left, &first), (right, &second)] {
            self.need(part, ty);
            self.escape(ty);
        }
        let is_text = |ty: &Type| ty.string.is_some() && ty.any == Any::No;
        match operator {
            Binary::Concat => {
                self.printed(left, &first);
                self.printed(right, &second);
                Type::string()
            }
            Binary::Add => {
                if first.is_only_list() && second.is_only_list() {
                    self.report(one.span, Problem::Habit(Habit::SumOfLists));
                    return Type::string();
                }
                self.printed(left, &first);
                self.printed(right, &second);
                self.sum_of_text(one, left, &second);
                if first.number.is_some() && first.is_only_number() && second.is_only_number() {
                    Type::number()
                } else if is_text(&first) && first.is_scalar() {
                    Type::string()
                } else {
                    Type::unknown().defined()
                }
            }
            _ => {
                self.arithmetic(left, &first);
                self.arithmetic(right, &second);
                Type::number()
            }
        }
    }

    /// `"a" ~ b + 1`, which joins what is meant to be added.
    fn sum_of_text(&mut self, one: &Expression, left: &Expression, second: &Type) {
        let Kind::Binary(Binary::Concat | Binary::Add, _, inner) = &left.kind else {
            return;
        };
        let is_concat = matches!(&left.kind, Kind::Binary(Binary::Concat, ..));
        let before = self.quietly(|this| this.expression(inner));
        let text = self.quietly(|this| this.expression(left));
        let joined = is_concat || (text.string.is_some() && text.is_scalar());
        if joined && before.is_only_number() && second.is_only_number() {
            self.report(one.span, Problem::Habit(Habit::SumOfText));
        }
    }

    /// Reports operands that are no numbers, whatever their value is.
    pub(super) fn arithmetic(&mut self, operand: &Expression, ty: &Type) {
        let is_word = |text: &str| text.trim().parse::<f64>().is_err() && !text.trim().is_empty();
        let words = |strings: &Strings| {
            let known = strings.known.as_deref();
            known.is_some_and(|known| known.iter().all(|text| is_word(text)))
        };
        let only_text = ty.is_scalar() && ty.number.is_none() && ty.simple & (TRUE | FALSE) == 0;
        if only_text && ty.string.as_ref().is_some_and(words) {
            self.report(operand.span, Problem::Habit(Habit::RepeatedText));
        } else if ty.is_only_object() {
            let value = self.text(operand.span);
            self.report(operand.span, Problem::PrintedObject { value, list: false });
        } else {
            self.number_operand("arithmetic", operand, ty);
        }
    }

    /// Reports what `operation` takes as a number and is none.
    pub(super) fn number_operand(&mut self, operation: &str, operand: &Expression, ty: &Type) {
        let is_text = is_free_text(ty) && self.is_declared(operand);
        if is_text || ty.is_only_list() || ty.is_only_object() {
            let problem = Problem::WrongOperand {
                operation: operation.to_owned(),
                value: self.text(operand.span),
                kind: ty.kind(),
                expected: "a number",
            };
            self.report(operand.span, problem);
        }
    }

    /// Reports a list that is compared with one value.
    pub(super) fn list_operand(&mut self, one: &Expression, ty: &Type, other: &Type) {
        let is_list = ty.is_only_list() && ty.absent == Absent::Never && ty.simple & NULL == 0;
        if is_list && other.is_scalar() && other.absent == Absent::Never {
            let value = self.text(one.span);
            self.report(one.span, Problem::ComparedList { value });
        }
    }

    /// Reports a text that is compared with a number by order: what is no number is neither less
    /// nor greater.
    pub(super) fn text_operand(&mut self, one: &Expression, ty: &Type, other: &Type) {
        if is_free_text(ty) && other.is_only_number() && self.is_declared(one) {
            let value = self.text(one.span);
            self.report(one.span, Problem::ComparedText { value });
        }
    }

    /// Reports an object that is printed, also as one of two values.
    pub(super) fn printed_parts(&mut self, one: &Expression, ty: &Type) {
        match &one.kind {
            Kind::Group(items) if items.len() == 1 => self.printed_parts(&items[0], ty),
            Kind::InlineIf(inner) if !ty.prints_as_object() => {
                let ty = self.quietly(|this| this.expression(&inner.then));
                self.printed(&inner.then, &ty);
            }
            _ => self.printed(one, ty),
        }
    }

    /// Reports an object that is printed or joined to text.
    pub(super) fn printed(&mut self, one: &Expression, ty: &Type) {
        if ty.prints_as_object() {
            let value = self.text(one.span);
            let list = ty.list.is_some();
            self.report(one.span, Problem::PrintedObject { value, list });
        }
    }
}
