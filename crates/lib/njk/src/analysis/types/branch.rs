//! `if` and `switch`: branches that are never taken, and values without one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::checker::Checker;
use super::condition::fact;
use super::equality::{different_from, equal_to, may_equal};
use super::json::Json;
use super::lattice::{Absent, Any, Type};
use super::problem::Problem;
use super::scope::{Binding, Facts, Role};
use crate::ast::{Expression, Statement};

impl Checker<'_> {
    pub(super) fn branches(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) {
        self.missing_branch(branches, otherwise);
        let facts = self.scope.facts_mark();
        let mark = self.scope.mark();
        let mut after = Vec::new();
        let before = self.json.clone();
        let mut printed = Vec::new();
        let mut dead = false;
        for (index, (condition, body)) in branches.iter().enumerate() {
            let followed = index + 1 < branches.len() || !otherwise.is_empty();
            let judged = self.branch(dead, |this| this.condition(condition, followed));
            let inner = self.scope.facts_mark();
            self.scope.learn(&judged.yes);
            let never = dead || !judged.ty.may_hold();
            self.json.clone_from(&before);
            self.branch(never, |this| this.body(body));
            printed.extend(self.json.take());
            self.scope.forget_to(inner);
            after.push(self.scope.undo_to(mark));
            self.scope.learn(&judged.no);
            dead |= !judged.ty.may_fail();
        }
        self.json.clone_from(&before);
        self.branch(dead, |this| this.body(otherwise));
        printed.extend(self.json.take());
        self.json = before.map(|_| Json::merge(printed));
        after.push(self.scope.undo_to(mark));
        self.scope.forget_to(facts);
        self.merge(&after);
    }

    /// Puts what several branches bound together.
    fn merge(&mut self, after: &[HashMap<String, Option<Binding>>]) {
        let mut names: Vec<&String> = after.iter().flat_map(HashMap::keys).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let base = self.scope.get(name).cloned();
            let mut merged: Option<Type> = None;
            for end in after {
                let binding = end.get(name).unwrap_or(&base);
                let ty = match binding {
                    Some(binding) => binding.ty.clone(),
                    None => Type {
                        absent: Absent::Perhaps,
                        ..Type::default()
                    },
                };
                merged = Some(match merged {
                    Some(before) => self.union(&before, &ty),
                    None => ty,
                });
            }
            let ty = merged.unwrap_or_else(Type::unknown);
            let volatile = ty.any == Any::Anything;
            self.scope.bind_as(name, ty, Role::Value, volatile, None);
        }
    }

    pub(super) fn switch(
        &mut self,
        subject: &Expression,
        cases: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) {
        let ty = self.expression(subject);
        let place = self.place(subject);
        let facts = self.scope.facts_mark();
        let mark = self.scope.mark();
        let mut after = Vec::new();
        let before = self.json.clone();
        let mut printed = Vec::new();
        let mut rest = ty.clone();
        let mut fallen: Option<Type> = None;
        let mut covered: BTreeSet<Arc<str>> = BTreeSet::new();
        for (value, body) in cases {
            let other = self.expression(value);
            if !may_equal(&rest, &other, true) {
                if may_equal(&ty, &other, true) {
                    let condition = format!("case {}", self.text(value.span));
                    let holds = false;
                    self.report(value.span, Problem::NeverTaken { condition, holds });
                } else {
                    self.report_never(value, subject, value, &ty);
                }
            }
            let known = other.string.as_ref().and_then(|it| it.known.clone());
            covered.extend(known.iter().flat_map(|it| it.iter().cloned()));
            let narrowed = equal_to(&rest, &other, true);
            let narrowed = match fallen.take() {
                Some(before) => before.union(&narrowed),
                None => narrowed,
            };
            rest = different_from(&rest, &other, true);
            if body.is_empty() {
                fallen = Some(narrowed);
                continue;
            }
            let inner = self.scope.facts_mark();
            let mut learnt: Facts = self.prefixes(subject);
            learnt.extend(place.clone().map(|place| (place, fact(narrowed))));
            self.scope.learn(&learnt);
            self.json.clone_from(&before);
            self.body(body);
            printed.extend(self.json.take());
            self.scope.forget_to(inner);
            after.push(self.scope.undo_to(mark));
        }
        if otherwise.is_empty() && !cases.is_empty() {
            let value = self.text(subject.span);
            self.report_missing(subject, value, &ty, &|text| covered.contains(text));
        }
        let learnt: Facts = place
            .into_iter()
            .map(|place| (place, fact(rest.clone())))
            .collect();
        self.scope.learn(&learnt);
        self.json.clone_from(&before);
        self.body(otherwise);
        printed.extend(self.json.take());
        self.json = before.map(|_| Json::merge(printed));
        after.push(self.scope.undo_to(mark));
        self.scope.forget_to(facts);
        self.merge(&after);
    }
}
