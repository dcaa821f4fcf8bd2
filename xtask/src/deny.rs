//! The policy for dependencies in deny.toml, checked by cargo-deny.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::command::root;
use crate::process::{output, run};
use crate::say;

/// Checks licences, bans and sources, which needs no network, and advisories
/// where their database can be fetched.
pub(crate) fn check(program: &Path) -> Result<()> {
    let deny = || -> Result<Command> {
        let mut deny = Command::new(program);
        deny.args(["--log-level", "error"]).current_dir(root()?);
        Ok(deny)
    };
    run(deny()?.args(["--offline", "check", "licenses", "bans", "sources"]))?;
    let mut fetch = deny()?;
    fetch
        .args(["fetch", "db"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_HTTP_LOW_SPEED_LIMIT", "1000")
        .env("GIT_HTTP_LOW_SPEED_TIME", "10");
    if output(&mut fetch).is_err() {
        say::line("advisories are not checked: their database cannot be fetched from here");
        return Ok(());
    }
    run(deny()?.args(["check", "--disable-fetch", "advisories"]))
}
