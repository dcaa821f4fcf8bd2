//! Programs in JavaScript that call tools: what a model writes instead of twenty turns.
//!
//! The code runs in the confined process of `cogtools-js`. Each call comes to this process, which
//! checks, approves, records and runs it; from the session a program runs again with the same
//! results.

mod calls;
mod check;
mod crew;
mod dry_run;
#[cfg(feature = "questions")]
mod highlight;
mod mode;
mod outcome;
#[cfg(feature = "questions")]
mod question;
mod record;
mod replay;
mod report;
mod run;
mod scope;
mod tape;
mod task;
mod tools;
mod types;
mod worker;

pub use check::{Consent, Explanation, NamedCall, verdict};
pub use mode::CodeMode;
#[cfg(feature = "questions")]
pub use question::{Person, about, ask, question_lines, show};
pub use record::Lines;
pub use replay::{CallState, Recorded, family_of, store_and_next};
pub use report::{CallReport, Report};
pub use run::{Decisions, Program};
pub use scope::{RunAgent, Scope, Stub};
pub use tape::{FlowTape, NodeTape};
pub use tools::{CodeTools, Run, Source, describe, line, search};
pub use types::declarations;
