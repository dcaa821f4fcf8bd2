//! Edits of files that belong to others: planned, shown as a diff, and written; and of
//! our own configuration files.
//!
//! Hosts read their settings from files of their users. Every byte of such a file
//! that is not ours is preserved, and a file that cannot be parsed is left unchanged.

mod apply;
mod config;
mod conflict;
mod edit;
mod existing;
pub mod jsonc;
mod plan;
pub mod toml;
pub mod yaml;

pub use apply::{ApplyCause, ApplyError};
pub use config::{ConfigChange, ConfigFile, ConfigFileError};
pub use conflict::{Conflict, ConflictKind};
pub use edit::{Edit, EditError, Entry, Format};
pub use existing::{Existing, ExistingError};
pub use plan::{Change, Plan, Step};
