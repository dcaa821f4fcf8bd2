//! How often a node that fails is run again, and after which delay.

use std::time::Duration;

/// What happens when a node fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// How often it is run again.
    pub times: u32,
    /// The delay before the second attempt.
    pub delay: Duration,
    /// The factor by which each further delay is longer.
    pub backoff: f64,
}

/// The longest delay.
const MAX_DELAY: Duration = Duration::from_hours(1);

impl Default for Retry {
    /// A failure is final.
    fn default() -> Self {
        Self {
            times: 0,
            delay: Duration::ZERO,
            backoff: 1.0,
        }
    }
}

impl Retry {
    /// The delay after the attempt `number` (from 1) has failed; `None` if it was the last one.
    pub fn delay_after(&self, number: u32) -> Option<Duration> {
        if number > self.times {
            return None;
        }
        let exponent = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.delay.as_secs_f64() * self.backoff.max(0.0).powi(exponent);
        let delay = Duration::try_from_secs_f64(seconds).unwrap_or(MAX_DELAY);
        Some(delay.min(MAX_DELAY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_up_to_a_limit() {
        let retry = Retry {
            times: 3,
            delay: Duration::from_secs(2),
            backoff: 3.0,
        };
        let delays = [1, 2, 3, 4].map(|number| retry.delay_after(number));
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(delays, [seconds(2), seconds(6), seconds(18), None]);
        let endless = Retry {
            times: u32::MAX,
            ..retry
        };
        assert_eq!(endless.delay_after(u32::MAX), Some(MAX_DELAY));
        assert_eq!(Retry::default().delay_after(1), None);
        let odd = Retry {
            backoff: f64::NAN,
            ..retry
        };
        assert_eq!(odd.delay_after(2), Some(Duration::ZERO));
    }
}
