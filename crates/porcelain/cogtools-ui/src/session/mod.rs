//! The sessions: the list of them, and what happened in one.

mod list;
mod request;
mod sessions;
mod steps;
mod timeline;
mod tree;
mod turn;
mod turns;
mod view;

pub(crate) use request::{
    Runs, answer, approve, begin, blob, example, layer, line, list_page, message, open, page, stop,
};
pub(crate) use sessions::{RunState, Sessions};
pub(crate) use turn::Badge;
