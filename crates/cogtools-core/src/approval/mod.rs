//! Whether what others have written may run: the policy over sources and tools.
//!
//! The record of what the user has allowed is [`trust`](crate::trust)'s; here it is
//! decided what has to be in it, and a tool runs through no other door.

mod gate;
mod package;
mod source;

pub use gate::{Approved, approve};
pub use source::{ApprovalStatus, Kind, TrustableSource, trustable_sources};
