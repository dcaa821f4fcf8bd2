//! The behavior of documents that depends on no tool.

mod file;
mod suggest;
mod token_estimate;
