//! Comparisons that cannot hold.

use super::checker::{Checker, Facts};
use super::condition::{Judged, flag};
use super::lattice::{Absent, Any, FALSE, NULL, Numbers, TRUE, Type};
use super::narrow::may_equal;
use super::problem::{Habit, Problem};
use crate::ast::{Binary, Expression, Kind, Unary};
use crate::error::nearest;

impl Checker<'_> {
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

    /// Returns true if two values are equal.
    pub(super) fn equality(
        &mut self,
        one: &Expression,
        left: &Expression,
        right: &Expression,
        strict: bool,
    ) -> Judged {
        let (first, second) = (self.expression(left), self.expression(right));
        let is_undefined = |side: &Expression| side.as_name() == Some("undefined");
        let strict = strict && !is_undefined(left) && !is_undefined(right);
        self.escape(&first);
        self.escape(&second);
        let fresh = |side: &Expression| matches!(side.kind, Kind::Array(_) | Kind::Dict(_));
        let is_container = |ty: &Type| ty.is_only_list() || ty.is_only_object();
        let containers = is_container(&first) && is_container(&second);
        let never_same = (fresh(left) || fresh(right)) && containers;
        let may_hold = !never_same && may_equal(&first, &second, strict);
        if never_same {
            let (value, other) = if fresh(left) {
                (right, left)
            } else {
                (left, right)
            };
            self.report_never(one, value, other, &Type::default());
        } else {
            self.list_operand(left, &first, &second);
            self.list_operand(right, &second, &first);
        }
        if !may_hold {
            self.report_impossible(one, (left, right), strict);
        }
        let (mut yes, mut no) = (Facts::new(), Facts::new());
        for (side, ty, other) in [(left, &first, &second), (right, &second, &first)] {
            let is_null =
                other.simple == NULL && other.is_nothing() && other.absent == Absent::Never;
            if is_null && let Some(place) = self.place(side) {
                let null = Type {
                    absent: if strict { Absent::Never } else { ty.absent },
                    ..Type::simple(ty.simple & NULL)
                };
                let rest = if strict {
                    Type {
                        simple: ty.simple & !NULL,
                        ..ty.clone()
                    }
                } else {
                    ty.present()
                };
                yes.push((
                    place.clone(),
                    if ty.any == Any::No { null } else { ty.clone() },
                ));
                no.push((place, rest));
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

    /// `not a < b`, and `a < b < c`.
    fn order_habits(&mut self, one: &Expression, left: &Expression) {
        match &left.kind {
            Kind::Unary(Unary::Not, _) => {
                self.report(one.span, Problem::Habit(Habit::NotComparison));
            }
            Kind::Binary(
                Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual,
                ..,
            ) => {
                self.report(one.span, Problem::Habit(Habit::Chained));
            }
            _ => {}
        }
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
        self.list_operand(left, &first, &second);
        self.list_operand(right, &second, &first);
        self.text_operand(left, &first, &second);
        self.text_operand(right, &second, &first);
        self.order_habits(one, left);
        let mut may_hold = true;
        if let (Some(one_range), Some(other_range)) = (range(&first), range(&second)) {
            may_hold = match operator {
                Binary::Less => one_range.min < other_range.max,
                Binary::LessEqual => one_range.min <= other_range.max,
                Binary::Greater => one_range.max > other_range.min,
                _ => one_range.max >= other_range.min,
            };
            if !may_hold {
                let (value, other) = (self.text(left.span), self.text(one.span));
                let problem = Problem::Impossible {
                    other: other.trim_start_matches(&value).trim().to_owned(),
                    value,
                    known: Vec::new(),
                    meant: None,
                };
                self.report(one.span, problem);
            }
        }
        let mut judged = self.mentioning(flag(may_hold, true), left);
        judged.yes.extend(self.mentioned(right));
        judged
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

/// The numbers that are compared, if nothing but numbers is.
fn range(ty: &Type) -> Option<&Numbers> {
    let only = ty.is_only_number() && ty.simple & NULL == 0;
    ty.number.as_ref().filter(|_| only)
}
