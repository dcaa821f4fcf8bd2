//! Comparisons that cannot hold.

use std::sync::Arc;

use super::checker::Checker;
use super::condition::{Judged, fact, flag};
use super::lattice::{Absent, Any, FALSE, LOOP, NULL, SAFE, TRUE, Type};
use super::literal::Numbers;
use super::problem::{Habit, Problem};
use super::scope::Facts;
use crate::ast::{Binary, Expression, Kind, Unary};
use crate::suggest::nearest;
use crate::value::number;

impl Checker<'_> {
    /// The type of a comparison; `None` for another operator.
    pub(super) fn comparison(
        &mut self,
        one: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Option<Type> {
        is_comparison(operator).then(|| self.judge_comparison(one, operator, left, right).ty)
    }

    pub(super) fn judge_comparison(
        &mut self,
        one: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Judged {
        let (strict, unequal) = match operator {
            Binary::Equal => (false, false),
            Binary::Unequal => (false, true),
            Binary::StrictEqual => (true, false),
            Binary::StrictUnequal => (true, true),
            Binary::Less | Binary::Greater | Binary::LessEqual | Binary::GreaterEqual => {
                return self.order(one, operator, left, right);
            }
            _ => {
                let ty = self.expression(one);
                return Judged::of(ty);
            }
        };
        if matches!(left.kind, Kind::Unary(Unary::Not, _)) {
            self.report(one.span, Problem::Habit(Habit::NotComparison));
        }
        let judged = self.equality(one, left, right, strict);
        if unequal { judged.negated() } else { judged }
    }

    /// Whether two values are equal.
    pub(super) fn equality(
        &mut self,
        one: &Expression,
        left: &Expression,
        right: &Expression,
        strict: bool,
    ) -> Judged {
        let (first, second) = (self.expression(left), self.expression(right));
        self.escape(&first);
        self.escape(&second);
        let may_hold = may_equal(&first, &second, strict);
        if !may_hold {
            self.report_impossible(one, (left, right), strict);
        }
        let (mut yes, mut no) = (Facts::new(), Facts::new());
        for (side, ty, other) in [(left, &first, &second), (right, &second, &first)] {
            if let Some(place) = self.place(side)
                && is_constant(other)
            {
                let narrowed = equal_to(ty, other, strict);
                if other.simple & NULL == 0 {
                    yes.extend(self.prefixes(side));
                }
                yes.push((place.clone(), fact(narrowed)));
                no.push((place, fact(different_from(ty, other, strict))));
            } else if other.simple & NULL == 0 && other.absent == Absent::Never {
                yes.extend(self.mentioned(side));
            }
        }
        Judged {
            ty: flag(may_hold, true),
            yes,
            no,
        }
    }

    /// Reports a comparison with a value that is never there; one that only the conditions around
    /// it exclude is a dead branch.
    fn report_impossible(
        &mut self,
        one: &Expression,
        (left, right): (&Expression, &Expression),
        strict: bool,
    ) {
        let types = self.unnarrowed(|this| (this.expression(left), this.expression(right)));
        if may_equal(&types.0, &types.1, strict)
            || types.0.simple & !(TRUE | FALSE) != 0
            || types.1.simple & !(TRUE | FALSE) != 0
        {
            return;
        }
        let (value, other, ty) = if is_literal(left) {
            (right, left, types.1)
        } else {
            (left, right, types.0)
        };
        self.report_never(one, value, other, &ty);
    }

    pub(super) fn report_never(
        &mut self,
        one: &Expression,
        value: &Expression,
        other: &Expression,
        ty: &Type,
    ) {
        let strings = ty.string.as_ref().and_then(|it| it.of_enum());
        let known: Vec<String> = strings
            .into_iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        let meant = match &other.kind {
            Kind::Str(text) => nearest(text, known.iter().map(String::as_str)),
            _ => None,
        };
        let problem = Problem::Impossible {
            meant: meant.map(str::to_owned),
            value: self.text(value.span),
            other: self.text(other.span),
            known,
        };
        self.report(one.span, problem);
    }

    fn order(
        &mut self,
        one: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Judged {
        let (first, second) = (self.expression(left), self.expression(right));
        for (side, ty) in [(left, &first), (right, &second)] {
            self.escape(ty);
            if ty.is_only_object() {
                let value = self.text(side.span);
                self.report(side.span, Problem::PrintedObject { value, list: false });
            }
        }
        let mut may_hold = true;
        if let (Some(one_range), Some(other_range)) = (range(&first), range(&second)) {
            may_hold = match operator {
                Binary::Less => one_range.min < other_range.max,
                Binary::LessEqual => one_range.min <= other_range.max,
                Binary::Greater => one_range.max > other_range.min,
                _ => one_range.max >= other_range.min,
            };
            if !may_hold {
                let types = self.unnarrowed(|this| (this.expression(left), this.expression(right)));
                if range(&types.0) == Some(one_range) && range(&types.1) == Some(other_range) {
                    let (value, other) = (self.text(left.span), self.text(one.span));
                    let other = other
                        .strip_prefix(&value)
                        .unwrap_or(&other)
                        .trim()
                        .to_owned();
                    let problem = Problem::Impossible {
                        value,
                        other,
                        known: Vec::new(),
                        meant: None,
                    };
                    self.report(one.span, problem);
                }
            }
        }
        let mut yes = self.mentioned(left);
        yes.extend(self.mentioned(right));
        Judged {
            ty: flag(may_hold, true),
            yes,
            no: Facts::new(),
        }
    }
}

pub(super) fn is_comparison(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Equal
            | Binary::Unequal
            | Binary::StrictEqual
            | Binary::StrictUnequal
            | Binary::Less
            | Binary::Greater
            | Binary::LessEqual
            | Binary::GreaterEqual
    )
}

pub(super) fn is_literal(one: &Expression) -> bool {
    matches!(
        one.kind,
        Kind::Str(_) | Kind::Number(_) | Kind::Bool(_) | Kind::Null
    )
}

/// Whether a type has one value, or is that of null.
fn is_constant(ty: &Type) -> bool {
    let strings = ty.string.as_ref().and_then(|it| it.known.as_ref());
    let numbers = ty.number.as_ref().and_then(|it| it.known.as_ref());
    let count = strings.map_or(0, |it| it.len())
        + numbers.map_or(0, |it| it.len())
        + usize::from(ty.simple.count_ones() == 1);
    ty.any == Any::No
        && ty.absent == Absent::Never
        && ty.list.is_none()
        && ty.object.is_none()
        && (ty.string.is_none() || strings.is_some())
        && (ty.number.is_none() || numbers.is_some())
        && count == 1
}

/// The numbers that are compared, if nothing but numbers is.
fn range(ty: &Type) -> Option<&Numbers> {
    let only = ty.is_only_number() && ty.simple & NULL == 0;
    ty.number.as_ref().filter(|_| only)
}

/// Whether values of both types can be equal; true if nothing is known.
pub(super) fn may_equal(left: &Type, right: &Type, strict: bool) -> bool {
    let opaque = |ty: &Type| ty.any != Any::No || ty.simple & (SAFE | LOOP) != 0;
    if opaque(left) || opaque(right) {
        return true;
    }
    let nothing = |ty: &Type| ty.simple & NULL != 0 || ty.absent != Absent::Never;
    if nothing(left) && nothing(right) {
        return true;
    }
    let lists = left.list.is_some() && right.list.is_some();
    let objects = left.object.is_some() && right.object.is_some();
    if lists || objects || left.simple & right.simple & (TRUE | FALSE) != 0 {
        return true;
    }
    if let (Some(one), Some(other)) = (&left.string, &right.string) {
        let may = match (&one.known, &other.known) {
            (Some(one), Some(other)) => one.iter().any(|value| other.contains(value)),
            (Some(known), None) => known.iter().any(|value| !value.is_empty() || other.empty),
            (None, Some(known)) => known.iter().any(|value| !value.is_empty() || one.empty),
            (None, None) => true,
        };
        if may {
            return true;
        }
    }
    if let (Some(one), Some(other)) = (&left.number, &right.number)
        && overlap(one, other)
    {
        return true;
    }
    !strict && (converts(left, right) || converts(right, left))
}

fn overlap(one: &Numbers, other: &Numbers) -> bool {
    match (&one.known, &other.known) {
        (Some(known), _) => known.iter().any(|value| other.contains(*value)),
        (_, Some(known)) => known.iter().any(|value| one.contains(*value)),
        _ => one.min <= other.max && other.min <= one.max,
    }
}

/// Whether JavaScript's conversions can make values of different kinds equal.
fn converts(left: &Type, right: &Type) -> bool {
    let scalar =
        right.string.is_some() || right.number.is_some() || right.simple & (TRUE | FALSE) != 0;
    if left.list.is_some() && scalar {
        return true;
    }
    let as_numbers = |ty: &Type| -> Vec<Numbers> {
        let mut all: Vec<Numbers> = ty.number.iter().cloned().collect();
        if ty.simple & TRUE != 0 {
            all.push(Numbers::declared(vec![1.0]));
        }
        if ty.simple & FALSE != 0 {
            all.push(Numbers::declared(vec![0.0]));
        }
        all
    };
    let (numbers, others) = (as_numbers(left), as_numbers(right));
    let crossed = |one: &Numbers| others.iter().any(|other| overlap(one, other));
    if left.number.is_some() && right.simple & (TRUE | FALSE) != 0 && numbers.iter().any(crossed) {
        return true;
    }
    let Some(strings) = &right.string else {
        return false;
    };
    let Some(known) = &strings.known else {
        return !numbers.is_empty() || left.object.is_some();
    };
    known.iter().any(|text| {
        let value = number::parse(text);
        let number = !value.is_nan() && numbers.iter().any(|it| it.contains(value));
        number || (left.object.is_some() && &**text == "[object Object]")
    })
}

/// What remains of a type if its value equals a constant.
pub(super) fn equal_to(ty: &Type, other: &Type, strict: bool) -> Type {
    if ty.any != Any::No {
        return if other.simple & NULL == 0 {
            ty.present()
        } else {
            ty.clone()
        };
    }
    if other.simple & NULL != 0 {
        return Type {
            absent: if strict { Absent::Never } else { ty.absent },
            simple: ty.simple & NULL,
            ..Type::default()
        };
    }
    let known = other.string.as_ref().and_then(|it| it.known.clone());
    let keep = |text: &str| {
        let is = |known: &Arc<std::collections::BTreeSet<Arc<str>>>| known.contains(text);
        known.as_ref().is_none_or(is) || !strict
    };
    let strings = match (&ty.string, &other.string) {
        (Some(strings), Some(_)) => {
            let exact = strings.retain(|text| known.as_ref().is_none_or(|it| it.contains(text)));
            exact.or_else(|| strings.retain(keep))
        }
        (strings, _) => strings.clone().filter(|_| !strict),
    };
    Type {
        absent: Absent::Never,
        simple: ty.simple & !NULL,
        string: strings,
        ..ty.clone()
    }
}

/// What remains of a type if its value differs from a constant.
pub(super) fn different_from(ty: &Type, other: &Type, strict: bool) -> Type {
    if other.simple & NULL != 0 {
        return if strict {
            Type {
                simple: ty.simple & !NULL,
                ..ty.clone()
            }
        } else {
            ty.present()
        };
    }
    if other.simple & (TRUE | FALSE) != 0 {
        return Type {
            simple: ty.simple & !other.simple,
            ..ty.clone()
        };
    }
    let known = other.string.as_ref().and_then(|it| it.known.clone());
    let numbers = other.number.as_ref().and_then(|it| it.known.clone());
    let string = match (&ty.string, known) {
        (Some(strings), Some(known)) => strings.retain(|text| !known.contains(text)),
        (strings, _) => strings.clone(),
    };
    let number = match (&ty.number, numbers.as_deref().map(Vec::as_slice)) {
        (Some(numbers), Some([one])) => numbers.without(*one),
        (numbers, _) => numbers.clone(),
    };
    Type {
        string,
        number,
        ..ty.clone()
    }
}
