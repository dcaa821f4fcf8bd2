//! The files of Gemini CLI: where they are, how it reads them, how they are changed.
//!
//! What is said here of Gemini CLI was seen by running it or read in its
//! sources. A user's file keeps every byte that is not ours, and is left alone
//! when it cannot be understood.

mod apply;
pub mod command;
mod edit;
mod existing;
pub mod install;
pub mod jsonc;
mod place;
mod plan;
pub mod policy;
pub mod settings;
mod trust;
mod version;

pub use apply::{ApplyCause, ApplyError};
pub use edit::{Edit, EditError, Format};
pub use existing::{Existing, ExistingError};
pub use place::{Places, Vars};
pub use plan::{Change, Plan, Step};
pub use trust::Trust;
pub use version::{Generation, Version};
