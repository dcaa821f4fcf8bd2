//! Programs in JavaScript that call tools: what a model writes instead of twenty turns.
//!
//! The code runs in the confined process of `cogtools-js`. Each call comes to this process, which
//! checks, approves, records and runs it; from the session a program runs again with the same
//! results.

mod calls;
mod check;
mod dry_run;
mod outcome;
mod record;
mod replay;
mod report;
mod run;
mod scope;
mod types;
mod worker;

pub use check::{Consent, Explanation, NamedCall, verdict};
pub use replay::{Recorded, store_and_next};
pub use report::{CallReport, Report};
pub use run::{Decisions, Program};
pub use scope::Scope;
