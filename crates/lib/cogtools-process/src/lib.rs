//! The run of another program: its process, its environment, and the content that is run.
//!
//! This crate knows no tools. `cogtools-core` re-exports its modules.

pub mod cached;
mod cancel;
pub mod containment;
pub mod digest;
pub mod environment;
pub mod http;
pub mod javascript;
pub mod owner;
pub mod process;
mod project;
pub mod shebang;
pub mod store;

pub use cancel::Cancel;
pub use environment::{EnvPriority, Environment};
pub use project::{Project, lexical};
