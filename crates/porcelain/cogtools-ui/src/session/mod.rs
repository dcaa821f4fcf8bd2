//! The sessions: the list of them, and what happened in one.

mod answer;
mod board;
mod detail;
mod flow;
mod list;
mod prompt;
mod question;
mod request;
mod sessions;
mod state;
mod turn;
mod turns;
mod view;

pub(crate) use answer::{answer, approve, message};
pub(crate) use request::{blob, layer, line, list_page, page};
pub(crate) use sessions::Sessions;
pub(crate) use state::RunState;
pub(crate) use turn::Badge;
