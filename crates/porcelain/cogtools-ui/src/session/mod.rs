//! The sessions: the list of them, and what happened in one.

mod request;
mod sessions;
mod steps;
mod turn;
mod turns;

pub(crate) use request::{
    Runs, answer, approve, blob, layer, line, list_page, message, page, stop,
};
pub(crate) use sessions::{RunState, Sessions};
pub(crate) use turn::Badge;
