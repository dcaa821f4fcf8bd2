//! `cogtools config`: shows the configuration of a project with the origin of each value, and
//! changes it without touching the other bytes of a file.

mod change;
mod command;
mod declared;
mod interview;
mod key;
mod show;
mod variables;

pub use command::PROGRAM;
