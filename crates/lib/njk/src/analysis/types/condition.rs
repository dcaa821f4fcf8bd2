//! Conditions: whether they can hold, and what is known when they do, or do not.

use super::checker::Checker;
use super::dropped::droppable;
use super::lattice::{FALSE, TRUE, Type};
use super::problem::Problem;
use super::scope::{Fact, Facts, Place};
use crate::ast::{Binary, Expression, Kind, Unary};
use crate::walk;

/// More facts than these of one condition are not kept.
const MAX_FACTS: usize = 64;

/// A condition that was checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Judged {
    pub(super) ty: Type,
    /// What is known if it holds.
    pub(super) yes: Facts,
    /// What is known if it fails.
    pub(super) no: Facts,
}

impl Judged {
    pub(super) fn of(ty: Type) -> Self {
        Self {
            ty,
            ..Self::default()
        }
    }

    /// The same, if what holds fails.
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
                self.alternatives(one, false, &mut judged.no);
                judged
            }
            Kind::Binary(Binary::Or, left, right) => {
                let mut judged = self.either(left, right);
                self.alternatives(one, true, &mut judged.yes);
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
                let yes = self.mentioned(one);
                Judged {
                    ty,
                    yes,
                    no: Facts::new(),
                }
            }
        }
    }

    fn both(&mut self, left: &Expression, right: &Expression) -> Judged {
        let first = self.judge(left);
        let mark = self.scope.facts_mark();
        self.scope.learn(&first.yes);
        let dead = !first.ty.may_hold();
        let second = self.branch(dead, |this| this.judge(right));
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
        let dead = !first.ty.may_fail();
        let second = self.branch(dead, |this| this.judge(right));
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
            let yes = self.mentioned(one);
            return Judged {
                ty,
                yes,
                no: Facts::new(),
            };
        };
        let dropped = droppable(&ty).map(|dropped| (one.span, dropped));
        let mut yes = self.prefixes(one);
        yes.push((
            place.clone(),
            Fact {
                ty: ty.truthy(),
                dropped,
                others: None,
            },
        ));
        let mut no = vec![(place, fact(ty.falsy()))];
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
    pub(super) fn there(&mut self, one: &Expression) -> Option<(Place, Fact)> {
        let place = self.place(one)?;
        let ty = self.quietly(|this| this.expression(one));
        let dropped = self.scope.fact(&place).and_then(|fact| fact.dropped);
        let ty = ty.present();
        let others = None;
        Some((
            place,
            Fact {
                ty,
                dropped,
                others,
            },
        ))
    }

    /// All values that an expression mentions are taken to be there if it holds.
    pub(super) fn mentioned(&mut self, one: &Expression) -> Facts {
        let mut found: Vec<&Expression> = Vec::new();
        walk::expression(one, &mut |inner| {
            let is_path = matches!(
                inner.kind,
                Kind::Name(_) | Kind::Member(..) | Kind::Index(..)
            );
            if is_path && found.len() < MAX_FACTS {
                found.push(inner);
            }
        });
        // Inner ones come first: what is known of a member is not known of its owner.
        let mut facts: Facts = Vec::new();
        for inner in found.into_iter().rev() {
            facts.extend(self.there(inner));
        }
        facts
    }

    /// Runs `work` as if no condition had shown anything.
    pub(super) fn unnarrowed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let facts = self.scope.take_facts();
        let result = self.quietly(work);
        self.scope.put_facts(facts);
        result
    }
}

pub(super) fn fact(ty: Type) -> Fact {
    Fact {
        ty,
        dropped: None,
        others: None,
    }
}

/// What is known if both hold.
fn joined(left: &Facts, right: &Facts) -> Facts {
    left.iter().chain(right).take(MAX_FACTS).cloned().collect()
}

/// What is known if one of both holds.
fn common(left: &Facts, right: &Facts) -> Facts {
    let last = |facts: &Facts, place: &Place| {
        let mut matching = facts.iter().rev();
        matching.find(|(other, _)| other == place).cloned()
    };
    let mut both = Facts::new();
    for (place, one) in left {
        if let (Some((_, first)), Some((_, second))) = (last(left, place), last(right, place))
            && !both.iter().any(|(other, _)| other == place)
        {
            both.push((
                place.clone(),
                Fact {
                    ty: first.ty.union(&second.ty),
                    dropped: one.dropped.and(second.dropped),
                    others: None,
                },
            ));
        }
    }
    both
}
