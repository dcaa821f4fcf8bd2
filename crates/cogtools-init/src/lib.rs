//! `cogtools init`: makes a directory a cogtools project that Gemini CLI knows.
//!
//! Everything is planned first and written last. A file that is there already
//! keeps every byte that is not ours; a file that cannot be understood is left
//! alone, and then nothing at all is written.

mod apply;
mod command;
mod edit;
mod existing;
mod gemini;
mod guidance;
pub mod jsonc;
mod plan;
mod starter;

pub use apply::{ApplyCause, ApplyError};
pub use command::PROGRAM;
pub use edit::{Edit, EditError, Format};
pub use existing::{Existing, ExistingError};
pub use plan::{Change, Plan, Step};
