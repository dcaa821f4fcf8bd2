//! `cogtools code`: programs in JavaScript that call tools, run, checked, explained and resumed.

mod call;
mod command;
mod manual;
mod question;

pub use command::PROGRAM;
