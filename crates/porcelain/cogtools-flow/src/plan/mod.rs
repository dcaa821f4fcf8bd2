//! `cogtools plan`: plans that a model writes as one JSON object.
//!
//! `check` turns a model's text into a contract that cannot be wrong, `resolve` puts results of
//! earlier steps into arguments, and `hydrate` into the reply. `run` does all of this, and calls
//! the tools; a question makes a model plan. A plan is recorded, shown and resumed as a flow is.

mod approval;
mod command;
mod contract;
mod program;
mod question;
mod references;
mod resume;
mod show;
mod steps;

use cogtools_core::Diagnostic;
use serde_json::Value;

pub use command::PROGRAM;
pub(crate) use contract::Contract;

/// Finds the contract in a model's text, normalised, as `cogtools plan check` prints it.
///
/// # Errors
/// `NO_JSON` if the text has no value, or a `CONTRACT_VIOLATION` for each violation.
pub fn check(text: &str) -> Result<Value, Vec<Diagnostic>> {
    Contract::parse(text).map(|contract| contract.to_json())
}
