//! A fake Gemini API: it plays a script and checks what it is sent.
//!
//! Honest where it matters: a request that the API would refuse is refused
//! here too, with the API's own words for it, and remembered. So a client that
//! works against the fake works against the real thing.

mod answer;
mod declaration;
mod request;
mod rules;
mod schema;
mod server;
mod turn;

pub use request::{Kind, Request};
pub use server::{Conversation, FakeGemini};
pub use turn::Turn;
