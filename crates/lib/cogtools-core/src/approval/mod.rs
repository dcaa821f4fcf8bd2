//! The approval policy: which third-party tools and sources may run.
//!
//! [`trust`](crate::trust) records what the user has approved. This module decides what
//! must be in that record, and every call of a tool goes through it.

mod coverage;
mod gate;
mod package;
mod source;

pub use crate::containment::{Reason, Uncovered};
pub use gate::{Approved, approve, verdict};
pub use source::{
    ApprovalStatus, Kind, Reviewed, TrustableSource, may_wait, trust_project, trustable_sources,
};
