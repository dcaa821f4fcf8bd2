//! The strings and the numbers that a value can be: any, a range, or the values of an enum.

use std::collections::BTreeSet;
use std::sync::Arc;

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
        match &self.known {
            Some(known) => known.contains(&value),
            None => {
                let is_whole = !self.integer || value.fract() == 0.0;
                value >= self.min && value <= self.max && is_whole
            }
        }
    }

    /// The numbers without 0; `None` if that leaves nothing.
    pub(super) fn truthy(&self) -> Option<Self> {
        (self.min != 0.0 || self.max != 0.0).then(|| self.clone())
    }
}
