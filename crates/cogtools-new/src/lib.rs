//! `cogtools new`: a tool file that works, to be changed into another one.
//!
//! It never overwrites anything, and nothing half written is ever in place.

mod command;
mod done;
mod place;
mod refusal;
mod rival;
mod template;

pub use command::PROGRAM;
