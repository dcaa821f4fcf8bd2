//! The progress of a call, for a caller that shows it.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// How far a call is.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressUpdate {
    /// How much is done; it grows with each update.
    pub progress: f64,
    /// How much there is to do, if that is known.
    pub total: Option<f64>,
    /// What is being done, in words of the tool.
    pub message: Option<String>,
}

/// Receives the updates of one call.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(ProgressUpdate) + Send + Sync>);

impl Progress {
    /// Passes each update to `receive`, which must not block.
    pub fn new(receive: impl Fn(ProgressUpdate) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receive))
    }

    /// Passes an update on.
    pub fn update(&self, update: ProgressUpdate) {
        (self.0)(update);
    }
}

impl Debug for Progress {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}
