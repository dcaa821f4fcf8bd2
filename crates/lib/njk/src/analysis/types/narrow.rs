//! What remains of a type after a condition has held, or has not.

use super::lattice::{Absent, Any, FALSE, LOOP, NULL, SAFE, TRUE, Type};
use super::length::Length;
use super::literal::{Numbers, Strings};

impl Type {
    /// Whether a condition with it can hold.
    pub(super) fn may_hold(&self) -> bool {
        self.any != Any::No
            || self.simple & (TRUE | SAFE | LOOP) != 0
            || self.list.is_some()
            || self.object.is_some()
            || self.string.as_ref().is_some_and(|it| it.truthy().is_some())
            || self.number.as_ref().is_some_and(|it| it.truthy().is_some())
    }

    /// Whether a condition with it can fail.
    pub(super) fn may_fail(&self) -> bool {
        self.any != Any::No
            || self.absent != Absent::Never
            || self.simple & (NULL | FALSE | SAFE) != 0
            || self.string.as_ref().is_some_and(|it| it.empty)
            || self.number.as_ref().is_some_and(|it| it.zero)
    }

    /// Nothing can have this type: what is known contradicts itself.
    pub(super) fn is_never(&self) -> bool {
        self.any == Any::No && self.absent == Absent::Never && self.simple == 0 && self.is_nothing()
    }

    /// Only undefined and null, if a value is known at all.
    pub(super) fn is_nothing(&self) -> bool {
        self.simple & !NULL == 0
            && self.number.is_none()
            && self.string.is_none()
            && self.list.is_none()
            && self.object.is_none()
    }

    /// The values with which a condition holds.
    pub(super) fn truthy(&self) -> Self {
        Self {
            absent: Absent::Never,
            simple: self.simple & !(NULL | FALSE),
            string: self.string.as_ref().and_then(Strings::truthy),
            number: self.number.as_ref().and_then(Numbers::truthy),
            ..self.clone()
        }
    }

    /// The values with which a condition fails.
    pub(super) fn falsy(&self) -> Self {
        if self.any != Any::No {
            let zero = Numbers {
                known: None,
                ..Numbers::any()
            };
            return Self {
                absent: self.absent,
                simple: NULL | FALSE,
                string: Some(Strings::literal("")),
                number: Some(Numbers {
                    min: 0.0,
                    max: 0.0,
                    ..zero
                }),
                ..Self::default()
            };
        }
        let empty = self.string.as_ref().filter(|it| it.empty);
        let zero = self.number.as_ref().filter(|it| it.zero);
        Self {
            absent: self.absent,
            simple: self.simple & (NULL | FALSE | SAFE),
            string: empty.map(|_| Strings::literal("")),
            number: zero.map(|_| Numbers::between(0.0, 0.0, true)),
            ..Self::default()
        }
    }

    /// The same, neither undefined nor null.
    pub(super) fn present(&self) -> Self {
        Self {
            absent: Absent::Never,
            simple: self.simple & !NULL,
            ..self.clone()
        }
    }

    /// The number of characters or items.
    pub(super) fn length(&self) -> Self {
        if let Some(known) = self.string.as_ref().and_then(Strings::of_enum)
            && self.is_scalar()
            && self.number.is_none()
            && self.absent == Absent::Never
            && self.simple == 0
        {
            let lengths = known
                .iter()
                .map(|text| u32::try_from(text.encode_utf16().count()));
            return Self::numbers(lengths.map(|length| f64::from(length.unwrap_or(u32::MAX))));
        }
        let known = match (&self.string, &self.list) {
            // A character can count twice.
            (Some(strings), None) if strings.known.is_none() => strings.length.numbers(2),
            (None, Some(_)) => self.items.numbers(1),
            _ => (0.0, f64::INFINITY),
        };
        let is_known = self.any == Any::No && self.object.is_none() && self.simple & SAFE == 0;
        let (min, max) = if is_known {
            known
        } else {
            (0.0, f64::INFINITY)
        };
        let min = if self.absent == Absent::Never && self.simple & NULL == 0 {
            min
        } else {
            0.0
        };
        Self::number_between(min, max, true)
    }

    /// The same list, of any length.
    pub(super) fn unsized_list(mut self) -> Self {
        self.items = Length::default();
        self
    }

    /// The same, not undefined.
    pub(super) fn defined(&self) -> Self {
        Self {
            absent: Absent::Never,
            ..self.clone()
        }
    }

    /// The same, with what was a literal of the template no longer known: a variable with a
    /// constant is no reason to call a branch dead.
    pub(super) fn widened(mut self) -> Self {
        if self.simple & (TRUE | FALSE) != 0 {
            self.simple |= TRUE | FALSE;
        }
        if self.string.as_ref().is_some_and(|it| !it.declared) {
            self.string = Some(Strings::any(true));
        }
        if self.number.as_ref().is_some_and(|it| it.literal) {
            self.number = Some(Numbers::any());
        }
        self
    }

    /// Undefined is possible, but no declaration says so.
    pub(super) fn lenient(mut self) -> Self {
        if self.absent == Absent::Declared {
            self.absent = Absent::Perhaps;
        }
        self
    }

    /// Only strings, numbers and booleans, besides null and undefined.
    pub(super) fn is_scalar(&self) -> bool {
        self.any == Any::No
            && self.list.is_none()
            && self.object.is_none()
            && self.simple & (SAFE | LOOP) == 0
            && (self.string.is_some() || self.number.is_some() || self.simple & (TRUE | FALSE) != 0)
    }

    /// Only objects, besides null and undefined.
    pub(super) fn is_only_object(&self) -> bool {
        self.any == Any::No
            && self.is_valueless()
            && self.list.is_none()
            && (self.object.is_some() || self.simple & LOOP != 0)
    }

    /// Only lists, besides null and undefined.
    pub(super) fn is_only_list(&self) -> bool {
        self.any == Any::No
            && self.is_valueless()
            && self.object.is_none()
            && self.simple & LOOP == 0
            && self.list.is_some()
    }

    /// Prints as `[object Object]`, or as several of these.
    pub(super) fn prints_as_object(&self) -> bool {
        self.is_only_object()
            || (self.is_only_list() && self.list.as_ref().is_some_and(|it| it.prints_as_object()))
    }

    fn is_valueless(&self) -> bool {
        self.string.is_none() && self.number.is_none() && self.simple & (TRUE | FALSE | SAFE) == 0
    }

    /// The name of the kind, for messages.
    pub(super) fn kind(&self) -> Kind {
        if self.is_only_object() {
            Kind::Object
        } else if self.is_only_list() {
            Kind::List
        } else if self.string.is_some() {
            Kind::Text
        } else if self.number.is_some() {
            Kind::Number
        } else if self.simple & (TRUE | FALSE) != 0 {
            Kind::Boolean
        } else {
            Kind::Other
        }
    }
}

impl Strings {
    fn truthy(&self) -> Option<Self> {
        self.retain(|value| !value.is_empty())
    }
}

impl Numbers {
    fn truthy(&self) -> Option<Self> {
        let only_zero = self.min == 0.0 && self.max == 0.0;
        (!only_zero).then(|| self.without(0.0)).flatten()
    }
}

/// The kind of a value, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A string.
    Text,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// A list.
    List,
    /// An object.
    Object,
    /// Something else, or one of several.
    Other,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::List => "a list",
            Self::Object => "an object",
            Self::Other => "a value",
        })
    }
}
