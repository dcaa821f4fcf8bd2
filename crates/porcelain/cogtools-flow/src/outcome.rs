//! What a node has done, besides its value.

use cogtools_core::Diagnostic;
use cogtools_log::Route;
use serde_json::{Map, Value};

/// What a node has done.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// How its tool was chosen.
    pub(crate) route: Option<Route>,
    /// What the tool was called with.
    pub(crate) arguments: Option<Map<String, Value>>,
    /// The digest of the call, if later runs may use its result.
    pub(crate) key: Option<String>,
    /// Whether the result is that of an earlier run.
    pub(crate) is_cached: bool,
}

/// How a node ends: with a value, or because its condition does not hold without one.
pub(crate) type Done = Result<Option<Value>, Box<Diagnostic>>;
