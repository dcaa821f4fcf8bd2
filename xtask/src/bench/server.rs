//! The MCP server, a long-running process: its startup time, response times and
//! memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::client::Client;
use super::project;
use super::table::{Goal, Limit, Row, Unit};
use super::timer::{Case, median};
use crate::cargo::Build;
use crate::process::{output, run};

/// The number of tools in its project.
const TOOLS: usize = 1_000;
/// The time for which files are unchanged until the server trusts its cache of them.
pub(super) const REST: Duration = Duration::from_secs(4);
/// The number of servers started in turn, and of requests to each.
const SERVERS: usize = 10;
const TIMES: usize = 20;

/// The two servers and their project.
pub(super) struct Servers {
    ours: PathBuf,
    smallest: PathBuf,
    project: PathBuf,
    /// The folder with the approval of the project.
    state: PathBuf,
    arguments: Value,
}

/// The response times of each kind of request.
#[derive(Default)]
struct Times {
    first: Vec<Duration>,
    later: Vec<Duration>,
    template: Vec<Duration>,
    program: Vec<Duration>,
    peak: Option<u64>,
}

impl Servers {
    /// Builds the minimal server and creates the project below `below`; the programs
    /// are built already.
    pub(super) fn new(build: &Build, below: &Path, arguments: &Path) -> Result<Self> {
        let text = fs::read_to_string(arguments)
            .with_context(|| format!("cannot read {}", arguments.display()))?;
        let example = ["--package", "cogtools-mcp", "--example", "smallest"];
        run(build.command("build")?.args(example))?;
        let project = project::with_a_program(below, TOOLS)?;
        let state = below.join("state");
        // A program of a project runs only if that is approved: by a record of our own.
        let mut trust = Command::new(build.bin.join("cogtools-trust"));
        trust.args(["--yes", "."]).current_dir(&project);
        output(trust.env("XDG_STATE_HOME", &state))?;
        Ok(Self {
            ours: build.bin.join("cogtools-mcp"),
            smallest: build.bin.join("examples/smallest"),
            project,
            state,
            arguments: serde_json::from_str(&text)?,
        })
    }

    /// The times until the first response, in turn.
    pub(super) fn start(&self, rounds: usize) -> Result<Row> {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // The first runs warm the system's caches.
        for round in 0..rounds + 2 {
            let (our, time) = Client::start(&self.ours, &self.project, &self.state)?;
            our.end()?;
            let (their, other) = Client::start(&self.smallest, &self.project, &self.state)?;
            their.end()?;
            if round >= 2 {
                ours.push(time);
                theirs.push(other);
            }
        }
        Ok(Row {
            what: "mcp: start to `initialize` beside 1,000 tools / the smallest rmcp server".into(),
            goal: Goal::AtMost(2.0, 1.2),
            times: (median(ours), median(theirs)),
        })
    }

    /// The response times for a client, and the memory.
    pub(super) fn limits(&self, quick: bool) -> Result<Vec<Limit>> {
        thread::sleep(REST);
        let mut times = Times::default();
        for _ in 0..if quick { 2 } else { SERVERS } {
            self.one(&mut times)?;
        }
        let limit = |what: &str, times: Vec<Duration>, must: f64| Limit {
            what: what.to_owned(),
            measured: median(times).as_secs_f64() * 1e3,
            unit: Unit::Milliseconds,
            must,
        };
        let mut limits = vec![
            limit("mcp: 1,000 tools listed, first", times.first, 50.0),
            limit("mcp: 1,000 tools listed, later", times.later, 50.0),
            limit("mcp: a call of a template", times.template, 1.0),
            limit("mcp: a call of a program", times.program, 20.0),
            limit("mcp --code: a program with one call", self.code()?, 6.0),
            limit("code run: a program with one call", self.code_run()?, 6.0),
        ];
        let megabytes =
            |bytes: u64| u32::try_from(bytes >> 10).map(|kib| f64::from(kib) * 1.024e-3);
        if let Some(peak) = times.peak {
            limits.push(Limit {
                what: "mcp: the most memory, with 1,000 tools".into(),
                measured: megabytes(peak).context("more memory than there is")?,
                unit: Unit::Megabytes,
                must: 20.0,
            });
        }
        Ok(limits)
    }

    /// The response times of `run_code`, each with a program that calls a template.
    fn code(&self) -> Result<Vec<Duration>> {
        let mut command = Command::new(&self.ours);
        command.arg("--code").env("XDG_STATE_HOME", &self.state);
        let (mut client, _) = Client::connect(command, &self.project, &[])?;
        let code = format!("return tools.facepalm({})", self.arguments);
        let program = json!({"name": "run_code", "arguments": {"code": code}});
        let times = (0..TIMES).map(|_| client.ask("tools/call", &program));
        let times = times.collect::<Result<_>>()?;
        client.end()?;
        Ok(times)
    }

    /// The times of whole processes, each with such a program, beside that tool alone.
    fn code_run(&self) -> Result<Vec<Duration>> {
        let folder = self.project.with_extension("code");
        fs::create_dir_all(folder.join("tools"))?;
        let tool = "tools/facepalm.yaml";
        fs::copy(self.project.join(tool), folder.join(tool))?;
        let program = folder.join("program.js");
        fs::write(
            &program,
            format!("return tools.facepalm({})", self.arguments),
        )?;
        let run = Case::new(
            self.ours.with_file_name("cogtools"),
            &["code", "run"],
            folder,
        );
        let run = run.stdin(program).env("XDG_STATE_HOME", &self.state);
        (0..SERVERS * TIMES).map(|_| run.time()).collect()
    }

    /// One server from start to end.
    fn one(&self, times: &mut Times) -> Result<()> {
        let (mut client, _) = Client::start(&self.ours, &self.project, &self.state)?;
        times.first.push(client.ask("tools/list", &json!({}))?);
        let template = json!({"name": "facepalm", "arguments": self.arguments});
        let program = json!({"name": "echo", "arguments": {"text": "said"}});
        for _ in 0..TIMES {
            times.later.push(client.ask("tools/list", &json!({}))?);
        }
        for _ in 0..TIMES {
            times.template.push(client.ask("tools/call", &template)?);
            times.program.push(client.ask("tools/call", &program)?);
        }
        times.peak = times.peak.max(client.peak());
        client.end()
    }
}
