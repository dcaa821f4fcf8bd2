//! Conditions: whether they can hold, and what is known when they do, or do not.

use super::checker::{Checker, Facts, Place};
use super::compare::{is_comparison, is_literal};
use super::lattice::{Absent, FALSE, TRUE, Type};
use super::narrow::{Outcome, may_equal, outcome};
use super::problem::{Habit, Problem};
use crate::ast::{Arguments, Binary, Expression, Kind, Name, Unary};
use crate::error::nearest;
use crate::walk;

/// More facts than these of one condition are not kept.
const MAX_FACTS: usize = 64;

/// A condition that was checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Judged {
    pub(super) ty: Type,
    /// Facts if it holds.
    pub(super) yes: Facts,
    /// Facts if it fails.
    pub(super) no: Facts,
}

impl Judged {
    pub(super) fn of(ty: Type) -> Self {
        Self {
            ty,
            ..Self::default()
        }
    }

    /// The condition with its outcomes exchanged.
    pub(super) fn negated(self) -> Self {
        Self {
            ty: flag(self.ty.may_fail(), self.ty.may_hold()),
            yes: self.no,
            no: self.yes,
        }
    }
}

/// A boolean that can be true, or false.
pub(super) fn flag(may_hold: bool, may_fail: bool) -> Type {
    let simple = if may_hold { TRUE } else { 0 } | if may_fail { FALSE } else { 0 };
    Type::simple(simple)
}

impl Checker<'_> {
    /// Checks the condition of a branch; reports one that is never taken.
    pub(super) fn condition(&mut self, one: &Expression, followed: bool) -> Judged {
        let before = self.problems.len();
        let judged = self.judge(one);
        let (holds, fails) = (judged.ty.may_hold(), judged.ty.may_fail());
        if self.problems.len() == before && (!holds || (followed && !fails)) {
            let condition = self.text(one.span);
            let holds = holds && !fails;
            self.report(one.span, Problem::NeverTaken { condition, holds });
        }
        judged
    }

    pub(super) fn judge(&mut self, one: &Expression) -> Judged {
        let printing = std::mem::replace(&mut self.printing, false);
        let judged = self.judged(one);
        self.printing = printing;
        judged
    }

    fn judged(&mut self, one: &Expression) -> Judged {
        match &one.kind {
            Kind::Group(items) if items.len() == 1 => self.judge(&items[0]),
            Kind::Unary(Unary::Not, target) => self.judge(target).negated(),
            Kind::Binary(Binary::And, left, right) => {
                let mut judged = self.both(left, right);
                self.alternatives(one, &mut judged.no);
                judged
            }
            Kind::Binary(Binary::Or, left, right) => {
                let mut judged = self.either(left, right);
                self.alternatives(one, &mut judged.yes);
                judged
            }
            Kind::Binary(operator, left, right) => {
                self.judge_comparison(one, *operator, left, right)
            }
            Kind::Test(target, name, arguments) => self.test(one, target, name, arguments),
            Kind::In(item, container) => self.containment(one, item, container),
            Kind::Name(_) | Kind::Member(..) | Kind::Index(..) => self.judge_value(one),
            _ => {
                let ty = self.expression(one);
                self.mentioning(ty, one)
            }
        }
    }

    /// Adds to `facts` that nothing is certain about the values of an `or` that holds, or an `and`
    /// that fails: one of them may be there or not.
    pub(super) fn alternatives(&mut self, one: &Expression, facts: &mut Facts) {
        let is_path = |it: &&Expression| matches!(it.kind, Kind::Name(_) | Kind::Member(..));
        let mentioned = walk::expression(one).filter(is_path);
        for inner in mentioned.take(MAX_FACTS / 2) {
            if let Some(place) = self.place(inner)
                && !facts.iter().any(|(other, _)| *other == place)
            {
                let ty = self.quietly(|this| this.expression(inner));
                facts.push((place, ty.lenient()));
            }
        }
    }

    fn both(&mut self, left: &Expression, right: &Expression) -> Judged {
        let first = self.judge(left);
        let mark = self.scope.facts_mark();
        self.scope.learn(&first.yes);
        let second = self.judge(right);
        self.scope.forget_to(mark);
        let ty = if first.ty.may_hold() {
            self.union(&first.ty.falsy(), &second.ty)
        } else {
            first.ty.clone()
        };
        let no = common(&first.no, &joined(&first.yes, &second.no));
        Judged {
            ty: if first.ty.may_fail() { ty } else { second.ty },
            yes: joined(&first.yes, &second.yes),
            no,
        }
    }

    fn either(&mut self, left: &Expression, right: &Expression) -> Judged {
        let first = self.judge(left);
        let mark = self.scope.facts_mark();
        self.scope.learn(&first.no);
        let second = self.judge(right);
        self.scope.forget_to(mark);
        let truthy = first.ty.truthy();
        let mut ty = if first.ty.may_hold() {
            self.union(&truthy, &second.ty)
        } else {
            second.ty.clone()
        };
        // Whether it is undefined depends on the right side alone.
        ty.absent = second.ty.absent;
        Judged {
            ty: if first.ty.may_fail() { ty } else { first.ty },
            yes: common(&first.yes, &joined(&first.no, &second.yes)),
            no: joined(&first.no, &second.no),
        }
    }

    /// A variable or a member as a condition.
    fn judge_value(&mut self, one: &Expression) -> Judged {
        let ty = self.expression(one);
        let Some(place) = self.place(one) else {
            return self.mentioning(ty, one);
        };
        let mut yes = self.prefixes(one);
        yes.push((place.clone(), ty.truthy()));
        let mut no = vec![(place, ty.falsy())];
        if let Kind::Name(name) = &one.kind
            && let Some(implied) = self.scope.get(name).and_then(|it| it.implied.clone())
        {
            yes.extend(implied.yes.iter().cloned());
            no.extend(implied.no.iter().cloned());
        }
        Judged { ty, yes, no }
    }

    /// The values that an expression is a member of: they are there if it is.
    pub(super) fn prefixes(&mut self, one: &Expression) -> Facts {
        let mut facts = Facts::new();
        let mut at = one;
        while let Kind::Member(target, _) | Kind::Index(target, _) = &at.kind {
            at = target;
            facts.extend(self.there(at));
        }
        facts.reverse();
        facts
    }

    /// That a value is neither undefined nor null.
    fn there(&mut self, one: &Expression) -> Option<(Place, Type)> {
        let place = self.place(one)?;
        let ty = self.quietly(|this| this.expression(one));
        Some((place, ty.present()))
    }

    /// A condition of which nothing is known but that it mentions `one`.
    pub(super) fn mentioning(&mut self, ty: Type, one: &Expression) -> Judged {
        Judged {
            ty,
            yes: self.mentioned(one),
            no: Facts::new(),
        }
    }

    /// All values that an expression mentions are taken to be there if it holds.
    pub(super) fn mentioned(&mut self, one: &Expression) -> Facts {
        let is_path = |it: &&Expression| {
            matches!(it.kind, Kind::Name(_) | Kind::Member(..) | Kind::Index(..))
        };
        let found = walk::expression(one).filter(is_path).take(MAX_FACTS);
        let found: Vec<&Expression> = found.collect();
        // Inner ones come first: what is known of a member is not known of its owner.
        let inner_first = found.into_iter().rev();
        inner_first.filter_map(|inner| self.there(inner)).collect()
    }

    /// Runs `work` as if no condition had shown anything.
    pub(super) fn unnarrowed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let facts = self.scope.take_facts();
        let result = self.quietly(work);
        self.scope.put_facts(facts);
        result
    }
}

/// Facts if both hold.
fn joined(left: &Facts, right: &Facts) -> Facts {
    left.iter().chain(right).take(MAX_FACTS).cloned().collect()
}

/// Facts if one of both holds.
fn common(left: &Facts, right: &Facts) -> Facts {
    let last = |facts: &Facts, place: &Place| {
        let mut matching = facts.iter().rev();
        matching.find(|(other, _)| other == place).cloned()
    };
    let mut both = Facts::new();
    for (place, _) in left {
        if let (Some((_, first)), Some((_, second))) = (last(left, place), last(right, place))
            && !both.iter().any(|(other, _)| other == place)
        {
            both.push((place.clone(), first.union(&second)));
        }
    }
    both
}

impl Checker<'_> {
    /// Reports `value or "text"` if the value is always there.
    pub(super) fn needless_or(&mut self, one: &Expression) {
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
        }
    }

    /// Reports that what stands for a value is never needed.
    pub(super) fn never_other(&mut self, value: &Expression) {
        let condition = self.text(value.span);
        let holds = true;
        self.report(value.span, Problem::NeverTaken { condition, holds });
    }

    /// Returns true if an expression is an argument of the call, or a member of one, that nothing in the
    /// template sets.
    pub(super) fn is_declared(&self, one: &Expression) -> bool {
        match &one.ungrouped().kind {
            Kind::Name(name) => self.variables.contains_key(name) && !self.assigned.contains(name),
            Kind::Member(target, _) => self.is_declared(target),
            _ => false,
        }
    }

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
            return self.mentioning(Type::boolean(), target);
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
            judged.yes.push((place.clone(), yes));
            judged.no.push((place, no));
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
        self.mentioning(Type::boolean(), one)
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
                    judged.yes.push((place, property.ty.defined()));
                }
                judged.ty = flag(true, property.ty.absent != Absent::Never);
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
        let mut may_hold = false;
        for other in items {
            may_hold |= self.equality(other, item, other, true).ty.may_hold();
        }
        self.mentioning(flag(may_hold, true), item)
    }
}
