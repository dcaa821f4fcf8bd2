//! `cogtools plan`: plans that a model writes as one JSON object.
//!
//! `check` turns a model's text into a contract that cannot be wrong, `resolve` puts results of
//! earlier steps into arguments, and `hydrate` into the reply. `run` does all of this, and calls
//! the tools; a question makes a model plan. What happens is in a session, from which `resume`
//! goes on. `show` and `explain` are for people.

mod catalogue;
mod command;
mod contract;
mod events;
mod execution;
mod explain;
mod hydrate;
mod input;
mod intent;
mod limit;
mod logged;
mod manual;
mod path;
mod placeholder;
mod plan_file;
mod planner;
mod preview;
mod question;
mod record;
mod recorder;
mod references;
mod resolve;
mod resume;
mod run;
mod save_as;
mod show;
mod step;
mod tool_name;
mod tools;
mod violation;

use cogtools_core::Diagnostic;
use serde_json::Value;

pub use command::PROGRAM;

/// The contract in a model's text, normalised, as `cogtools plan check` prints it.
///
/// # Errors
///
/// `NO_JSON` if the text has no value, or a `CONTRACT_VIOLATION` for each violation.
pub fn check(text: &str) -> Result<Value, Vec<Diagnostic>> {
    contract::Contract::parse(text).map(|contract| contract.to_json())
}
