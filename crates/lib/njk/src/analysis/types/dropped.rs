//! Values that are dropped by asking whether they are there.

use super::checker::Checker;
use super::lattice::{Absent, Any, FALSE, NULL, TRUE, Type};
use super::problem::Problem;
use crate::ast::{Binary, Expression, Kind};

impl Checker<'_> {
    /// Reports `value or other` if it drops a value that is there.
    pub(super) fn dropped_by_or(&mut self, one: &Expression) {
        let Kind::Binary(Binary::Or, left, right) = &one.kind else {
            return;
        };
        if self.place(left).is_none() {
            return;
        }
        let ty = self.quietly(|this| this.expression(left));
        let is_text = matches!(&right.kind, Kind::Str(text) if !text.is_empty());
        let is_certain = ty.is_only_list() || ty.is_only_object() || self.is_declared(left);
        if is_text && !ty.may_fail() && is_certain {
            self.never_other(left);
            return;
        }
        let drops = match (droppable(&ty), &right.kind) {
            (Some("0"), Kind::Number(number)) => *number != 0.0,
            (Some("0"), _) | (Some(_), Kind::Bool(true)) => true,
            (Some("false"), Kind::Str(text)) => !text.is_empty(),
            _ => false,
        };
        if drops {
            let value = self.text(left.span);
            let dropped = droppable(&ty).unwrap_or_default();
            self.report(left.span, Problem::Dropped { value, dropped });
        }
    }
}

impl Checker<'_> {
    /// Reports that what stands for a value is never needed.
    pub(super) fn never_other(&mut self, value: &Expression) {
        let condition = self.text(value.span);
        let holds = true;
        self.report(value.span, Problem::NeverTaken { condition, holds });
    }

    /// Whether an expression is an argument of the call, or a member of one, that nothing in the
    /// template sets.
    pub(super) fn is_declared(&self, one: &Expression) -> bool {
        match &one.kind {
            Kind::Name(name) => self.variables.contains_key(name) && !self.assigned.contains(name),
            Kind::Member(target, _) => self.is_declared(target),
            Kind::Group(items) if items.len() == 1 => self.is_declared(&items[0]),
            _ => false,
        }
    }
}

/// The value that asking whether a value is there drops as well.
pub(super) fn droppable(ty: &Type) -> Option<&'static str> {
    let asked = ty.absent == Absent::Declared || ty.simple & NULL != 0;
    if !asked || ty.any != Any::No || ty.list.is_some() || ty.object.is_some() {
        return None;
    }
    if ty.number.as_ref().is_some_and(|numbers| numbers.zero) {
        Some("0")
    } else if ty.simple & FALSE != 0 && ty.simple & TRUE != 0 {
        Some("false")
    } else if ty
        .string
        .as_ref()
        .is_some_and(|it| it.empty && it.of_enum().is_some())
    {
        Some("\"\"")
    } else {
        None
    }
}
