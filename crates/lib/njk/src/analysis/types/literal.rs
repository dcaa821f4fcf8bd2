//! The strings and the numbers that a value can be: any, a range, or the values of an enum.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lattice::Length;

/// Larger enums are taken for any string.
const MAX_KNOWN: usize = 256;

/// The strings that a value can be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strings {
    /// All of them, if they are known.
    pub(super) known: Option<Arc<BTreeSet<Arc<str>>>>,
    /// True if the empty string is among them.
    pub(super) empty: bool,
    /// They come from an enum, not from a literal in the template.
    pub(super) declared: bool,
    /// They have a form that leaves no room for quotes.
    pub(super) plain: bool,
    /// Their lengths, if they are not known.
    pub(super) length: Length,
}

impl Strings {
    pub(super) fn any(empty: bool) -> Self {
        Self {
            known: None,
            empty,
            declared: false,
            plain: false,
            length: Length::default(),
        }
    }

    pub(super) fn literal(text: &str) -> Self {
        Self {
            known: Some(Arc::new(BTreeSet::from([Arc::from(text)]))),
            empty: text.is_empty(),
            declared: false,
            plain: false,
            length: Length::default(),
        }
    }

    pub(super) fn declared(values: BTreeSet<Arc<str>>) -> Self {
        Self {
            empty: values.iter().any(|value| value.is_empty()),
            known: (values.len() <= MAX_KNOWN).then(|| Arc::new(values)),
            declared: true,
            plain: false,
            length: Length::default(),
        }
    }

    /// Returns true if they can be this text, by what is known besides their values.
    pub(super) fn may_be(&self, text: &str) -> bool {
        (self.empty || !text.is_empty()) && self.length.is_of(text)
    }

    /// The values of an enum, if it is one.
    pub(super) fn of_enum(&self) -> Option<&BTreeSet<Arc<str>>> {
        self.known.as_deref().filter(|_| self.declared)
    }

    pub(super) fn union(left: Option<&Self>, right: Option<&Self>) -> Option<Self> {
        let (Some(left), Some(right)) = (left, right) else {
            return left.or(right).cloned();
        };
        let declared = left.declared && right.declared;
        let empty = left.empty || right.empty;
        Some(match (&left.known, &right.known) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => left.clone(),
            (Some(one), Some(other)) if one.len() + other.len() <= MAX_KNOWN => Self {
                known: Some(Arc::new(one.union(other).cloned().collect())),
                empty,
                declared,
                ..Self::any(empty)
            },
            (None, None) => Self {
                plain: left.plain && right.plain,
                length: left.length.union(right.length),
                ..Self::any(empty)
            },
            _ => Self {
                plain: left.plain && right.plain,
                ..Self::any(empty)
            },
        })
    }

    /// Changes each of them, if they are the values of an enum.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Option<Self> {
        let known = self.of_enum()?;
        let changed = known.iter().map(|value| Arc::from(change(value)));
        Some(Self::declared(changed.collect()))
    }

    /// Keeps the strings that pass `keep`, if they are known; none if that leaves nothing.
    pub(super) fn retain(&self, keep: impl Fn(&str) -> bool) -> Option<Self> {
        let Some(known) = &self.known else {
            return Some(Self {
                empty: self.empty && keep(""),
                ..self.clone()
            });
        };
        let kept: BTreeSet<Arc<str>> = known.iter().filter(|value| keep(value)).cloned().collect();
        (!kept.is_empty()).then(|| Self {
            empty: kept.iter().any(|value| value.is_empty()),
            known: Some(Arc::new(kept)),
            declared: self.declared,
            plain: self.plain,
            length: self.length,
        })
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
    /// True if 0 is among them.
    pub(super) zero: bool,
    /// They are literals in the template.
    pub(super) literal: bool,
    /// They are multiples of this number.
    pub(super) step: Option<f64>,
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
            zero: min <= 0.0 && max >= 0.0,
            literal: false,
            step: None,
        }
    }

    pub(super) fn declared(values: Vec<f64>) -> Self {
        let min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self {
            min,
            max,
            integer: values.iter().all(|value| value.fract() == 0.0),
            zero: values.contains(&0.0),
            known: (values.len() <= MAX_KNOWN).then(|| Arc::new(values)),
            literal: false,
            step: None,
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
            (Some(one), Some(other)) if one == other => left.known.clone(),
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
            zero: left.zero || right.zero,
            literal: left.literal || right.literal,
            step: left.step.filter(|_| left.step == right.step),
        })
    }

    /// Returns true if `value` can be one of them.
    pub(super) fn contains(&self, value: f64) -> bool {
        if value == 0.0 && !self.zero {
            return false;
        }
        if let Some(known) = &self.known {
            return known.contains(&value);
        }
        let is_multiple = |step: f64| {
            let quotient = value / step;
            (quotient - quotient.round()).abs() < 1e-9
        };
        value >= self.min
            && value <= self.max
            && (!self.integer || value.fract() == 0.0)
            && self.step.is_none_or(is_multiple)
    }

    /// Keeps the numbers from `min` to `max`; none if there are none.
    pub(super) fn limited(&self, min: f64, max: f64) -> Option<Self> {
        let within = |value: &f64| *value >= min && *value <= max;
        let known: Option<Vec<f64>> = self
            .known
            .as_ref()
            .map(|all| all.iter().copied().filter(within).collect());
        let (min, max) = (self.min.max(min), self.max.min(max));
        let is_empty = min > max || known.as_ref().is_some_and(Vec::is_empty);
        (!is_empty).then(|| Self {
            zero: self.zero && min <= 0.0 && max >= 0.0,
            known: known.map(Arc::new),
            min,
            max,
            ..self.clone()
        })
    }

    /// Removes one of them; none if that leaves nothing.
    #[expect(
        clippy::float_cmp,
        reason = "the values of an enum are compared exactly"
    )]
    pub(super) fn without(&self, value: f64) -> Option<Self> {
        let zero = self.zero && value != 0.0;
        let Some(known) = &self.known else {
            return Some(Self {
                zero,
                ..self.clone()
            });
        };
        let rest: Vec<f64> = known.iter().copied().filter(|it| *it != value).collect();
        (!rest.is_empty()).then(|| Self {
            known: Some(Arc::new(rest)),
            zero,
            ..self.clone()
        })
    }
}
