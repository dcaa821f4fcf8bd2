//! `cargo xtask bench --http`: the MCP server over HTTP under load, against servers with the
//! same tool in TypeScript and Python.
//!
//! The measure is the processor time of a call, which other load on the machine hardly
//! changes; its inverse is how many calls one core can answer in a second.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context as _, Result};

use super::load::Load;
use super::peer::{Peers, sources};
use super::table::{Goal, Limit, Row, Unit};
use super::{project, server};
use crate::cargo::Build;
use crate::process::shown;

/// The load that calls are measured with.
const BUSY: Load = Load {
    clients: 32,
    time: Duration::from_secs(5),
    every: None,
    sessions: false,
};
/// Agents that think between their calls.
const AGENTS: Load = Load {
    clients: 500,
    time: Duration::from_secs(8),
    every: Some(Duration::from_secs(1)),
    sessions: false,
};

/// A server that runs.
struct Server {
    child: Child,
    url: String,
}

/// The rows and the limits.
pub(super) fn measure(
    build: &Build,
    peers: &Peers,
    below: &Path,
) -> Result<(Vec<Row>, Vec<Limit>)> {
    let project = project::with_a_greeting(below)?;
    let mut ours = Command::new(build.bin.join("cogtools"));
    ours.args(["mcp", "--http", "127.0.0.1:0"])
        .current_dir(&project);
    let ours = Server::start(&mut ours, false)?;
    // Until then the file is read at each call.
    thread::sleep(server::REST);
    let (node, scripts) = &peers.node;
    let script = |mode: &str| {
        let mut command = Command::new(node);
        command.arg(scripts.join("serve.mjs")).arg(mode);
        command
    };
    let mut rows = Vec::new();
    let mut row = |what: &str, goal: Goal, command: &mut Command, sessions: bool| -> Result<()> {
        let theirs = Server::start(command, sessions)?;
        rows.push(Row {
            what: what.to_owned(),
            goal,
            times: (ours.cost(BUSY)?, theirs.cost(Load { sessions, ..BUSY })?),
        });
        Ok(())
    };
    let ten = Goal::AtLeast(10.0, None);
    row(
        "TypeScript SDK, without sessions / call over HTTP",
        ten,
        &mut script(""),
        false,
    )?;
    let better = Goal::AtLeast(4.0, Some(10.0));
    row(
        "TypeScript SDK, with sessions / call over HTTP",
        better,
        &mut script("sessions"),
        true,
    )?;
    if let Some(python) = &peers.python {
        let mut fastmcp = Command::new(python);
        fastmcp.arg(sources()?.join("serve.py"));
        row(
            "FastMCP, without sessions / call over HTTP",
            ten,
            &mut fastmcp,
            false,
        )?;
    }
    let limits = ours.agents()?;
    Ok((rows, limits))
}

impl Server {
    /// Starts `command`, which prints the server's address; `sessions` is whether clients need one.
    fn start(command: &mut Command, sessions: bool) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let mut url = String::new();
        let stdout = child.stdout.take().context("a server has a pipe")?;
        BufReader::new(stdout).read_line(&mut url)?;
        let server = Self {
            child,
            url: url.trim_end().to_owned(),
        };
        let one = Load {
            clients: 1,
            time: Duration::from_millis(500),
            sessions,
            ..BUSY
        };
        // It prints its address before it listens, perhaps.
        let mut tries = 0;
        loop {
            match one.run(&server.url, || ()) {
                Ok(_) => return Ok(server),
                Err(error) if tries == 100 => {
                    return Err(error.context(format!("{} does not answer", shown(command))));
                }
                Err(_) => tries += 1,
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// The processor time of a call under `load`.
    fn cost(&self, load: Load) -> Result<Duration> {
        // What the first calls compile and allocate does not count.
        let warm = Load {
            time: Duration::from_secs(2),
            ..load
        };
        warm.run(&self.url, || ())?;
        let before = self.processor_time()?;
        let calls = load.run(&self.url, || ())?.len();
        let used = self.processor_time()?.saturating_sub(before);
        Ok(used / u32::try_from(calls)?)
    }

    /// The time of calls with many clients, and the cost of a client.
    fn agents(&self) -> Result<Vec<Limit>> {
        let before = self.memory()?;
        let mut during = Ok(before);
        let mut times = AGENTS.run(&self.url, || during = self.memory())?;
        times.sort_unstable();
        let percentile = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
        let limit = |what: &str, measured: f64, unit: Unit, must: f64| Limit {
            what: what.to_owned(),
            measured,
            unit,
            must,
        };
        let each = during?.saturating_sub(before) / u64::from(AGENTS.clients);
        let each = f64::from(u32::try_from(each)?) / 1e3;
        let agents = "500 clients with a call a second:";
        Ok(vec![
            limit(
                &format!("{agents} median"),
                percentile(50),
                Unit::Milliseconds,
                5.0,
            ),
            limit(
                &format!("{agents} p99"),
                percentile(99),
                Unit::Milliseconds,
                50.0,
            ),
            limit(
                &format!("{agents} memory each"),
                each,
                Unit::Kilobytes,
                100.0,
            ),
        ])
    }

    /// The processor time that it has used.
    fn processor_time(&self) -> Result<Duration> {
        /// The kernel's unit for programs, whatever its clock.
        const TICKS_PER_SECOND: u64 = 100;
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.context("this needs Linux")?;
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split(' ')
            .collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        let used = ticks(12)
            .zip(ticks(13))
            .context("an unknown form of /proc")?;
        Ok(Duration::from_millis(
            (used.0 + used.1) * 1_000 / TICKS_PER_SECOND,
        ))
    }

    /// The memory that it has, in bytes.
    fn memory(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let line = line.context("an unknown form of /proc")?;
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kibibytes << 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
