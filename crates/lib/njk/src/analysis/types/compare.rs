//! Comparisons that cannot hold.

use super::checker::{Checker, Facts};
use super::condition::{Judged, fact, flag};
use super::lattice::{Absent, FALSE, NULL, SAFE, TRUE, Type};
use super::literal::Numbers;
use super::narrow::{different_from, equal_to, is_constant, may_equal};
use super::problem::{Habit, Problem};
use crate::ast::{Binary, Expression, Kind, Unary};
use crate::suggest::nearest;

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
        let mut judged = self.equality(one, left, right, strict);
        if !unequal {
            return judged;
        }
        if judged.ty.may_hold() && self.is_always(left, right, strict) {
            judged.ty = flag(true, false);
        }
        judged.negated()
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
        let is_undefined =
            |side: &Expression| matches!(&side.kind, Kind::Name(name) if name == "undefined");
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

    /// Returns true if two values are certainly equal, as conditions around them say. The last of a chain
    /// of questions is no example of it: the `else` after it is prudence.
    fn is_always(&mut self, left: &Expression, right: &Expression, strict: bool) -> bool {
        let (first, second) = self.quietly(|this| (this.expression(left), this.expression(right)));
        let is_only = |ty: &Type, other: &Type| {
            is_constant(other)
                && other.simple & NULL == 0
                && ty.absent == Absent::Never
                && ty.simple & (NULL | SAFE) == 0
                && !ty.is_never()
                && different_from(ty, other, strict).is_never()
        };
        self.place(left).is_some() && is_only(&first, &second)
            || self.place(right).is_some() && is_only(&second, &first)
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
        let mut no = Facts::new();
        self.limit(operator, (left, &first), &second, &mut yes, &mut no);
        Judged {
            ty: flag(may_hold, true),
            yes,
            no,
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

/// The numbers that are compared, if nothing but numbers is.
fn range(ty: &Type) -> Option<&Numbers> {
    let only = ty.is_only_number() && ty.simple & NULL == 0;
    ty.number.as_ref().filter(|_| only)
}

impl Checker<'_> {
    /// Adds what `value` is if it is less or greater than one number, and if it is not.
    pub(super) fn limit(
        &self,
        operator: Binary,
        (value, ty): (&Expression, &Type),
        other: &Type,
        yes: &mut Facts,
        no: &mut Facts,
    ) {
        let Some(place) = self.place(value) else {
            return;
        };
        let is_plain = ty.is_only_number() && ty.absent == Absent::Never && ty.simple & NULL == 0;
        let bound = other.number.as_ref().filter(|_| other.is_only_number());
        let bound = bound
            .and_then(|numbers| numbers.known.as_ref())
            .map(|known| known.as_slice());
        let (Some(numbers), Some(&[bound]), true) = (&ty.number, bound, is_plain) else {
            return;
        };
        // A fraction can be as near to the bound as it likes.
        let step = if numbers.integer { 1.0 } else { 0.0 };
        let below = |inclusive: bool| {
            let max = if inclusive {
                bound
            } else {
                (bound - step).ceil().max(bound - step)
            };
            numbers.limited(f64::NEG_INFINITY, max)
        };
        let above = |inclusive: bool| {
            let min = if inclusive {
                bound
            } else {
                (bound + step).floor().min(bound + step)
            };
            numbers.limited(min, f64::INFINITY)
        };
        let (holds, fails) = match operator {
            Binary::Less => (below(false), above(true)),
            Binary::LessEqual => (below(true), above(false)),
            Binary::Greater => (above(false), below(true)),
            _ => (above(true), below(false)),
        };
        let remaining = |numbers: Option<Numbers>| {
            fact(Type {
                number: numbers,
                ..ty.clone()
            })
        };
        yes.push((place.clone(), remaining(holds)));
        no.push((place, remaining(fails)));
    }
}
