//! The errors of requests, and when to send one again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use cogtools_http::HttpError;
use thiserror::Error;

use crate::ApiError;

/// The reason for which there is no response, or only a part of one.
#[derive(Debug, Error)]
pub enum ModelError {
    /// No variable with a key is set.
    #[error("no API key: {} is not set", variables.join(" or "))]
    MissingKey {
        /// The variables that would have one, the first one wins.
        variables: &'static [&'static str],
    },
    /// A variable has a value that cannot be used.
    #[error("`{variable}` is not valid: {reason}")]
    InvalidVariable {
        /// Its name.
        variable: &'static str,
        /// The reason.
        reason: String,
    },
    /// The provider was not reached, or the connection broke.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The provider refused the request.
    #[error("{0}")]
    Api(ApiError),
    /// The provider sent something else than a response.
    #[error("the provider sent something other than a response: {0}")]
    InvalidResponse(String),
    /// There is no recorded response for the request.
    #[error("no recorded response matches the request{}", difference(nearest.as_deref()))]
    NotRecorded {
        /// Difference to the nearest recorded request.
        nearest: Option<String>,
    },
    /// The file with recorded responses cannot be used.
    #[error("`{file}`: {reason}")]
    Tape {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// A program in place of a provider failed. It may have cost money, so that there is no other try.
    #[error("{0}")]
    Program(String),
    /// The provider has no such function.
    #[error("the provider does not support {0}")]
    Unsupported(&'static str),
}

fn difference(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; the nearest one differs:\n{nearest}")
    })
}

impl ModelError {
    /// Returns true if another try may succeed.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Http(error) => error.is_transient(),
            Self::Api(error) => error.is_transient(),
            Self::InvalidResponse(_) => true,
            _ => false,
        }
    }

    /// The time to wait before another try, at least.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Api(error) => error.retry_after,
            _ => None,
        }
    }
}

/// Number of attempts, and their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of requests, the first one included.
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
    /// The wait is between three quarters and the whole of the exponential one: each is longer than
    /// the one before, and programs that failed together do not try together again. It is at least
    /// what the provider asks for.
    pub fn wait(&self, failures: u32, error: &ModelError, jitter: f64) -> Option<Duration> {
        if failures >= self.max_attempts || !error.is_transient() {
            return None;
        }
        let exponent = failures.saturating_sub(1).min(16);
        let backoff = self
            .first_wait
            .saturating_mul(1 << exponent)
            .min(self.max_wait);
        let jitter = if jitter.is_nan() {
            0.0
        } else {
            jitter.clamp(0.0, 1.0)
        };
        let wait = backoff.mul_f64(0.75 + jitter / 4.0);
        Some(wait.max(error.retry_after().unwrap_or_default()))
    }
}

/// A jitter for [`RetryPolicy::wait`], another one each time.
pub fn random_jitter() -> f64 {
    // The standard library seeds its hashers at random.
    let random = RandomState::new().build_hasher().finish();
    let bits = u32::try_from(random >> 32).unwrap_or(u32::MAX);
    f64::from(bits) / f64::from(u32::MAX)
}
