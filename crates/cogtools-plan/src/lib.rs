//! `cogtools plan`: plans that a model writes as one JSON object.
//!
//! `check` turns a model's text into a contract that cannot be wrong, `resolve` puts results of
//! earlier steps into arguments, and `hydrate` into the reply. `run` does all of this, and calls
//! the tools.

mod command;
mod contract;
mod events;
mod hydrate;
mod input;
mod limit;
mod manual;
mod path;
mod placeholder;
mod record;
mod resolve;
mod run;
mod save_as;
mod step;
mod tool_name;
mod tools;
mod violation;

pub use command::PROGRAM;
