//! Operators, and what their operands cannot be.

use super::checker::Checker;
use super::filter::is_free_text;
use super::lattice::{Absent, Any, FALSE, NULL, TRUE, Type};
use super::literal::Strings;
use super::problem::{Habit, Problem};
use crate::ast::{Binary, Expression, Kind};

impl Checker<'_> {
    pub(super) fn binary(
        &mut self,
        one: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Type {
        if let Some(ty) = self.comparison(one, operator, left, right) {
            return ty;
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
                joined(&first, &second)
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
            Kind::InlineIf { then, .. } if !ty.prints_as_object() => {
                let ty = self.quietly(|this| this.expression(then));
                self.printed(then, &ty);
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

/// The type of two texts one after the other: known if both are.
fn joined(left: &Type, right: &Type) -> Type {
    const MAX: usize = 64;
    let known = |ty: &Type| {
        let is_text = ty.is_scalar() && ty.number.is_none() && ty.simple & (TRUE | FALSE) == 0;
        let strings = ty
            .string
            .as_ref()
            .filter(|_| is_text && ty.absent == Absent::Never);
        strings.and_then(|strings| strings.known.clone())
    };
    let (Some(first), Some(second)) = (known(left), known(right)) else {
        return Type::string();
    };
    if first.len() * second.len() > MAX {
        return Type::string();
    }
    let both = first
        .iter()
        .flat_map(|one| second.iter().map(move |other| format!("{one}{other}")));
    let mut strings = both.map(|text| Type::text(Strings::literal(&text)));
    let union = strings
        .next()
        .map(|one| strings.fold(one, |all, one| all.union(&one)));
    union.unwrap_or_else(Type::string)
}
