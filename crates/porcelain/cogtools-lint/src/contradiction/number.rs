//! The numbers that bounds leave.

use serde_json::Value;

use super::{Object, Outcome, Reason};

/// So many values are tried one by one.
const MAX_VALUES: f64 = 64.0;
/// Beyond this, numbers are not exact.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// How much the quotient of two decimal numbers can be off.
const TOLERANCE: f64 = 1e-9;

/// What `minimum` and `maximum` of several schemas leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) is_low_open: bool,
    pub(super) is_high_open: bool,
}

impl Range {
    pub(super) fn of(parts: &[&Object]) -> Self {
        let mut range = Self {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            is_low_open: false,
            is_high_open: false,
        };
        for part in parts {
            let number = |keyword: &str| part.get(keyword).and_then(Value::as_f64);
            let flag = |keyword: &str| part.get(keyword) == Some(&Value::Bool(true));
            if let Some(low) = number("minimum").filter(|low| *low >= range.low) {
                let is_tighter = low > range.low;
                range.is_low_open = flag("exclusiveMinimum") || (range.is_low_open && !is_tighter);
                range.low = low;
            }
            if let Some(high) = number("maximum").filter(|high| *high <= range.high) {
                let is_tighter = high < range.high;
                range.is_high_open =
                    flag("exclusiveMaximum") || (range.is_high_open && !is_tighter);
                range.high = high;
            }
            if part.get("format").and_then(Value::as_str) == Some("int32") {
                range.low = range.low.max(f64::from(i32::MIN));
                range.high = range.high.min(f64::from(i32::MAX));
            }
        }
        range
    }

    /// Whether every number of this range is also in `other`.
    pub(super) fn is_within(self, other: Self) -> bool {
        let low = self.low > other.low
            || (self.low >= other.low && (self.is_low_open || !other.is_low_open));
        let high = self.high < other.high
            || (self.high <= other.high && (self.is_high_open || !other.is_high_open));
        low && high
    }
}

/// The numbers that all `parts` permit.
pub(super) fn numbers(parts: &[&Object], is_integer: bool) -> Outcome {
    let range = Range::of(parts);
    if range.low.abs().min(range.high.abs()) > EXACT {
        return Outcome::Open;
    }
    let is_point = range.low >= range.high;
    if range.low > range.high || (is_point && (range.is_low_open || range.is_high_open)) {
        return Outcome::Empty(Reason::new("minimum", between(range)));
    }
    let steps = parts
        .iter()
        .filter_map(|part| part.get("multipleOf")?.as_f64());
    let steps: Vec<f64> = steps.chain(is_integer.then_some(1.0)).collect();
    for step in &steps {
        if let Some((first, last)) = multiples(range, *step)
            && first > last
        {
            let what = if (*step - 1.0).abs() > f64::EPSILON {
                format!("no multiple of {step} is within its bounds")
            } else {
                "no integer is within its bounds".to_owned()
            };
            return Outcome::Empty(Reason::new("minimum", what));
        }
    }
    match multiples(range, 1.0) {
        Some((first, last)) if is_integer && last - first < MAX_VALUES => {
            let mut values = Vec::new();
            let mut number = first;
            while number <= last {
                values.push(Value::from(number));
                number += 1.0;
            }
            Outcome::Values(values)
        }
        _ => Outcome::Open,
    }
}

/// The first and the last factor of `step` within a finite range.
fn multiples(range: Range, step: f64) -> Option<(f64, f64)> {
    if !(range.low.is_finite() && range.high.is_finite()) {
        return None;
    }
    let mut first = (range.low / step - TOLERANCE).ceil();
    let mut last = (range.high / step + TOLERANCE).floor();
    if range.is_low_open && (first - range.low / step).abs() < TOLERANCE {
        first += 1.0;
    }
    if range.is_high_open && (last - range.high / step).abs() < TOLERANCE {
        last -= 1.0;
    }
    Some((first, last))
}

fn between(range: Range) -> String {
    let low = if range.is_low_open {
        "more than"
    } else {
        "at least"
    };
    let high = if range.is_high_open {
        "less than"
    } else {
        "at most"
    };
    format!("no number is {low} {} and {high} {}", range.low, range.high)
}
