//! The log of a session: everything that happened between a user, a model and its tools.
//!
//! One session is one file of JSON lines that only grows. The first line is the [`Header`];
//! each further one is an [`Entry`] with a parent, so that the file is a tree, and what a
//! model has seen is the path from a leaf to the root. [`Log`] writes, [`Session`] reads, and
//! nothing else holds the state of a session.

mod anchor;
mod approval;
mod blob;
mod clock;
mod contents;
mod entry;
mod error;
mod event;
mod file;
mod header;
mod id;
mod index;
mod layer;
mod limits;
mod lines;
mod locate;
mod log;
mod mask;
mod outcome;
mod personal;
mod preview;
mod prompt;
mod reader;
mod reading;
mod remove;
mod route;
mod session;
mod store;
mod usage;

pub use approval::{Approval, Decision, Why};
pub use blob::{BlobError, BlobId, Blobs};
pub use clock::{Clock, Timestamp};
pub use contents::contents;
pub use entry::Entry;
pub use error::{LineError, LogError, SessionError};
pub use event::Event;
pub use file::SessionFile;
pub use header::{Fork, Header};
pub use id::{CallId, Id, SessionId};
pub use index::Index;
pub use layer::LayerSize;
pub use log::{Log, Options};
pub use mask::Mask;
pub use outcome::{BudgetLimit, CacheState, EndStatus, NodeState, Outcome, StepState};
pub use personal::{mask_personal, mask_text};
pub use preview::{head_and_tail, preview};
pub use reader::{Line, Reader};
pub use reading::{duration, response_text, result_text, task_text, thought_text};
pub use route::Route;
pub use session::Session;
pub use store::{FindError, Store, Stored};
pub use usage::{Cost, Usage};
