//! The variables at one point of a template, and what the conditions around it have shown.

use std::collections::HashMap;
use std::rc::Rc;

use super::lattice::Type;
use crate::error::Span;

/// A variable, or a member of one, that nothing can change while it is in scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// The binding that it begins with.
    pub(super) root: usize,
    /// The members, each after a separator that no name contains.
    pub(super) path: String,
}

impl Place {
    /// The place of a member.
    pub(super) fn member(&self, name: &str) -> Self {
        Self {
            root: self.root,
            path: format!("{}\u{1}{name}", self.path),
        }
    }
}

/// What is known about a place.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) ty: Type,
    /// The condition that asked whether the value is there, if that drops a valid one.
    pub(super) dropped: Option<(Span, &'static str)>,
    /// The value is there if none of these is.
    pub(super) others: Option<Rc<Vec<Place>>>,
}

pub(super) type Facts = Vec<(Place, Fact)>;

/// What a name that is not a value refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Value,
    /// The macro of that number.
    Macro(usize),
    /// The template of that number.
    Module(usize),
}

/// What a condition with a value shows when it holds, and when it fails.
#[derive(Clone, Debug, Default)]
pub(super) struct Implied {
    pub(super) yes: Facts,
    pub(super) no: Facts,
}

#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) id: usize,
    pub(super) ty: Type,
    pub(super) role: Role,
    /// Conditions show nothing about it: it may change.
    pub(super) volatile: bool,
    pub(super) implied: Option<Rc<Implied>>,
}

/// Bindings and facts, with what to restore at the end of a scope.
#[derive(Debug, Default)]
pub(super) struct Scope {
    bindings: HashMap<String, Binding>,
    facts: HashMap<Place, Fact>,
    bound: Vec<(String, Option<Binding>)>,
    learnt: Vec<(Place, Option<Fact>)>,
    next: usize,
    /// What was bound up to here has the variables of the context.
    context: usize,
}

impl Scope {
    /// Ends the variables of the context.
    pub(super) fn end_context(&mut self) {
        self.context = self.next;
    }

    /// Whether a place begins with a variable of the context.
    pub(super) fn is_context(&self, place: &Place) -> bool {
        place.root <= self.context
    }

    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (&String, &Binding)> {
        self.bindings.iter()
    }

    pub(super) fn fact(&self, place: &Place) -> Option<&Fact> {
        self.facts.get(place)
    }

    pub(super) fn bind(&mut self, name: &str, ty: Type) {
        self.bind_as(name, ty, Role::Value, false, None);
    }

    pub(super) fn bind_as(
        &mut self,
        name: &str,
        ty: Type,
        role: Role,
        volatile: bool,
        implied: Option<Rc<Implied>>,
    ) {
        self.next += 1;
        let binding = Binding {
            id: self.next,
            ty,
            role,
            volatile,
            implied,
        };
        self.restore(name.to_owned(), Some(binding));
    }

    /// Sets or removes a binding, and remembers the one before.
    pub(super) fn restore(&mut self, name: String, binding: Option<Binding>) {
        let before = match binding {
            Some(binding) => self.bindings.insert(name.clone(), binding),
            None => self.bindings.remove(&name),
        };
        self.bound.push((name, before));
    }

    pub(super) fn learn(&mut self, facts: &Facts) {
        for (place, fact) in facts {
            let mut fact = fact.clone();
            if fact.ty.is_never() {
                // Beyond all values of an enum, nothing is certain.
                fact.ty = Type::unknown();
            }
            let before = self.facts.insert(place.clone(), fact);
            self.learnt.push((place.clone(), before));
        }
    }

    /// Takes all facts away, until they are put back.
    pub(super) fn take_facts(&mut self) -> HashMap<Place, Fact> {
        std::mem::take(&mut self.facts)
    }

    pub(super) fn put_facts(&mut self, facts: HashMap<Place, Fact>) {
        self.facts = facts;
    }

    /// Marks the facts known now.
    pub(super) fn facts_mark(&self) -> usize {
        self.learnt.len()
    }

    pub(super) fn forget_to(&mut self, mark: usize) {
        while self.learnt.len() > mark {
            if let Some((place, before)) = self.learnt.pop() {
                match before {
                    Some(fact) => self.facts.insert(place, fact),
                    None => self.facts.remove(&place),
                };
            }
        }
    }

    /// Marks the bindings of now.
    pub(super) fn mark(&self) -> usize {
        self.bound.len()
    }

    /// Undoes what was bound after a mark, and returns the names and what they were bound to.
    pub(super) fn undo_to(&mut self, mark: usize) -> HashMap<String, Option<Binding>> {
        let mut undone = HashMap::new();
        while self.bound.len() > mark {
            if let Some((name, before)) = self.bound.pop() {
                let last = match before {
                    Some(binding) => self.bindings.insert(name.clone(), binding),
                    None => self.bindings.remove(&name),
                };
                undone.entry(name).or_insert(last);
            }
        }
        undone
    }
}
