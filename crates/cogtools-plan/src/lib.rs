//! `cogtools plan`: plans that a model writes as one JSON object.
//!
//! Everything here is pure: `check` turns a model's text into a contract that cannot be
//! wrong, `resolve` puts results of earlier steps into arguments, and `hydrate` into the
//! reply. None of them runs anything.

mod command;
mod contract;
mod hydrate;
mod input;
mod limit;
mod manual;
mod path;
mod placeholder;
mod record;
mod resolve;
mod save_as;
mod step;
mod tool_name;
mod violation;

pub use command::PROGRAM;
