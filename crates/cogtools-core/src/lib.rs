//! What a tool is, from its YAML file to its answer.
//!
//! This crate knows neither command lines nor the current directory nor the
//! process environment: it takes paths, bytes and maps, so that every program
//! (and every later host) stands on the same idea of a tool.

mod code;
mod fault;
mod place;

pub use code::Code;
pub use fault::Fault;
pub use place::Place;
