//! The framework of all cogtools programs.
//!
//! A program is a constant: its clap command and its `run`. It receives its
//! streams, environment and working directory and never reaches for globals,
//! so that tests, the porcelain and the real process run it the same way.
//! Only [`main`] touches the state of the process.

pub mod args;
pub mod budget;
pub mod call;
pub mod call_timeout;
mod capture;
pub mod dirs;
#[cfg(feature = "documents")]
pub mod documents;
mod failure;
pub mod file_uri;
pub mod format;
mod hint;
mod input;
mod io;
pub mod junit;
mod lines;
pub mod man;
pub mod named_file;
pub mod packages;
pub mod picture;
mod process;
mod program;
pub mod project;
#[cfg(feature = "questions")]
pub mod questions;
mod report;
mod stub;
mod system_program;
pub mod terminal;
pub mod text_input;

pub use capture::CapturedRun;
pub use cogtools_core::arguments::Syntax;
pub use failure::{Failure, Next};
pub use hint::{EACH, EACH_FOR_MCP, fixing_command, render_hint, render_hints};
pub use input::{Input, InputError};
pub use io::{DetachedIo, Io, IoContext, Services, Terminals, Vars};
pub use lines::{Line, Lines};
pub use process::{SignalGuard, SignalWatch, exit, main, main_of, parent, queue_stderr};
pub use program::{Program, Stdin};
pub use report::{Format, Reporter, Severity};
pub use stub::stub;
pub use system_program::{SystemProgram, open_in_browser};
