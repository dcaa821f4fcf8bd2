//! The tools of another server behind ours: 1,000 of them, declared from the cache.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::client::Client;
use super::project;
use super::server;
use super::table::{Limit, Unit};
use super::timer::{Case, median};
use crate::cargo::Build;

/// The number of tools of the other server.
const TOOLS: usize = 1_000;
/// The number of discoveries and of requests for the list.
const TIMES: usize = 20;

/// Measures discovery and a running server.
pub(super) fn measure(build: &Build, below: &Path) -> Result<Vec<Limit>> {
    let (project, home) = project::with_a_server(below, &build.bin.join("cogtools-mcp"), TOOLS)?;
    let discover = Case::new(build.bin.join("cogtools-discover"), &[], &project);
    let discover = discover.env("HOME", &home);
    // The server is asked once; afterwards its declarations are in the cache.
    let program = build.bin.join("cogtools-discover");
    let refresh = Case::new(program, &["--refresh"], &project);
    refresh.env("HOME", &home).time()?;
    let discovered = (0..TIMES)
        .map(|_| discover.time())
        .collect::<Result<Vec<_>>>()?;
    let (listed, memory) = lists(&build.bin.join("cogtools-mcp"), &project, &home)?;
    let milliseconds = |what: &str, times: Vec<Duration>, must: f64| Limit {
        what: format!("1,000 tools of another server: {what}"),
        measured: median(times).as_secs_f64() * 1e3,
        unit: Unit::Milliseconds,
        must,
    };
    let mut limits = vec![
        milliseconds("discovered from the cache", discovered, 120.0),
        milliseconds("listed over MCP, later", listed, 20.0),
    ];
    if let Some(memory) = memory {
        let kibibytes = u32::try_from(memory >> 10).context("more memory than there is")?;
        limits.push(Limit {
            what: "1,000 tools of another server: the most memory".to_owned(),
            measured: f64::from(kibibytes) * 1.024e-3,
            unit: Unit::Megabytes,
            must: 60.0,
        });
    }
    Ok(limits)
}

/// The times of later lists of a running server, and its memory.
fn lists(program: &Path, project: &Path, home: &Path) -> Result<(Vec<Duration>, Option<u64>)> {
    let (mut client, _) = Client::start_with(program, project, &[("HOME", home)])?;
    let params: Value = json!({});
    client.ask("tools/list", &params)?;
    thread::sleep(server::REST);
    client.ask("tools/list", &params)?;
    let listed = (0..TIMES)
        .map(|_| client.ask("tools/list", &params))
        .collect::<Result<Vec<_>>>()?;
    let memory = client.peak();
    client.end()?;
    Ok((listed, memory))
}
