//! The progress of a call, for a caller that shows it.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// The progress of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressUpdate {
    /// The amount that is done; it grows with each update.
    pub progress: f64,
    /// The whole amount, if it is known.
    pub total: Option<f64>,
    /// A description of the current step, in words of the tool.
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
