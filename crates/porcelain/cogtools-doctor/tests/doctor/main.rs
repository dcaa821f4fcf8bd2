//! `cogtools doctor`: a healthy project, and what is reported when something is
//! wrong with it.

#![expect(clippy::unwrap_used, reason = "a failed setup step fails the test")]

mod files;
mod fix;
mod fixture;
mod host;
mod mcp_hosts;
mod policy;
mod run;
mod tool;
mod user_files;
