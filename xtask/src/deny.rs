//! The policies for dependencies in deny.toml, checked by cargo-deny.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::command::root;
use crate::process::{output, run};
use crate::{restate, say};

/// Checks licences, bans and sources, which needs no network, and advisories
/// where their database can be fetched: of what users install, in both workspaces.
pub(crate) fn check(program: &Path) -> Result<()> {
    let deny = |workspace: &Path| {
        let mut deny = Command::new(program);
        deny.args(["--log-level", "error"]).current_dir(workspace);
        deny
    };
    let workspaces = [root()?, restate::workspace()?];
    for workspace in &workspaces {
        run(deny(workspace).args(["--offline", "check", "licenses", "bans", "sources"]))?;
    }
    let mut fetch = deny(&workspaces[0]);
    fetch
        .args(["fetch", "db"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_HTTP_LOW_SPEED_LIMIT", "1000")
        .env("GIT_HTTP_LOW_SPEED_TIME", "10");
    if output(&mut fetch).is_err() {
        say::line("advisories are not checked: their database cannot be fetched from here");
        return Ok(());
    }
    let advisories = ["check", "--disable-fetch", "advisories"];
    let mut workspaces = workspaces.iter();
    workspaces.try_for_each(|workspace| run(deny(workspace).args(advisories)))
}
