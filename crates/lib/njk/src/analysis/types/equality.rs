//! What can be equal, and what remains of a type if it is, or is not.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lattice::{Absent, Any, FALSE, LOOP, NULL, SAFE, TRUE, Type};
use super::literal::Numbers;
use crate::value::number;

/// Whether a type has one value, or is that of null.
pub(super) fn is_constant(ty: &Type) -> bool {
    let strings = ty.string.as_ref().and_then(|it| it.known.as_ref());
    let numbers = ty.number.as_ref().and_then(|it| it.known.as_ref());
    let count = strings.map_or(0, |it| it.len())
        + numbers.map_or(0, |it| it.len())
        + usize::from(ty.simple.is_power_of_two());
    ty.any == Any::No
        && ty.absent == Absent::Never
        && ty.list.is_none()
        && ty.object.is_none()
        && (ty.string.is_none() || strings.is_some())
        && (ty.number.is_none() || numbers.is_some())
        && count == 1
}

/// Whether values of both types can be equal; true if nothing is known.
pub(super) fn may_equal(left: &Type, right: &Type, strict: bool) -> bool {
    let opaque = |ty: &Type| ty.any != Any::No || ty.simple & (SAFE | LOOP) != 0;
    if opaque(left) || opaque(right) {
        return true;
    }
    let nothing = |ty: &Type| ty.simple & NULL != 0 || ty.absent != Absent::Never;
    if nothing(left) && nothing(right) {
        return true;
    }
    let lists = left.list.is_some() && right.list.is_some();
    let objects = left.object.is_some() && right.object.is_some();
    if lists || objects || left.simple & right.simple & (TRUE | FALSE) != 0 {
        return true;
    }
    if let (Some(one), Some(other)) = (&left.string, &right.string) {
        let may = match (&one.known, &other.known) {
            (Some(one), Some(other)) => one.iter().any(|value| other.contains(value)),
            (Some(known), None) => known.iter().any(|value| other.may_be(value)),
            (None, Some(known)) => known.iter().any(|value| one.may_be(value)),
            (None, None) => true,
        };
        if may {
            return true;
        }
    }
    if let (Some(one), Some(other)) = (&left.number, &right.number)
        && overlap(one, other)
    {
        return true;
    }
    !strict && (converts(left, right) || converts(right, left))
}

fn overlap(one: &Numbers, other: &Numbers) -> bool {
    match (&one.known, &other.known) {
        (Some(known), _) => known.iter().any(|value| other.contains(*value)),
        (_, Some(known)) => known.iter().any(|value| one.contains(*value)),
        _ => one.min <= other.max && other.min <= one.max,
    }
}

/// Whether JavaScript's conversions can make values of different kinds equal.
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

/// What remains of a type if its value equals a constant.
pub(super) fn equal_to(ty: &Type, other: &Type, strict: bool) -> Type {
    if ty.any != Any::No {
        return if other.simple & NULL == 0 {
            ty.present()
        } else {
            ty.clone()
        };
    }
    if other.simple & NULL != 0 {
        return Type {
            absent: if strict { Absent::Never } else { ty.absent },
            simple: ty.simple & NULL,
            ..Type::default()
        };
    }
    let known = other.string.as_ref().and_then(|it| it.known.clone());
    let keep = |text: &str| {
        let is = |known: &Arc<BTreeSet<Arc<str>>>| known.contains(text);
        known.as_ref().is_none_or(is) || !strict
    };
    let strings = match (&ty.string, &other.string) {
        (Some(strings), Some(_)) => {
            let exact = strings.retain(|text| known.as_ref().is_none_or(|it| it.contains(text)));
            exact.or_else(|| strings.retain(keep))
        }
        (strings, _) => strings.clone().filter(|_| !strict),
    };
    Type {
        absent: Absent::Never,
        simple: ty.simple & !NULL,
        string: strings,
        ..ty.clone()
    }
}

/// What remains of a type if its value differs from a constant.
pub(super) fn different_from(ty: &Type, other: &Type, strict: bool) -> Type {
    if other.simple & NULL != 0 {
        return if strict {
            Type {
                simple: ty.simple & !NULL,
                ..ty.clone()
            }
        } else {
            ty.present()
        };
    }
    if other.simple & (TRUE | FALSE) != 0 {
        return Type {
            simple: ty.simple & !other.simple,
            ..ty.clone()
        };
    }
    let known = other.string.as_ref().and_then(|it| it.known.clone());
    let numbers = other.number.as_ref().and_then(|it| it.known.clone());
    let string = match (&ty.string, known) {
        (Some(strings), Some(known)) => strings.retain(|text| !known.contains(text)),
        (strings, _) => strings.clone(),
    };
    let number = match (&ty.number, numbers.as_deref().map(Vec::as_slice)) {
        (Some(numbers), Some([one])) => numbers.without(*one),
        (numbers, _) => numbers.clone(),
    };
    Type {
        number,
        string,
        ..ty.clone()
    }
}
