//! Digits of numbers in base 10 as JavaScript rounds them: from the exact value, halves away
//! from zero. Rust's formatting rounds halves to even.

/// No number has more significant digits than this.
const EXACT: usize = 780;

/// The digits of a number that is finite and not negative: `d.ddd` times ten to `exponent`.
pub(super) struct Decimal {
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// `number` with that many significant digits, at least one.
    pub(super) fn rounded(number: f64, count: usize) -> Self {
        let mut exact = Self::parse(&format!("{number:.EXACT$e}"));
        let rest = exact.digits.split_off(count.min(exact.digits.len()));
        if rest.starts_with(['5', '6', '7', '8', '9']) {
            let length = exact.digits.len();
            exact.digits = increment(&exact.digits);
            if exact.digits.len() > length {
                exact.digits.truncate(length);
                exact.exponent += 1;
            }
        }
        exact
    }

    /// The fewest digits that distinguish `number` from all others.
    pub(super) fn shortest(number: f64) -> Self {
        Self::parse(&format!("{number:e}"))
    }

    /// Reads a number in Rust's scientific form.
    fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        Self {
            digits: mantissa.chars().filter(|c| *c != '.').collect(),
            exponent: exponent.parse().unwrap_or_default(),
        }
    }

    /// The power of ten of the first digit.
    pub(super) fn exponent(&self) -> i32 {
        self.exponent
    }

    /// `1.25e+2`.
    pub(super) fn scientific(&self) -> String {
        let (first, rest) = self.digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("{first}{dot}{rest}e{sign}{}", self.exponent.unsigned_abs())
    }

    /// `125.0`, for an exponent that is smaller than the number of digits.
    pub(super) fn plain(&self) -> String {
        let Ok(exponent) = usize::try_from(self.exponent) else {
            let zeros = self.exponent.unsigned_abs() as usize - 1;
            return format!("0.{}{}", "0".repeat(zeros), self.digits);
        };
        match self.digits.split_at_checked(exponent + 1) {
            Some((whole, "")) => whole.to_owned(),
            Some((whole, fraction)) => format!("{whole}.{fraction}"),
            None => self.digits.clone(),
        }
    }
}

/// The decimal number in `text`, which is not negative, with `decimals` of its decimals.
pub(super) fn cut(text: &str, decimals: usize) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let kept = &fraction[..decimals.min(fraction.len())];
    let dot = if decimals == 0 { "" } else { "." };
    let number = format!("{whole}{dot}{kept:0<decimals$}");
    if fraction[kept.len()..].starts_with(['5', '6', '7', '8', '9']) {
        increment(&number)
    } else {
        number
    }
}

/// The decimal number one unit in its last place above `digits`.
fn increment(digits: &str) -> String {
    let mut digits: Vec<u8> = digits.bytes().collect();
    for digit in digits.iter_mut().rev() {
        match *digit {
            b'9' => *digit = b'0',
            b'.' => {}
            _ => {
                *digit += 1;
                return String::from_utf8_lossy(&digits).into_owned();
            }
        }
    }
    format!("1{}", String::from_utf8_lossy(&digits))
}
