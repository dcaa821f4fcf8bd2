//! Models: requests, streamed responses, errors that say whether to try again.
//!
//! The types follow the Gemini API, which loses nothing of a conversation: signatures, caches and
//! fields of later versions are kept. Other providers are translated, and get what they sent as it
//! came.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

pub mod anthropic;
mod api_error;
mod call_ids;
mod content;
mod endpoint;
mod error;
pub mod gemini;
mod model;
pub mod openai;
mod request;
mod response;
mod tape;
mod wire;

/// Why a request did not reach the provider.
pub use cogtools_http::{HttpError, Reason as HttpReason, TlsReason};

pub use anthropic::Anthropic;
pub use api_error::{ApiError, ApiErrorKind};
pub use content::{Content, FunctionCall, Part, Role, SENTINEL, fill_missing};
pub use endpoint::{Endpoint, Service};
pub use error::{ModelError, RetryPolicy, random_jitter};
pub use gemini::Gemini;
pub use model::{Cache, Caches, Chunks, Key, Model, ModelInfo};
pub use openai::OpenAi;
pub use request::{Generation, Request, ToolMode};
pub use response::{Chunk, Finish, Response, Usage};
pub use tape::{MAX_TAPE_BYTES, Recorder, Replay, Tape};
