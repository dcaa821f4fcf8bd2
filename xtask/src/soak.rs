//! `cargo xtask soak`: runs the test for memory growth of the MCP server on release
//! builds, for any duration.

use anyhow::Result;

use crate::cargo::cargo;
use crate::process::run as run_process;

/// An hour, in seconds.
pub(crate) const HOUR: u64 = 3_600;

/// Runs it for `seconds`.
pub(crate) fn run(seconds: u64) -> Result<()> {
    let test = ["--test", "cogtools", "mcp::soak", "--", "--nocapture"];
    run_process(
        cargo()?
            .args(["test", "--release", "--locked", "--package", "cogtools"])
            .args(test)
            .env("COGTOOLS_SOAK", seconds.to_string()),
    )
}
