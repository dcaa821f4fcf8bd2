//! The JSON value in a model's text.
//!
//! Models wrap JSON in prose and fences, cut it off, and write the dialect of whatever
//! language they read last. [`find`] returns the values of a text: those that are valid
//! exactly as they are, others repaired, with a list of what was repaired. [`Json`] keeps
//! the spelling of numbers, because a double cannot hold every one.

mod character;
mod json;
mod parser;
mod repair;
mod search;
mod whole;

pub use json::{Json, Number};
pub use parser::{MAX_DEPTH, MAX_VALUES};
pub use repair::{MAX_REPAIRS, Position, Repair, RepairKind, Repairs};
pub use search::{Found, NoJson, Options, Which, find, last};
