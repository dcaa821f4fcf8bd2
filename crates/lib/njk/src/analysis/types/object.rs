//! The properties of an object, as far as they are declared.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lattice::{Absent, Type};

/// Whether an object has a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It always has it.
    Required,
    /// A valid object can lack it.
    Optional,
    /// Not known, as with properties of which others decide whether they are there.
    Unclear,
}

/// A property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The type of its value.
    pub ty: Type,
    /// Whether it is there.
    pub presence: Presence,
    /// What its owner calls it, such as a JSON pointer: reads are reported by it.
    pub origins: Vec<Arc<str>>,
}

/// What is known of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// Its declared properties.
    pub properties: BTreeMap<String, Property>,
    /// Whether it can have others.
    pub open: bool,
    /// The type of the others, if it is known.
    pub rest: Option<Type>,
}

impl Object {
    pub(super) fn weight(&self) -> u32 {
        let weights = self.properties.values().map(|it| it.ty.weight() + 1);
        let rest = self.rest.as_ref().map_or(0, Type::weight);
        weights.fold(1, u32::saturating_add).saturating_add(rest)
    }

    /// The type of a property that is not declared.
    pub(super) fn other(&self) -> Type {
        let rest = self.rest.clone();
        rest.map_or_else(Type::unknown, Type::lenient_item)
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let mut properties = BTreeMap::new();
        for (name, property) in &self.properties {
            let merged = match other.properties.get(name) {
                Some(another) => property.union(another),
                None => property.unclear(),
            };
            properties.insert(name.clone(), merged);
        }
        for (name, property) in &other.properties {
            if !properties.contains_key(name) {
                properties.insert(name.clone(), property.unclear());
            }
        }
        Self {
            properties,
            open: self.open || other.open,
            rest: match (&self.rest, &other.rest) {
                (Some(one), Some(another)) => Some(one.union(another)),
                (Some(one), None) if !other.open => Some(one.clone()),
                (None, Some(another)) if !self.open => Some(another.clone()),
                _ => None,
            },
        }
    }
}

impl Property {
    fn union(&self, other: &Self) -> Self {
        let mut origins = self.origins.clone();
        for origin in &other.origins {
            if !origins.contains(origin) {
                origins.push(Arc::clone(origin));
            }
        }
        let presence = if self.presence == other.presence {
            self.presence
        } else {
            Presence::Unclear
        };
        Self {
            ty: self.ty.union(&other.ty),
            presence,
            origins,
        }
    }

    fn unclear(&self) -> Self {
        Self {
            presence: Presence::Unclear,
            ..self.clone()
        }
    }

    /// The type that a template reads.
    pub(super) fn read(&self) -> Type {
        let absent = match self.presence {
            Presence::Required => Absent::Never,
            Presence::Optional => Absent::Declared,
            Presence::Unclear => Absent::Perhaps,
        };
        Type {
            absent,
            ..self.ty.clone()
        }
    }
}
