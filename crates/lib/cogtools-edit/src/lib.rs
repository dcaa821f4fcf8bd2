//! Edits of files that belong to others: planned, shown as a diff, and written; of our own
//! configuration files; and the settings of hosts.
//!
//! Hosts read their settings from files of their users. Every byte of such a file
//! that is not ours is preserved, and a file that cannot be parsed is left unchanged.

mod config;
mod edit;
pub mod host;
pub mod jsonc;
mod plan;
pub mod toml;
pub mod yaml;

pub use config::{ConfigChange, ConfigFile, ConfigFileError};
pub use edit::{Edit, EditError, Entry, Format};
pub use plan::{Change, Plan, Step};

pub use crate::edit::{ApplyError, Conflict, ConflictKind, Existing, ExistingError};

/// The UTF-8 byte order mark that some editors write at the start of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}
