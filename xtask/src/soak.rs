//! `cargo xtask soak`: runs the tests for memory growth of the MCP server on release
//! builds, for any duration.

use anyhow::Result;

use crate::cargo::cargo;
use crate::process::run as run_process;

/// The calls to make.
#[derive(Clone, Copy)]
pub(crate) enum Calls {
    /// Tools of one project, while its files change.
    Project,
    /// Tools of ten sources, which change, die and come back.
    Sources,
}

impl Calls {
    /// The test, the variable with its duration, and the usual duration in seconds.
    const fn test(self) -> (&'static str, &'static str, u64) {
        match self {
            Self::Project => ("mcp::soak::", "COGTOOLS_SOAK", 3_600),
            Self::Sources => ("mcp::soak_sources::", "COGTOOLS_SOAK_SOURCES", 1_200),
        }
    }
}

/// Runs it for `seconds`.
pub(crate) fn run(calls: Calls, seconds: Option<u64>) -> Result<()> {
    let (test, variable, usual) = calls.test();
    let test = ["--test", "cogtools", test, "--", "--nocapture"];
    run_process(
        cargo()?
            .args(["test", "--release", "--locked", "--package", "cogtools"])
            .args(test)
            .env(variable, seconds.unwrap_or(usual).to_string()),
    )
}
