//! Types of values before a template is rendered: sets of the kinds that a value can have. A
//! type that is not certain is unknown, and nothing is ever reported about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// True if a value can be anything.
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

/// True if a value can be undefined.
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
        Self::text(Strings::any())
    }

    /// A string of a declared form, such as a date, of which nothing more is known.
    pub fn patterned_string() -> Self {
        Self::text(Strings {
            plain: true,
            ..Strings::any()
        })
    }

    /// One of these strings of an enum.
    pub fn strings<'s>(values: impl IntoIterator<Item = &'s str>) -> Self {
        let values: BTreeSet<Arc<str>> = values.into_iter().map(Arc::from).collect();
        Self::text(Strings::declared(values))
    }

    /// A list of such items.
    pub fn list(item: Self) -> Self {
        let list = Some(Arc::new(item));
        Self {
            list,
            ..Self::default()
        }
        .measured()
    }

    /// An object.
    pub fn object(object: Object) -> Self {
        let object = Some(Arc::new(object));
        Self {
            object,
            ..Self::default()
        }
        .measured()
    }

    /// Adds undefined, as an optional parameter has it.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.absent = Absent::Declared;
        self
    }

    /// Removes undefined.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.absent = Absent::Never;
        self
    }

    /// Adds null.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        self.simple |= NULL;
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
        let object = match (&self.object, &other.object) {
            (Some(left), Some(right)) if !Arc::ptr_eq(left, right) => {
                Some(Arc::new(left.union(right)))
            }
            (one, another) => one.clone().or_else(|| another.clone()),
        };
        Self {
            any: self.any.max(other.any),
            absent: self.absent.or(other.absent),
            simple: self.simple | other.simple,
            number: Numbers::union(self.number.as_ref(), other.number.as_ref()),
            string: Strings::union(self.string.as_ref(), other.string.as_ref()),
            list,
            object,
            ..Self::default()
        }
        .measured()
    }

    /// Undefined, if a value is known at all.
    pub(super) fn absent() -> Self {
        Self {
            absent: Absent::Perhaps,
            ..Self::default()
        }
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

    /// The type with its weight and depth; unknown if they are too large.
    fn measured(mut self) -> Self {
        let object = self.object.as_deref();
        let inner = object.into_iter().flat_map(Object::inner);
        let object_weight = inner.clone().fold(u32::from(object.is_some()), |sum, it| {
            sum.saturating_add(it.weight).saturating_add(1)
        });
        let list = self.list.as_deref();
        let list_weight = list.map_or(0, |item| item.weight.saturating_add(1));
        let depth = inner.chain(list).map(|it| it.depth.saturating_add(1)).max();
        let depth = depth.unwrap_or_else(|| u8::from(object.is_some()));
        (self.weight, self.depth) = (list_weight.saturating_add(object_weight), depth);
        if self.weight > MAX_WEIGHT || self.depth > MAX_DEPTH {
            return Self::unknown();
        }
        self
    }
}

/// A property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The type of its value, with undefined if a valid object can lack it.
    pub ty: Type,
    /// Its names for its owner, such as a JSON pointer: reads are reported by it.
    pub origins: Vec<Arc<str>>,
}

/// The declared shape of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// Its declared properties.
    pub properties: BTreeMap<String, Property>,
    /// True if it can have others.
    pub open: bool,
    /// The type of the others, if it is known.
    pub rest: Option<Type>,
}

impl Object {
    /// The types of the values in it.
    fn inner(&self) -> impl Iterator<Item = &Type> + Clone {
        let types = self.properties.values().map(|property| &property.ty);
        types.chain(&self.rest)
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
        Self {
            ty: self.ty.union(&other.ty),
            origins,
        }
    }

    /// The property, which others decide whether it is there.
    fn unclear(&self) -> Self {
        Self {
            ty: self.ty.clone().lenient_item(),
            origins: self.origins.clone(),
        }
    }
}

/// Larger enums are taken for any string.
const MAX_KNOWN: usize = 256;

/// The strings that a value can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Strings {
    /// All of them, if they are known.
    pub(super) known: Option<Arc<BTreeSet<Arc<str>>>>,
    /// They come from an enum, not from a literal in the template.
    pub(super) declared: bool,
    /// They have a declared form, such as a date.
    pub(super) plain: bool,
}

impl Strings {
    pub(super) fn any() -> Self {
        Self::default()
    }

    pub(super) fn literal(text: &str) -> Self {
        Self {
            known: Some(Arc::new(BTreeSet::from([Arc::from(text)]))),
            ..Self::default()
        }
    }

    pub(super) fn declared(values: BTreeSet<Arc<str>>) -> Self {
        Self {
            known: (values.len() <= MAX_KNOWN).then(|| Arc::new(values)),
            declared: true,
            plain: false,
        }
    }

    /// Returns true if the empty string can be among them.
    pub(super) fn may_be_empty(&self) -> bool {
        self.known.as_ref().is_none_or(|known| known.contains(""))
    }

    /// The values of an enum, if it is one.
    pub(super) fn of_enum(&self) -> Option<&BTreeSet<Arc<str>>> {
        self.known.as_deref().filter(|_| self.declared)
    }

    pub(super) fn union(left: Option<&Self>, right: Option<&Self>) -> Option<Self> {
        let (Some(left), Some(right)) = (left, right) else {
            return left.or(right).cloned();
        };
        Some(match (&left.known, &right.known) {
            (Some(one), Some(other)) if one.len() + other.len() <= MAX_KNOWN => Self {
                known: Some(Arc::new(one.union(other).cloned().collect())),
                declared: left.declared && right.declared,
                plain: false,
            },
            _ => Self {
                plain: left.plain && right.plain,
                ..Self::any()
            },
        })
    }

    /// Changes each of them, if they are the values of an enum.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Option<Self> {
        let changed = self.of_enum()?.iter().map(|value| Arc::from(change(value)));
        Some(Self::declared(changed.collect()))
    }

    /// The strings without the empty one; `None` if that leaves nothing.
    pub(super) fn truthy(&self) -> Option<Self> {
        let mut this = self.clone();
        if let Some(known) = &mut this.known {
            Arc::make_mut(known).remove("");
        }
        (!this.known.as_ref().is_some_and(|known| known.is_empty())).then_some(this)
    }
}

/// The numbers that a value can be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbers {
    /// All of them, if they are known.
    pub(super) known: Option<Arc<Vec<f64>>>,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) integer: bool,
    /// They are literals in the template.
    pub(super) literal: bool,
}

impl Numbers {
    pub(super) fn any() -> Self {
        Self::between(f64::NEG_INFINITY, f64::INFINITY, false)
    }

    pub(super) fn between(min: f64, max: f64, integer: bool) -> Self {
        Self {
            known: None,
            min,
            max,
            integer,
            literal: false,
        }
    }

    pub(super) fn declared(values: Vec<f64>) -> Self {
        Self {
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            integer: values.iter().all(|value| value.fract() == 0.0),
            known: (values.len() <= MAX_KNOWN).then(|| Arc::new(values)),
            literal: false,
        }
    }

    pub(super) fn of_literal(value: f64) -> Self {
        Self {
            literal: true,
            ..Self::declared(vec![value])
        }
    }

    pub(super) fn union(left: Option<&Self>, right: Option<&Self>) -> Option<Self> {
        let (Some(left), Some(right)) = (left, right) else {
            return left.or(right).cloned();
        };
        let known = match (&left.known, &right.known) {
            (Some(one), Some(other)) if one.len() + other.len() <= MAX_KNOWN => {
                let mut all = one.to_vec();
                all.extend(other.iter().filter(|value| !one.contains(value)));
                Some(Arc::new(all))
            }
            _ => None,
        };
        Some(Self {
            known,
            min: left.min.min(right.min),
            max: left.max.max(right.max),
            integer: left.integer && right.integer,
            literal: left.literal || right.literal,
        })
    }

    /// Returns true if `value` can be one of them.
    pub(super) fn contains(&self, value: f64) -> bool {
        let is_whole = !self.integer || value.fract() == 0.0;
        let is_between = value >= self.min && value <= self.max && is_whole;
        self.known
            .as_ref()
            .map_or(is_between, |known| known.contains(&value))
    }

    /// The numbers without 0; `None` if that leaves nothing.
    pub(super) fn truthy(&self) -> Option<Self> {
        (self.min != 0.0 || self.max != 0.0).then(|| self.clone())
    }
}
