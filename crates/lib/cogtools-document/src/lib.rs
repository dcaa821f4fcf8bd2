//! Documents as people and models write them: files, text, YAML and JSON with places, schemas,
//! and the diagnostics of reading them.
//!
//! This crate knows no tools, no processes and no configuration. `cogtools-core` re-exports its
//! modules.

mod code;
mod diagnostic;
mod expected;
pub mod file;
pub mod hint;
pub mod invisible;
pub mod json;
mod location;
mod omission;
mod plural;
pub mod pointer;
pub mod schema;
pub mod size;
pub mod suggest;
pub mod text;
mod token_estimate;
pub mod yaml;

pub use code::Code;
pub use diagnostic::{Diagnostic, FailedCall, fail_on};
pub use expected::{Actual, Expected};
pub use hint::Hint;
pub use location::Location;
pub use omission::{Omission, OmissionReason, Rejected};
pub use plural::{pluralize, quoted, quoted_or};
pub use schema::{Violation, ViolationKind};
pub use token_estimate::estimate_tokens;
