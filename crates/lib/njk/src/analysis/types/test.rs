//! Tests, as in `x is defined`, and `in`.

use super::checker::Checker;
use super::compare::{is_comparison, is_literal};
use super::condition::{Judged, fact, flag};
use super::equality::may_equal;
use super::lattice::{Absent, Type};
use super::object::Presence;
use super::outcome::{Outcome, outcome};
use super::problem::{Habit, Problem};
use super::scope::Facts;
use crate::ast::{Arguments, Expression, Kind, Name, Unary};
use crate::suggest::nearest;

impl Checker<'_> {
    pub(super) fn test(
        &mut self,
        one: &Expression,
        target: &Expression,
        name: &Name,
        arguments: &Arguments,
    ) -> Judged {
        if matches!(target.kind, Kind::Binary(operator, ..) if is_comparison(operator)) {
            self.report(one.span, Problem::Habit(Habit::TestOfComparison));
        }
        if matches!(target.kind, Kind::Unary(Unary::Not, _)) {
            self.report(one.span, Problem::Habit(Habit::NotComparison));
        }
        let other = arguments.positional.first();
        match (name.text.as_str(), other) {
            ("eq" | "equalto" | "sameas", Some(other)) => {
                return self.equality(one, target, other, true);
            }
            ("ne", Some(other)) => return self.equality(one, target, other, true).negated(),
            _ => {}
        }
        let ty = self.expression(target);
        for argument in arguments.iter() {
            let ty = self.expression(argument);
            self.escape(&ty);
        }
        let Some(Outcome {
            yes,
            no,
            holds,
            fails,
        }) = outcome(&name.text, &ty)
        else {
            return Judged {
                ty: Type::boolean(),
                yes: self.mentioned(target),
                no: Facts::new(),
            };
        };
        let mut judged = Judged::of(flag(holds, fails));
        if let Some(place) = self.place(target) {
            let prefixes = self.prefixes(target);
            let asks_for_nothing = matches!(name.text.as_str(), "undefined" | "null" | "falsy");
            if asks_for_nothing {
                judged.no = prefixes;
            } else {
                judged.yes = prefixes;
            }
            judged.yes.push((place.clone(), fact(yes)));
            judged.no.push((place, fact(no)));
        }
        judged
    }

    pub(super) fn containment(
        &mut self,
        one: &Expression,
        item: &Expression,
        container: &Expression,
    ) -> Judged {
        if matches!(item.kind, Kind::Unary(Unary::Not, _)) {
            self.report(one.span, Problem::Habit(Habit::NotComparison));
        }
        if let Kind::Array(items) = &container.kind
            && !items.is_empty()
            && items.iter().all(is_literal)
        {
            return self.one_of(item, items);
        }
        let (first, second) = (self.expression(item), self.expression(container));
        self.need(container, &second);
        self.escape(&first);
        if is_literal(item) && second.is_only_list() {
            let items = second.list.as_ref().map(|it| it.as_ref().clone());
            let items = items.unwrap_or_else(Type::unknown);
            if !may_equal(&first, &items, true) {
                self.report_never(one, container, item, &items);
            }
        }
        if second.is_only_object()
            && let Kind::Str(name) = &item.kind
        {
            return self.has_member(item, container, &second, name);
        }
        self.escape(&second);
        if second.is_scalar() && second.string.is_none() {
            self.report(
                container.span,
                Problem::WrongOperand {
                    operation: "in".to_owned(),
                    value: self.text(container.span),
                    kind: second.kind(),
                    expected: "a list, a string or an object",
                },
            );
        }
        let yes = self.mentioned(one);
        Judged {
            ty: Type::boolean(),
            yes,
            no: Facts::new(),
        }
    }

    /// `"name" in object`.
    fn has_member(
        &mut self,
        item: &Expression,
        container: &Expression,
        owner: &Type,
        name: &str,
    ) -> Judged {
        let Some(object) = owner.object.clone() else {
            return Judged::of(Type::boolean());
        };
        let mut judged = Judged::of(Type::boolean());
        match object.properties.get(name) {
            Some(property) => {
                self.used.extend(property.origins.iter().cloned());
                if let Some(place) = self.place(container).map(|place| place.member(name)) {
                    judged.yes.push((place, fact(property.ty.clone())));
                }
                judged.ty = flag(true, property.presence != Presence::Required);
            }
            None if !object.open && !object.properties.is_empty() => {
                let known = object.properties.keys().map(String::as_str);
                let problem = Problem::UnknownMember {
                    owner: self.text(container.span),
                    member: name.to_owned(),
                    meant: nearest(name, known).map(str::to_owned),
                };
                self.report(item.span, problem);
            }
            None => {}
        }
        judged
    }

    /// `x in ["a", "b"]`.
    fn one_of(&mut self, item: &Expression, items: &[Expression]) -> Judged {
        let mut judged: Option<Judged> = None;
        for other in items {
            let next = self.equality(other, item, other, true);
            judged = Some(match judged {
                None => next,
                Some(before) => before.or(&next),
            });
        }
        let mut judged = judged.unwrap_or_default();
        let mentioned = self.mentioned(item);
        judged.yes.splice(0..0, mentioned);
        if self.expression(item).absent == Absent::Declared {
            judged.ty = flag(judged.ty.may_hold(), true);
        }
        judged
    }
}

impl Judged {
    /// One of two conditions on the same value.
    fn or(self, other: &Self) -> Self {
        let mut yes = Facts::new();
        for (place, first) in &self.yes {
            let second = other.yes.iter().rev().find(|(it, _)| it == place);
            if let Some((_, second)) = second {
                yes.push((place.clone(), fact(first.ty.union(&second.ty))));
            }
        }
        let mut no = Facts::new();
        for (place, first) in &self.no {
            let second = other.no.iter().rev().find(|(it, _)| it == place);
            if let Some((_, second)) = second {
                no.push((place.clone(), fact(first.ty.both(&second.ty))));
            }
        }
        Self {
            ty: flag(self.ty.may_hold() || other.ty.may_hold(), true),
            yes,
            no,
        }
    }
}

impl Type {
    /// The strings of both types; in the other parts the same as this.
    fn both(&self, other: &Self) -> Self {
        let string = match (&self.string, &other.string) {
            (Some(one), Some(other)) => match &other.known {
                Some(known) => one.retain(|text| known.contains(text)),
                None => Some(one.clone()),
            },
            _ => None,
        };
        Self {
            string,
            ..self.clone()
        }
    }
}
