//! What a comparison of numbers says about them.

use super::checker::Checker;
use super::condition::fact;
use super::lattice::{Absent, NULL, Type};
use super::literal::Numbers;
use super::scope::Facts;
use crate::ast::{Binary, Expression};

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
