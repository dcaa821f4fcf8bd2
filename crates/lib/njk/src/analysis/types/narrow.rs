//! Narrowing of types by conditions.

use super::lattice::{Absent, Any, FALSE, LOOP, NULL, Numbers, SAFE, Strings, TRUE, Type};
use crate::value::number;

impl Type {
    /// Returns true if a condition with it can hold.
    pub(super) fn may_hold(&self) -> bool {
        self.any != Any::No
            || self.simple & (TRUE | SAFE | LOOP) != 0
            || self.list.is_some()
            || self.object.is_some()
            || self.string.as_ref().is_some_and(|it| it.truthy().is_some())
            || self.number.as_ref().is_some_and(|it| it.truthy().is_some())
    }

    /// Returns true if a condition with it can fail.
    pub(super) fn may_fail(&self) -> bool {
        self.any != Any::No
            || self.absent != Absent::Never
            || self.simple & (NULL | FALSE | SAFE) != 0
            || self.string.as_ref().is_some_and(Strings::may_be_empty)
            || self.number.as_ref().is_some_and(|it| it.contains(0.0))
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
        let open = self.any != Any::No;
        let empty = open || self.string.as_ref().is_some_and(Strings::may_be_empty);
        let zero = open || self.number.as_ref().is_some_and(|it| it.contains(0.0));
        let simple = if open { NULL | FALSE } else { self.simple };
        Self {
            absent: self.absent,
            simple: simple & (NULL | FALSE | SAFE),
            string: empty.then(|| Strings::literal("")),
            number: zero.then(|| Numbers::between(0.0, 0.0, true)),
            ..Self::default()
        }
    }

    /// The type without undefined and null.
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
        Self::number_between(0.0, f64::INFINITY, true)
    }

    /// The type without undefined.
    pub(super) fn defined(&self) -> Self {
        Self {
            absent: Absent::Never,
            ..self.clone()
        }
    }

    /// The type without literals of the template: a variable with a
    /// constant is no reason to call a branch dead.
    pub(super) fn widened(mut self) -> Self {
        if self.simple & (TRUE | FALSE) != 0 {
            self.simple |= TRUE | FALSE;
        }
        if self.string.as_ref().is_some_and(|it| !it.declared) {
            self.string = Some(Strings::any());
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

    /// The kind that every value of the type has; `Other` if there are several.
    pub(super) fn only_kind(&self) -> Kind {
        let booleans = self.simple & (TRUE | FALSE);
        let parts = [
            self.string.is_some(),
            self.number.is_some(),
            self.list.is_some(),
            self.object.is_some(),
            booleans != 0,
        ];
        let count = parts.into_iter().filter(|is_there| *is_there).count();
        if self.any == Any::No && count == 1 && self.simple == booleans {
            self.kind()
        } else {
            Kind::Other
        }
    }
}

/// The kind of a value, for messages.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A string.
    #[error("a string")]
    Text,
    /// A number.
    #[error("a number")]
    Number,
    /// A boolean.
    #[error("a boolean")]
    Boolean,
    /// A list.
    #[error("a list")]
    List,
    /// An object.
    #[error("an object")]
    Object,
    /// Something else, or one of several.
    #[error("a value")]
    Other,
}

/// The outcome of a test.
pub(super) struct Outcome {
    /// The type with which it holds.
    pub(super) yes: Type,
    /// The type with which it fails.
    pub(super) no: Type,
    /// True if it can hold.
    pub(super) holds: bool,
    /// True if it can fail.
    pub(super) fails: bool,
}

/// The outcome of a test; `None` for one that asks for more than a type.
pub(super) fn outcome(test: &str, ty: &Type) -> Option<Outcome> {
    Some(match test {
        "defined" => defined(ty),
        "undefined" => defined(ty).negated(),
        "truthy" => truthy(ty),
        "falsy" => truthy(ty).negated(),
        _ => return kind(test, ty),
    })
}

impl Outcome {
    fn negated(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
            holds: self.fails,
            fails: self.holds,
        }
    }
}

fn defined(ty: &Type) -> Outcome {
    let absent = match ty.absent {
        Absent::Declared => Absent::Declared,
        Absent::Never | Absent::Perhaps => Absent::Perhaps,
    };
    let absent = Type {
        absent,
        ..Type::default()
    };
    Outcome {
        holds: !ty.defined().is_never(),
        fails: ty.absent != Absent::Never || ty.any == Any::Anything,
        yes: ty.defined(),
        no: absent,
    }
}

fn truthy(ty: &Type) -> Outcome {
    Outcome {
        yes: ty.truthy(),
        no: ty.falsy(),
        holds: ty.may_hold(),
        fails: ty.may_fail(),
    }
}

/// The outcome of a test for a kind of values: the type is divided into the part of that kind, and
/// the rest.
fn kind(test: &str, ty: &Type) -> Option<Outcome> {
    let (mut part, mut rest) = (Type::default(), ty.clone());
    let whole = match test {
        "null" => {
            part.simple = ty.simple & NULL;
            rest.simple &= !NULL;
            Type::null()
        }
        "string" => {
            part.string = rest.string.take();
            Type::string()
        }
        "number" => {
            part.number = rest.number.take();
            Type::number()
        }
        "mapping" => {
            part.simple = ty.simple & SAFE;
            part.object = rest.object.take();
            ty.present()
        }
        _ => return None,
    };
    if ty.any != Any::No {
        (part, rest) = (whole, ty.clone());
    }
    Some(Outcome {
        holds: ty.any != Any::No || !part.is_never(),
        fails: ty.any != Any::No || !rest.is_never(),
        yes: part,
        no: rest,
    })
}

/// Returns true if values of both types can be equal; true if nothing is known.
pub(super) fn may_equal(left: &Type, right: &Type, strict: bool) -> bool {
    let opaque = |ty: &Type| ty.any != Any::No || ty.simple & (SAFE | LOOP) != 0;
    let nothing = |ty: &Type| ty.simple & NULL != 0 || ty.absent != Absent::Never;
    let booleans = left.simple & right.simple & (TRUE | FALSE) != 0;
    let lists = left.list.is_some() && right.list.is_some();
    let objects = left.object.is_some() && right.object.is_some();
    let strings = left.string.as_ref().zip(right.string.as_ref());
    let strings = strings.is_some_and(|(one, other)| match (&one.known, &other.known) {
        (Some(one), Some(other)) => one.iter().any(|value| other.contains(value)),
        _ => true,
    });
    let numbers = left.number.as_ref().zip(right.number.as_ref());
    let numbers = numbers.is_some_and(|(one, other)| overlap(one, other));
    let alike = booleans || lists || objects || strings || numbers;
    (opaque(left) || opaque(right) || alike)
        || (nothing(left) && nothing(right))
        || (!strict && (converts(left, right) || converts(right, left)))
}

fn overlap(one: &Numbers, other: &Numbers) -> bool {
    match (&one.known, &other.known) {
        (Some(known), _) => known.iter().any(|value| other.contains(*value)),
        (_, Some(known)) => known.iter().any(|value| one.contains(*value)),
        _ => one.min <= other.max && other.min <= one.max,
    }
}

/// Returns true if JavaScript's conversions can make values of different kinds equal.
fn converts(left: &Type, right: &Type) -> bool {
    let scalar =
        right.string.is_some() || right.number.is_some() || right.simple & (TRUE | FALSE) != 0;
    if left.list.is_some() && scalar {
        return true;
    }
    let as_numbers = |ty: &Type| -> Vec<Numbers> {
        let mut all: Vec<Numbers> = ty.number.iter().cloned().collect();
        if ty.simple & TRUE != 0 {
            all.push(Numbers::declared(vec![1.0]));
        }
        if ty.simple & FALSE != 0 {
            all.push(Numbers::declared(vec![0.0]));
        }
        all
    };
    let (numbers, others) = (as_numbers(left), as_numbers(right));
    let crossed = |one: &Numbers| others.iter().any(|other| overlap(one, other));
    if left.number.is_some() && right.simple & (TRUE | FALSE) != 0 && numbers.iter().any(crossed) {
        return true;
    }
    let Some(strings) = &right.string else {
        return false;
    };
    let Some(known) = &strings.known else {
        return !numbers.is_empty() || left.object.is_some();
    };
    known.iter().any(|text| {
        let value = number::parse(text);
        let number = !value.is_nan() && numbers.iter().any(|it| it.contains(value));
        number || (left.object.is_some() && &**text == "[object Object]")
    })
}
