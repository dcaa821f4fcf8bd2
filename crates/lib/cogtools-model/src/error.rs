//! Why a request to a model failed.

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
        /// What is wrong with it.
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
        /// How the nearest recorded request differs.
        nearest: Option<String>,
    },
    /// The file with recorded responses cannot be used.
    #[error("`{file}`: {reason}")]
    Tape {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
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
    /// Whether another try may succeed.
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
