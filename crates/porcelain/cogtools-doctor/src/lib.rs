//! `cogtools doctor`: examines a project as its hosts would, and reports what keeps
//! its tools from being seen or called.
//!
//! It does not guess: it reads what the host reads, starts what the host starts,
//! and calls a tool the way the host calls it. Each check is a module in
//! `checks`, and all of them share one `context::Context`.

mod checks;
mod command;
mod context;
mod finding;
mod host;
mod program;
mod tools;

pub use command::PROGRAM;
