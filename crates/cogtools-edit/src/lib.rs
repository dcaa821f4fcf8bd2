//! Changes to files that belong to others: planned, shown as a diff, written at once.
//!
//! Hosts keep their settings in files of their users. Such a file keeps every byte
//! that is not ours, and is left alone when it cannot be understood.

mod apply;
mod edit;
mod existing;
pub mod jsonc;
mod plan;
mod refusal;
pub mod toml;

pub use apply::{ApplyCause, ApplyError};
pub use edit::{Edit, EditError, Entry, Format};
pub use existing::{Existing, ExistingError};
pub use plan::{Change, Plan, Step};
pub use refusal::{Reason, Refusal};
