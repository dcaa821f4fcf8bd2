//! A fake Gemini API, which plays a script and checks the requests.
//!
//! A request that the real API would refuse is refused here as well, with the API's
//! message, and recorded. A client that works with the fake therefore works with the
//! real API.

mod answer;
mod authority;
mod cache;
mod clock;
mod content;
mod declaration;
mod delivery;
mod error;
mod field;
mod generation;
mod message;
mod mode;
mod model;
mod options;
mod prefix;
mod prompt;
mod reply;
mod request;
mod route;
mod rules;
mod schema;
mod server;
mod side;
mod signature;
mod state;
mod tokens;
mod turn;
mod unfinished;

pub use clock::Clock;
pub use declaration::gemini_complaints;
pub use delivery::Break;
pub use error::ApiError;
pub use model::Model;
pub use options::Options;
pub use request::{Kind, Request};
pub use server::{Conversation, FakeGemini};
pub use tokens::Usage;
pub use turn::Turn;
pub use unfinished::Unfinished;
