//! The log of a session: everything that happened between a user, a model and its tools.
//!
//! One session is one file of JSON lines that only grows. The first line is the [`Header`];
//! each further one is an [`Entry`] with a parent, so that the file is a tree, and what a
//! model has seen is the path from a leaf to the root. [`Log`] writes, [`Session`] reads, and
//! nothing else holds the state of a session.

mod clock;
mod counts;
mod entry;
mod error;
mod event;
mod file;
mod id;
mod index;
mod log;
mod mask;
mod outcome;
mod reader;
mod session;
mod store;
mod text;
mod usage;
pub mod view;

pub use clock::{Clock, Timestamp};
pub use counts::ToolCounts;
pub use entry::{Entry, Fork, Header};
pub use error::{LineError, LogError, SessionError, masked};
pub use event::{CallEvent, Event, NodeEvent, ResultEvent};
pub use file::{BlobError, BlobId, Blobs, SessionFile};
pub use id::{CallId, Id, SessionId};
pub use index::Index;
pub use log::{Log, Options};
pub use mask::{Mask, SIGNATURES, mask_personal, mask_text};
pub use outcome::{
    Approval, BudgetLimit, CacheState, Decision, EndStatus, Mistake, NodeState, Outcome,
    ProgramStatus, ProgramStep, Route, Why, rejected_arguments,
};
pub use reader::{Line, Reader};
pub use session::{Nesting, Session};
pub use store::{Store, Stored};
pub use text::{
    duration, head_and_tail, preview, response_text, result_text, task_text, thought_text,
};
pub use usage::{Cost, LayerSize, NodeModel, Usage};
