//! Models: requests, streamed responses, errors that say whether to try again.
//!
//! Types are those of the Gemini API, because it is the one in which nothing of a conversation
//! gets lost: signatures, caches, fields of later versions. Other providers are translated.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

mod api_error;
mod content;
mod error;
mod finish;
pub mod gemini;
mod key;
mod model;
pub mod openai;
mod part;
mod request;
mod response;
mod retry;
mod signature;
mod tape;
mod usage;
mod wire;

/// Why a request did not reach the provider.
pub use cogtools_http::{HttpError, Reason as HttpReason, TlsReason};

pub use api_error::{ApiError, ApiErrorKind};
pub use content::{Content, Role};
pub use error::ModelError;
pub use finish::Finish;
pub use gemini::Gemini;
pub use key::Key;
pub use model::{Cache, Caches, Chunks, Model, ModelInfo};
pub use openai::OpenAi;
pub use part::{FunctionCall, Part, ResultKey};
pub use request::{Generation, Request, ToolMode, hex};
pub use response::{Chunk, Response};
pub use retry::{RetryPolicy, Wait, random_jitter, send_with_retry};
pub use signature::{SENTINEL, decode_signature, fill_missing};
pub use tape::{MAX_TAPE_BYTES, Recorder, Replay, Tape};
pub use usage::Usage;
