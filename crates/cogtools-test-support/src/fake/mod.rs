//! A fake Gemini API, which plays a script and checks the requests.
//!
//! A request that the real API would refuse is refused here as well, with the API's
//! message, and recorded. A client that works with the fake therefore works with the
//! real API.

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
