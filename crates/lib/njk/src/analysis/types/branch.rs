//! `if` and `switch`: the facts in their branches, and the variables after them.

use std::collections::HashMap;

use super::checker::{Binding, Checker, Role};
use super::lattice::{Absent, Any, NULL, Type};
use super::narrow::may_equal;
use crate::ast::{Expression, Statement};

impl Checker<'_> {
    pub(super) fn branches(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) {
        let facts = self.scope.facts_mark();
        let mark = self.scope.mark();
        let mut after = Vec::new();
        for (index, (condition, body)) in branches.iter().enumerate() {
            let followed = index + 1 < branches.len() || !otherwise.is_empty();
            let judged = self.condition(condition, followed);
            let inner = self.scope.facts_mark();
            self.scope.learn(&judged.yes);
            self.body(body);
            self.scope.forget_to(inner);
            after.push(self.scope.undo_to(mark));
            self.scope.learn(&judged.no);
        }
        self.body(otherwise);
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
        let mark = self.scope.mark();
        let mut after = Vec::new();
        // True if one of the cases that fall through to the next body is null.
        let mut null = false;
        for (value, body) in cases {
            let other = self.expression(value);
            if !may_equal(&ty, &other, true) {
                self.report_never(value, subject, value, &ty);
            }
            null |= other.simple & NULL != 0 || other.any != Any::No;
            if body.is_empty() {
                continue;
            }
            let facts = self.scope.facts_mark();
            if !std::mem::take(&mut null) {
                let there = self.mentioned(subject);
                self.scope.learn(&there);
            }
            self.body(body);
            self.scope.forget_to(facts);
            after.push(self.scope.undo_to(mark));
        }
        self.body(otherwise);
        after.push(self.scope.undo_to(mark));
        self.merge(&after);
    }
}
