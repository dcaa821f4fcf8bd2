//! `cogtools json`: the JSON value in a model's text.
//!
//! A thin program on `cogtools_lenient_json`: it reads the text, prints the value, and
//! reports why there is none, or how it violates a schema.

mod command;
mod manual;
mod report;
mod schema;

pub use command::PROGRAM;
