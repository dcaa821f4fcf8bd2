//! Support for tests: scratch projects, a program runner, fake hosts.
//!
//! Everything here is for tests, so a missing precondition panics with a message
//! that names it. Only the tests of an absent [`conformance`] folder are skipped: a
//! test that did not run is not a test that passed.

#![allow(
    clippy::expect_used,
    reason = "a harness that cannot go on must fail its test at once"
)]

pub mod certificates;
pub mod conformance;
mod diff;
mod expected;
mod fake;
mod gemini;
mod http;
pub mod install;
mod litellm;
pub mod nunjucks;
mod outcome;
mod process;
mod project;
mod run;
mod snapshot;
mod stdin;
mod stdout;

pub use diff::difference;
pub use expected::{Expected, assert_text, is_blessing};
pub use fake::{
    ApiError, Break, Clock, Conversation, FakeGemini, Kind, Model, Options, Request, Turn,
    Unfinished, Usage, gemini_complaints,
};
pub use gemini::{Gemini, Version};
pub use litellm::LiteLlm;
pub use outcome::{Outcome, Status};
pub use project::Project;
pub use run::Run;
pub use snapshot::Snapshot;
pub use stdin::Stdin;
pub use stdout::Stdout;
