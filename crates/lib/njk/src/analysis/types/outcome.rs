//! What a test shows about a type: what remains if it holds, and if it fails.

use super::lattice::{Absent, Any, NULL, SAFE, Type};

/// What a test shows.
pub(super) struct Outcome {
    /// The type with which it holds.
    pub(super) yes: Type,
    /// The type with which it fails.
    pub(super) no: Type,
    /// Whether it can hold.
    pub(super) holds: bool,
    /// Whether it can fail.
    pub(super) fails: bool,
}

/// What a test shows; `None` for one that asks for more than a type.
pub(super) fn outcome(test: &str, ty: &Type) -> Option<Outcome> {
    Some(match test {
        "defined" => defined(ty),
        "undefined" => defined(ty).negated(),
        "truthy" => truthy(ty),
        "falsy" => truthy(ty).negated(),
        "null" => {
            let null = Type {
                simple: ty.simple & NULL,
                ..Type::default()
            };
            let rest = Type {
                simple: ty.simple & !NULL,
                ..ty.clone()
            };
            kind(ty, null, rest, Type::null())
        }
        "string" => {
            let string = Type {
                string: ty.string.clone(),
                ..Type::default()
            };
            let rest = Type {
                string: None,
                ..ty.clone()
            };
            kind(ty, string, rest, Type::string())
        }
        "number" => {
            let number = Type {
                number: ty.number.clone(),
                ..Type::default()
            };
            let rest = Type {
                number: None,
                ..ty.clone()
            };
            kind(ty, number, rest, Type::number())
        }
        "mapping" => {
            let object = Type {
                object: ty.object.clone(),
                simple: ty.simple & SAFE,
                ..Type::default()
            };
            let rest = Type {
                object: None,
                ..ty.clone()
            };
            kind(ty, object, rest, ty.present())
        }
        _ => return None,
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

/// A test for a kind of values: the part of the type that is of the kind, the rest, and the kind
/// itself.
fn kind(ty: &Type, part: Type, rest: Type, whole: Type) -> Outcome {
    if ty.any != Any::No {
        return Outcome {
            yes: whole,
            no: ty.clone(),
            holds: true,
            fails: true,
        };
    }
    Outcome {
        holds: !part.is_never(),
        fails: !rest.is_never(),
        yes: part,
        no: rest,
    }
}
