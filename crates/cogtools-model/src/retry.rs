//! When to send a request again.

use std::time::Duration;

use crate::ModelError;

/// How often and how long to try.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How often a request is sent, the first time included.
    pub max_attempts: u32,
    /// The wait after the first failure; it doubles with each further one.
    pub first_wait: Duration,
    /// The longest wait, unless the provider asks for a longer one.
    pub max_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 5,
            first_wait: Duration::from_secs(1),
            max_wait: Duration::from_secs(30),
        }
    }
}

impl RetryPolicy {
    /// The wait before the next try after `failures` tries, the last of which failed with
    /// `error`; `None` if there is no sense in another one. `jitter` is from 0 to 1.
    ///
    /// The wait is between a half and the whole of the exponential one, so that programs that
    /// failed together do not try together again. It is at least what the provider asks for.
    pub fn wait(&self, failures: u32, error: &ModelError, jitter: f64) -> Option<Duration> {
        if failures >= self.max_attempts || !error.is_transient() {
            return None;
        }
        let exponent = failures.saturating_sub(1).min(16);
        let backoff = self
            .first_wait
            .saturating_mul(1 << exponent)
            .min(self.max_wait);
        let wait = backoff.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        Some(wait.max(error.retry_after().unwrap_or_default()))
    }
}
