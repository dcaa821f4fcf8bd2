//! What is known about a value before a template is rendered: a set of the kinds that it can
//! have. What is not known for certain is unknown, about which nothing is ever reported.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::length::Length;
use super::literal::{Numbers, Strings};
use super::object::Object;

/// Types that are larger or deeper are unknown, which bounds the work of comparing them.
const MAX_WEIGHT: u32 = 4_000;
const MAX_DEPTH: u8 = 72;

pub(super) const NULL: u8 = 1;
pub(super) const TRUE: u8 = 2;
pub(super) const FALSE: u8 = 4;
/// Text that HTML escaping does not change, such as the result of a macro.
pub(super) const SAFE: u8 = 8;
/// The variable `loop`.
pub(super) const LOOP: u8 = 16;

/// Whether a value can be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Any {
    /// Only what the other parts of the type say.
    #[default]
    No,
    /// Any value of JSON, and so no function.
    Data,
    /// Anything.
    Anything,
}

/// Whether a value can be undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Absent {
    /// It is defined.
    #[default]
    Never,
    /// Nothing is known.
    Perhaps,
    /// It was declared so.
    Declared,
}

impl Absent {
    pub(super) fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Perhaps }
    }
}

/// The type of a value: the kinds of values that it can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Type {
    pub(super) any: Any,
    pub(super) absent: Absent,
    pub(super) simple: u8,
    pub(super) number: Option<Numbers>,
    pub(super) string: Option<Strings>,
    pub(super) list: Option<Arc<Self>>,
    /// How many items the list has.
    pub(super) items: Length,
    pub(super) object: Option<Arc<Object>>,
    pub(super) weight: u32,
    pub(super) depth: u8,
}

impl Type {
    /// A value of which nothing is known.
    pub fn unknown() -> Self {
        Self {
            any: Any::Anything,
            absent: Absent::Perhaps,
            ..Self::default()
        }
    }

    /// Any value of JSON.
    pub fn data() -> Self {
        Self {
            any: Any::Data,
            ..Self::default()
        }
    }

    /// Null.
    pub fn null() -> Self {
        Self::simple(NULL)
    }

    /// A boolean.
    pub fn boolean() -> Self {
        Self::simple(TRUE | FALSE)
    }

    /// One boolean.
    pub fn literal_boolean(value: bool) -> Self {
        Self::simple(if value { TRUE } else { FALSE })
    }

    /// Any number.
    pub fn number() -> Self {
        Self::numeric(Numbers::any())
    }

    /// A number from `min` to `max`, both inclusive and perhaps infinite.
    pub fn number_between(min: f64, max: f64, integer: bool) -> Self {
        Self::numeric(Numbers::between(min, max, integer))
    }

    /// One of these numbers.
    pub fn numbers(values: impl IntoIterator<Item = f64>) -> Self {
        Self::numeric(Numbers::declared(values.into_iter().collect()))
    }

    /// Any string.
    pub fn string() -> Self {
        Self::text(Strings::any(true))
    }

    /// Any string but the empty one.
    pub fn non_empty_string() -> Self {
        Self::text(Strings::any(false))
    }

    /// A string of a declared form, such as a date, of which nothing more is known.
    pub fn patterned_string() -> Self {
        Self::text(Strings {
            plain: true,
            ..Strings::any(true)
        })
    }

    /// One of these strings: those of an enum.
    pub fn strings<'s>(values: impl IntoIterator<Item = &'s str>) -> Self {
        let values: BTreeSet<Arc<str>> = values.into_iter().map(Arc::from).collect();
        Self::text(Strings::declared(values))
    }

    /// A list of such items.
    pub fn list(item: Self) -> Self {
        let (weight, depth) = (item.weight.saturating_add(1), item.depth.saturating_add(1));
        let this = Self {
            list: Some(Arc::new(item)),
            weight,
            depth,
            ..Self::default()
        };
        this.bounded()
    }

    /// An object.
    pub fn object(object: Object) -> Self {
        let mut weight = 1_u32;
        let mut depth = 0;
        for property in object.properties.values() {
            weight = weight.saturating_add(property.ty.weight).saturating_add(1);
            depth = property.ty.depth.max(depth);
        }
        if let Some(rest) = &object.rest {
            weight = weight.saturating_add(rest.weight);
            depth = rest.depth.max(depth);
        }
        let this = Self {
            object: Some(Arc::new(object)),
            weight,
            depth: depth.saturating_add(1),
            ..Self::default()
        };
        this.bounded()
    }

    /// The same, or undefined, as an optional parameter is.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.absent = Absent::Declared;
        self
    }

    /// The same, never undefined.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.absent = Absent::Never;
        self
    }

    /// The same, or null.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        self.simple |= NULL;
        self
    }

    /// The same, with so many characters or items at least, and at most.
    #[must_use]
    pub fn sized(mut self, min: Option<u64>, max: Option<u64>) -> Self {
        let bound = |value: Option<u64>, other: u32| {
            value.map_or(other, |value| u32::try_from(value).unwrap_or(u32::MAX))
        };
        let length = Length {
            min: bound(min, 0),
            max: bound(max, u32::MAX),
        };
        if let Some(strings) = &mut self.string {
            strings.empty &= length.min == 0;
            strings.length = length;
        }
        if self.list.is_some() {
            self.items = length;
        }
        self
    }

    /// The same numbers, only multiples of this one.
    #[must_use]
    pub fn stepped(mut self, step: f64) -> Self {
        if let Some(numbers) = &mut self.number {
            numbers.step = (step > 0.0).then_some(step);
        }
        self
    }

    /// A value of one type or the other.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let list = match (&self.list, &other.list) {
            (Some(left), Some(right)) if !Arc::ptr_eq(left, right) => {
                Some(Arc::new(left.union(right)))
            }
            (one, another) => one.clone().or_else(|| another.clone()),
        };
        let items = match (&self.list, &other.list) {
            (Some(_), Some(_)) => self.items.union(other.items),
            (Some(_), None) => self.items,
            _ => other.items,
        };
        let object = match (&self.object, &other.object) {
            (Some(left), Some(right)) if !Arc::ptr_eq(left, right) => {
                Some(Arc::new(left.union(right)))
            }
            (one, another) => one.clone().or_else(|| another.clone()),
        };
        let this = Self {
            any: self.any.max(other.any),
            absent: self.absent.or(other.absent),
            simple: self.simple | other.simple,
            number: Numbers::union(self.number.as_ref(), other.number.as_ref()),
            string: Strings::union(self.string.as_ref(), other.string.as_ref()),
            list,
            items,
            object,
            weight: self.weight.saturating_add(other.weight),
            depth: self.depth.max(other.depth),
        };
        this.reweighed().bounded()
    }

    pub(super) fn simple(simple: u8) -> Self {
        Self {
            simple,
            ..Self::default()
        }
    }

    pub(super) fn numeric(numbers: Numbers) -> Self {
        Self {
            number: Some(numbers),
            ..Self::default()
        }
    }

    pub(super) fn text(strings: Strings) -> Self {
        Self {
            string: Some(strings),
            ..Self::default()
        }
    }

    /// The sum of two weights is too high where they share a part.
    fn reweighed(mut self) -> Self {
        let item = self.list.as_ref().map_or(0, |item| item.weight + 1);
        let object = self.object.as_ref().map_or(0, |object| object.weight());
        self.weight = item.saturating_add(object);
        self
    }

    fn bounded(self) -> Self {
        if self.weight > MAX_WEIGHT || self.depth > MAX_DEPTH {
            return Self::unknown();
        }
        self
    }

    pub(super) fn weight(&self) -> u32 {
        self.weight
    }
}
