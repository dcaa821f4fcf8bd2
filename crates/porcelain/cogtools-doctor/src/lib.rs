//! `cogtools doctor`: examines a project as its hosts would, and reports what keeps
//! its tools from being seen or called.
//!
//! It does not guess: it reads what the host reads, starts what the host starts,
//! and calls a tool the way the host calls it. Each check is a module in
//! `checks`, and all of them share one `context::Context`.

mod check;
mod checks;
mod command;
mod context;
mod discovery;
mod editor;
mod finding;
mod fix;
mod gemini;
mod host;
mod host_files;
mod package_manager;
mod process;
mod program;
mod remedy;
mod report;
mod settings;
mod sources;
mod stray_files;
mod tools;
mod trial;

pub use command::PROGRAM;
