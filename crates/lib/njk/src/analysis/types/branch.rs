//! `if` and `switch`: branches that are never taken, and values without one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::checker::{Binding, Checker, Facts, Role};
use super::condition::fact;
use super::lattice::{Absent, Any, Type};
use super::literal::Strings;
use super::narrow::{different_from, equal_to, may_equal};
use super::problem::Problem;
use crate::ast::{Binary, Expression, Kind, Statement};

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
        let mut dead = false;
        for (index, (condition, body)) in branches.iter().enumerate() {
            let followed = index + 1 < branches.len() || !otherwise.is_empty();
            let judged = self.branch(dead, |this| this.condition(condition, followed));
            let inner = self.scope.facts_mark();
            self.scope.learn(&judged.yes);
            let never = dead || !judged.ty.may_hold();
            self.branch(never, |this| this.body(body));
            self.scope.forget_to(inner);
            after.push(self.scope.undo_to(mark));
            self.scope.learn(&judged.no);
            dead |= !judged.ty.may_fail();
        }
        self.branch(dead, |this| this.body(otherwise));
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
            self.body(body);
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
        self.body(otherwise);
        after.push(self.scope.undo_to(mark));
        self.scope.forget_to(facts);
        self.merge(&after);
    }
}

/// The values of one expression that a condition asks for.
struct Asked<'e> {
    value: &'e Expression,
    known: BTreeSet<&'e str>,
}

impl Checker<'_> {
    /// Reports a chain of conditions over an enum that leaves out some of its values.
    pub(super) fn missing_branch(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) {
        let (conditions, otherwise) = chain(branches, otherwise);
        if !otherwise.is_empty() || conditions.len() < 2 || self.quiet > 0 {
            return;
        }
        let mut all: Option<(String, &Expression, BTreeSet<&str>)> = None;
        for condition in conditions {
            let Some(asked) = asked(condition) else {
                return;
            };
            let text = self.text(asked.value.span);
            match &mut all {
                None => all = Some((text, asked.value, asked.known)),
                Some((value, _, known)) if *value == text => known.extend(asked.known),
                Some(_) => return,
            }
        }
        let Some((value, one, covered)) = all else {
            return;
        };
        let ty = self.quietly(|this| this.expression(one));
        self.report_missing(one, value, &ty, &|text| covered.contains(text));
    }

    /// Reports a chain of `a if … else (b if …)`.
    pub(super) fn missing_inline(&mut self, condition: &Expression, otherwise: &Expression) {
        let mut covered: BTreeSet<&str> = BTreeSet::new();
        let mut subject: Option<&Expression> = None;
        let (mut condition, mut rest) = (condition, Some(otherwise));
        loop {
            let Some(asked) = asked(condition) else {
                return;
            };
            let first = *subject.get_or_insert(asked.value);
            if self.text(first.span) != self.text(asked.value.span) {
                return;
            }
            covered.extend(asked.known);
            let Some(mut next) = rest else {
                let value = self.text(first.span);
                let ty = self.quietly(|this| this.expression(first));
                self.report_missing(first, value, &ty, &|text| covered.contains(text));
                return;
            };
            while let Kind::Group(items) = &next.kind
                && items.len() == 1
            {
                next = &items[0];
            }
            let Kind::InlineIf {
                condition: inner,
                otherwise,
                ..
            } = &next.kind
            else {
                return;
            };
            condition = inner;
            rest = otherwise.as_deref();
        }
    }

    /// Reports `{a: 1}[x]` if `x` is of an enum of which the object lacks a value.
    pub(super) fn missing_entry(&mut self, one: &Expression) -> bool {
        let Kind::Index(target, index) = &one.kind else {
            return false;
        };
        let (owner, key) = self.quietly(|this| (this.expression(target), this.expression(index)));
        let names = key.string.as_ref().and_then(Strings::of_enum);
        let (Some(object), Some(names)) = (owner.object, names) else {
            return false;
        };
        let lacking = names
            .iter()
            .filter(|name| !object.properties.contains_key(&***name));
        let missing: Vec<String> = lacking.map(ToString::to_string).collect();
        if missing.is_empty() {
            return false;
        }
        let value = self.text(index.span);
        self.report(one.span, Problem::MissingCase { value, missing });
        true
    }

    /// Reports `{a: 1, b: 2}[x]` if `x` is of an enum that lacks one of the names.
    pub(super) fn foreign_entry(&mut self, target: &Expression, index: &Expression, key: &Type) {
        let (Kind::Dict(pairs), Some(names)) =
            (&target.kind, key.string.as_ref().and_then(Strings::of_enum))
        else {
            return;
        };
        let known = |name: &str| names.iter().any(|it| &**it == name);
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !known(&name.text)) {
            let problem = Problem::Impossible {
                value: self.text(index.span),
                other: format!("\"{}\"", name.text),
                known: names.iter().map(ToString::to_string).collect(),
                meant: None,
            };
            self.report(name.span, problem);
        }
    }

    pub(super) fn report_missing(
        &mut self,
        one: &Expression,
        value: String,
        ty: &Type,
        covered: &dyn Fn(&str) -> bool,
    ) {
        let Some(known) = ty.string.as_ref().and_then(|it| it.of_enum()) else {
            return;
        };
        let missing: Vec<String> = known
            .iter()
            .filter(|text| !covered(text))
            .map(ToString::to_string)
            .collect();
        let present = known.len() - missing.len();
        // A few of many are singled out; all but a few are forgotten.
        if present >= 2 && !missing.is_empty() && missing.len() <= present && ty.any == Any::No {
            self.report(one.span, Problem::MissingCase { value, missing });
        }
    }
}

/// The conditions of a chain, also where it goes on in an `else` with nothing but an `if`.
fn chain<'e>(
    branches: &'e [(Expression, Vec<Statement>)],
    otherwise: &'e [Statement],
) -> (Vec<&'e Expression>, &'e [Statement]) {
    let mut conditions: Vec<&Expression> = branches.iter().map(|(one, _)| one).collect();
    let mut rest = otherwise;
    while let [
        Statement::If {
            branches,
            otherwise,
        },
    ] = rest
    {
        conditions.extend(branches.iter().map(|(one, _)| one));
        rest = otherwise;
    }
    (conditions, rest)
}

/// The names of a variable and its members.
fn path(one: &Expression) -> Option<Vec<&str>> {
    match &one.kind {
        Kind::Name(name) => Some(vec![name.as_str()]),
        Kind::Member(target, name) => {
            let mut names = path(target)?;
            names.push(name.text.as_str());
            Some(names)
        }
        _ => None,
    }
}

/// The one value, and the strings, that a condition compares.
fn asked(condition: &Expression) -> Option<Asked<'_>> {
    match &condition.kind {
        Kind::Group(items) => match items.as_slice() {
            [only] => asked(only),
            _ => None,
        },
        Kind::Binary(Binary::Equal | Binary::StrictEqual, left, right) => {
            match (&left.kind, &right.kind) {
                (_, Kind::Str(text)) => Some(Asked {
                    value: left,
                    known: BTreeSet::from([text.as_str()]),
                }),
                (Kind::Str(text), _) => Some(Asked {
                    value: right,
                    known: BTreeSet::from([text.as_str()]),
                }),
                _ => None,
            }
        }
        Kind::Binary(Binary::Or, left, right) => {
            let (mut one, other) = (asked(left)?, asked(right)?);
            let (first, second) = (path(one.value)?, path(other.value)?);
            one.known.extend(other.known);
            (first == second).then_some(one)
        }
        Kind::Test(target, name, arguments)
            if ["eq", "equalto", "sameas"].contains(&name.text.as_str()) =>
        {
            let Some(Kind::Str(text)) = arguments.positional.first().map(|it| &it.kind) else {
                return None;
            };
            Some(Asked {
                value: target,
                known: BTreeSet::from([text.as_str()]),
            })
        }
        Kind::In(item, container) => {
            let Kind::Array(items) = &container.kind else {
                return None;
            };
            let text = |item: &'_ Expression| matches!(item.kind, Kind::Str(_));
            let known = items.iter().all(text).then(|| {
                let texts = items.iter().filter_map(|item| match &item.kind {
                    Kind::Str(text) => Some(text.as_str()),
                    _ => None,
                });
                texts.collect()
            });
            Some(Asked {
                value: item,
                known: known?,
            })
        }
        _ => None,
    }
}
