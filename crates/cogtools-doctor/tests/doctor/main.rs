//! `cogtools doctor`: a project where all is well, and what is said of each thing
//! that is not.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod host;
mod mend;
mod patient;
mod policy;
mod run;
mod tool;
