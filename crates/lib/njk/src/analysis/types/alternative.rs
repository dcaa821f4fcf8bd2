//! Conditions that hold if one of several values is there: which one is known only where the
//! others are not.

use std::rc::Rc;

use super::checker::Checker;
use super::condition::fact;
use super::scope::{Fact, Facts, Place};
use crate::ast::{Binary, Expression, Kind, Unary};
use crate::walk;

/// Longer lists of alternatives are not followed.
const MAX_PLACES: usize = 8;

impl Checker<'_> {
    /// Adds to `facts` what is known if an `or` holds, or an `and` fails.
    pub(super) fn alternatives(&mut self, one: &Expression, holds: bool, facts: &mut Facts) {
        let mut places = Vec::new();
        if self.collect(one, holds, &mut places) {
            for index in 0..places.len() {
                let (place, expression) = &places[index];
                let ty = self.quietly(|this| this.expression(expression));
                let others = places.iter().filter(|(other, _)| other != place);
                let others: Vec<Place> = others.map(|(other, _)| other.clone()).collect();
                facts.push((
                    place.clone(),
                    Fact {
                        ty,
                        dropped: None,
                        others: Some(Rc::new(others)),
                    },
                ));
            }
            return;
        }
        // One of them may be there or not: nothing is certain about either.
        let mut mentioned: Vec<&Expression> = Vec::new();
        walk::expression(one, &mut |inner| {
            let is_path = matches!(inner.kind, Kind::Name(_) | Kind::Member(..));
            if is_path && mentioned.len() < 4 * MAX_PLACES {
                mentioned.push(inner);
            }
        });
        for inner in mentioned {
            if let Some(place) = self.place(inner)
                && !facts.iter().any(|(other, _)| *other == place)
            {
                let ty = self.quietly(|this| this.expression(inner));
                facts.push((place, fact(ty.lenient())));
            }
        }
    }

    /// The values of which one is there if the condition holds, or fails; false if it asks for
    /// something else.
    fn collect<'e>(
        &self,
        one: &'e Expression,
        holds: bool,
        places: &mut Vec<(Place, &'e Expression)>,
    ) -> bool {
        match &one.kind {
            Kind::Group(items) if items.len() == 1 => self.collect(&items[0], holds, places),
            Kind::Unary(Unary::Not, target) => self.collect(target, !holds, places),
            Kind::Binary(Binary::Or, left, right) if holds => {
                self.collect(left, holds, places) && self.collect(right, holds, places)
            }
            Kind::Binary(Binary::And, left, right) if !holds => {
                self.collect(left, holds, places) && self.collect(right, holds, places)
            }
            Kind::Name(_) | Kind::Member(..) if holds && places.len() < MAX_PLACES => {
                let place = self.place(one);
                let is_place = place.is_some();
                places.extend(place.map(|place| (place, one)));
                is_place
            }
            _ => false,
        }
    }

    /// Whether the conditions around have shown that none of these is there.
    pub(super) fn are_false(&self, places: &[Place]) -> bool {
        let mut facts = places.iter().map(|place| self.scope.fact(place));
        facts.all(|fact| fact.is_some_and(|fact| !fact.ty.may_hold()))
    }
}
