//! `cogtools add`, `remove` and `search`: npm packages with tools.
//!
//! npm does the work: it searches, downloads and records. These programs make what it has
//! installed a source of the project's tools, and say what must be approved.

mod add;
mod name;
mod npm;
mod remove;
mod search;
mod sources;

pub use add::PROGRAM as ADD;
pub use remove::PROGRAM as REMOVE;
pub use search::PROGRAM as SEARCH;
