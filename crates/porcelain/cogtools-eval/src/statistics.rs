//! The figures of a run: intervals, shares of trials, and tests of differences.
//!
//! Sources: E. B. Wilson 1927; Q. `McNemar` 1947, exact; S. Holm 1979; the sign-flip permutation test
//! of paired differences; the sample size of `McNemar`'s test after R. Connor 1987.

use serde::Serialize;
use serde_json::{Value, json};

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// The 80 % quantile of the normal distribution.
const W: f64 = 0.841_621_233_572_914_3;
/// Below this p a difference counts as shown.
pub(crate) const SIGNIFICANT: f64 = 0.05;
/// The number of pairs, and of cases, below which the tests never show a difference.
pub(crate) const MIN_PAIRS: u64 = 6;
/// The largest count in a question: sums go over all numbers up to it.
const MAX_COUNT: u64 = 1_000_000_000;
/// The number of differences up to which all flips are counted.
const MAX_EXACT: usize = 20;
/// The number of random flips beyond that.
const RANDOM_FLIPS: u32 = 10_000;
/// Sums that differ by less are equal.
const EPSILON: f64 = 1e-9;

/// A rate and its 95 % interval; no rate without trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Interval {
    pub(crate) rate: Option<f64>,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
pub(crate) const fn float(count: u64) -> f64 {
    count as f64
}

/// Wilson's interval of `passed` of `trials`.
pub(crate) fn wilson(passed: u64, trials: u64) -> Interval {
    if trials == 0 {
        return Interval {
            rate: None,
            low: 0.0,
            high: 1.0,
        };
    }
    let (c, n) = (float(passed), float(trials));
    let middle = c + Z * Z / 2.0;
    let spread = Z * (c * (n - c) / n + Z * Z / 4.0).sqrt();
    let whole = n + Z * Z;
    Interval {
        rate: Some(c / n),
        low: if passed == 0 {
            0.0
        } else {
            (middle - spread) / whole
        },
        high: if passed == trials {
            1.0
        } else {
            (middle + spread) / whole
        },
    }
}

/// pass^k: the chance that `k` of the trials, drawn at random, all passed; `None` for k > n.
pub(crate) fn pass_all(passed: u64, trials: u64, k: u64) -> Option<f64> {
    if k > trials {
        return None;
    }
    let share = |drawn: u64| float(passed.saturating_sub(drawn)) / float(trials - drawn);
    Some((0..k).map(share).product())
}

/// pass@k: the chance that at least one of `k` trials passed; `None` for k > n.
pub(crate) fn pass_any(passed: u64, trials: u64, k: u64) -> Option<f64> {
    pass_all(trials - passed, trials, k).map(|none| 1.0 - none)
}

/// `McNemar`'s exact p of `b` pairs in which only the old passed and `c` in which only the new did.
pub(crate) fn mcnemar(b: u64, c: u64) -> f64 {
    let n = b + c;
    let mut term = -float(n) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for i in 0..=b.min(c) {
        sum += term.exp();
        term += (float(n - i) / float(i + 1)).ln();
    }
    (2.0 * sum).min(1.0)
}

/// Holm's correction of `ps`, in their order.
pub(crate) fn holm(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|one, other| ps[*one].total_cmp(&ps[*other]));
    let mut corrected = vec![1.0; ps.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let factor = float((ps.len() - rank) as u64);
        largest = largest.max((ps[index] * factor).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

/// The two-sided p of the sum of `differences` when each may as well have the other sign.
pub(crate) fn flips(differences: &[f64]) -> f64 {
    let nonzero = differences
        .iter()
        .filter(|difference| difference.abs() > EPSILON);
    let nonzero: Vec<f64> = nonzero.copied().collect();
    let observed = nonzero.iter().sum::<f64>().abs() - EPSILON;
    if nonzero.len() <= MAX_EXACT {
        let all = 1_u64 << nonzero.len();
        let mut sum: f64 = nonzero.iter().sum();
        let mut signs = vec![1.0; nonzero.len()];
        let mut extreme = 0_u64;
        for step in 1..=all {
            extreme += u64::from(sum.abs() >= observed);
            // The order of Gray changes one sign at each step.
            let index = step.trailing_zeros() as usize;
            if let (Some(sign), Some(value)) = (signs.get_mut(index), nonzero.get(index)) {
                sum -= 2.0 * *sign * value;
                *sign = -*sign;
            }
        }
        return float(extreme) / float(all);
    }
    let mut random = Random(1);
    let is_extreme = |random: &mut Random| {
        let sum: f64 = nonzero
            .iter()
            .map(|value| {
                if random.next() >> 63 == 0 {
                    *value
                } else {
                    -value
                }
            })
            .sum();
        sum.abs() >= observed
    };
    let extreme = (0..RANDOM_FLIPS)
        .filter(|_| is_extreme(&mut random))
        .count() as u64;
    float(extreme + 1) / f64::from(RANDOM_FLIPS + 1)
}

/// `SplitMix64`, a small generator whose numbers are the same everywhere.
struct Random(u64);

impl Random {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The pairs that would show a `difference` of rates, at a share `discordant` of pairs that differ,
/// with a power of 80 %; `None` for no difference.
pub(crate) fn trials_needed(discordant: f64, difference: f64) -> Option<u64> {
    let squared = difference * difference;
    if squared <= 0.0 {
        return None;
    }
    let sum = Z * discordant.sqrt() + W * (discordant - squared).max(0.0).sqrt();
    let needed = (sum * sum / squared).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive whole number, and casts saturate"
    )]
    Some(needed as u64)
}

/// Answers a line of `--statistics`.
///
/// # Errors
/// The reason why `row` is no question.
pub(crate) fn answer(row: &Value) -> Result<Value, String> {
    let count = |key: &str| {
        let count = row[key].as_u64().filter(|count| *count <= MAX_COUNT);
        count.ok_or(format!("`{key}` must be a count, at most {MAX_COUNT}"))
    };
    let number = |key: &str| {
        let number = row[key].as_f64();
        number.ok_or(format!("`{key}` must be a number"))
    };
    if row.get("trials").is_some() {
        let (passed, trials) = (count("passed")?, count("trials")?);
        if passed > trials {
            return Err("`passed` is more than `trials`".to_owned());
        }
        let k = row.get("k").map_or(Ok(1), |_| count("k"))?;
        let Interval { rate, low, high } = wilson(passed, trials);
        return Ok(json!({
            "rate": rate, "low": low, "high": high,
            "pass_all": pass_all(passed, trials, k), "pass_any": pass_any(passed, trials, k),
        }));
    }
    if row.get("b").is_some() {
        return Ok(json!({"p": mcnemar(count("b")?, count("c")?)}));
    }
    if let Some(differences) = row.get("differences") {
        let list = differences
            .as_array()
            .and_then(|list| list.iter().map(Value::as_f64).collect());
        let list: Vec<f64> = list.ok_or("`differences` must be a list of numbers")?;
        return Ok(json!({"p": flips(&list)}));
    }
    if row.get("discordant").is_some() {
        return Ok(json!({"trials": trials_needed(number("discordant")?, number("difference")?)}));
    }
    Err("write {passed, trials, k}, {b, c}, {differences} or {discordant, difference}".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() < 5e-7,
            "{actual} is not {expected}"
        );
    }

    #[test]
    fn the_worked_numbers_hold() {
        for (passed, trials, low, high) in [
            (3, 5, 0.230_724, 0.882_379),
            (0, 5, 0.0, 0.434_482),
            (18, 20, 0.698_966, 0.972_134),
        ] {
            let interval = wilson(passed, trials);
            close(interval.low, low);
            close(interval.high, high);
        }
        close(pass_all(4, 5, 3).unwrap_or(9.0), 0.4);
        close(pass_any(2, 8, 3).unwrap_or(9.0), 0.642_857);
        for (b, c, p) in [
            (1, 9, 0.021_484),
            (3, 12, 0.035_156),
            (0, 5, 0.0625),
            (0, 0, 1.0),
        ] {
            close(mcnemar(b, c), p);
        }
        close(flips(&[0.2, 0.4, 0.0, 0.2, 0.6, 0.2, -0.2, 0.4]), 0.078_125);
        assert_eq!(trials_needed(0.3, 0.1), Some(234));
        assert_eq!(trials_needed(0.3, 0.0), None);
        assert_eq!((wilson(0, 0).rate, wilson(0, 0).high), (None, 1.0));
        assert_eq!(pass_all(5, 5, 6), None);
    }

    /// Figures of scipy 1.17.1: `binomtest` and `permutation_test`.
    #[test]
    fn figures_agree_with_scipy() {
        let rows = include_str!("../tests/eval/scipy.jsonl").lines();
        let mut count = 0;
        for row in rows {
            let row: Value = serde_json::from_str(row).expect("JSON");
            let answer = answer(&row[0]).expect("a question");
            for (key, expected) in row[1].as_object().expect("figures") {
                let (actual, expected) = (answer[key].as_f64(), expected.as_f64());
                let difference = actual.zip(expected).map(|(one, other)| one - other);
                assert!(
                    difference.is_some_and(|it| it.abs() < 1e-11),
                    "{row}: {answer}"
                );
            }
            count += 1;
        }
        assert_eq!(count, 1000);
    }

    #[test]
    fn many_differences_are_flipped_at_random() {
        let p = flips(&[0.2; 30]);
        assert!(p < 0.001 && p > 0.0, "{p}");
        let balanced: Vec<f64> = (0..30)
            .map(|i| if i % 2 == 0 { 0.2 } else { -0.2 })
            .collect();
        close(flips(&balanced), 1.0);
    }

    #[test]
    fn counts_have_a_limit() {
        for (row, key) in [
            (json!({"b": u64::MAX, "c": 1}), "b"),
            (json!({"passed": 1, "trials": 2, "k": MAX_COUNT + 1}), "k"),
        ] {
            let message = format!("`{key}` must be a count, at most 1000000000");
            assert_eq!(answer(&row), Err(message));
        }
    }

    #[test]
    fn holm_keeps_the_order() {
        let corrected = holm(&[0.04, 0.01, 0.03]);
        for (actual, expected) in corrected.into_iter().zip([0.06, 0.03, 0.06]) {
            close(actual, expected);
        }
    }
}
