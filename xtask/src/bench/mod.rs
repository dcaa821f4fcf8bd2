//! `cargo xtask bench`: compares whole processes with each other, in one run.
//!
//! Times vary between machines and over time; ratios of medians of processes that
//! run alternately hardly do. This is a measurement, not a test.

mod client;
mod foreign;
mod http;
mod load;
mod peer;
mod project;
mod server;
mod table;
mod timer;

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cargo::{Build, target};
use crate::say;
use peer::{Peers, sources};
use server::Servers;
use table::{Goal, Limit, Row, Unit};
use timer::{Case, compare};

/// The number of tool files that a discovery is measured with: the number of runs, the
/// goal against only reading them, and the goal against Node.
const SIZES: [(usize, usize, f64, f64, f64); 3] = [
    (100, 150, 5.0, 3.0, 20.0),
    (1_000, 60, 9.0, 6.0, 12.0),
    (10_000, 15, 9.0, 6.0, 9.0),
];

/// One run of the bench.
struct Bench {
    bin: PathBuf,
    peers: Peers,
    /// The folder of the projects.
    dir: PathBuf,
    arguments: PathBuf,
    quick: bool,
    rows: Vec<Row>,
    limits: Vec<Limit>,
}

/// The part to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole processes.
    Processes,
    /// The server over HTTP, under load.
    Http,
}

/// Measures `part` and prints the table; `write` also updates it in docs/.
pub(crate) fn run(part: Part, quick: bool, write: bool) -> Result<()> {
    let build = Build::release()?;
    build.programs()?;
    let dir = target()?.join("bench");
    let (rows, limits) = match part {
        Part::Processes => processes(&build, &dir, quick)?,
        Part::Http => http::measure(&build, &Peers::install(&dir)?, &dir.join("projects"))?,
    };
    let table = table::markdown(&rows, &limits);
    say::line(&table);
    let linked = if build.is_static() {
        "statically"
    } else {
        "dynamically"
    };
    say::line(&format!("the programs are linked {linked}"));
    if write {
        table::write(part, &table, linked)?;
    }
    Ok(())
}

fn processes(build: &Build, dir: &Path, quick: bool) -> Result<(Vec<Row>, Vec<Limit>)> {
    let mut bench = Bench {
        bin: build.bin.clone(),
        peers: Peers::install(dir)?,
        dir: dir.join("projects"),
        arguments: sources()?.join("arguments.json"),
        quick,
        rows: Vec::new(),
        limits: Vec::new(),
    };
    bench.calls()?;
    bench.javascript()?;
    bench.json()?;
    bench.one_discovery()?;
    bench.discoveries()?;
    bench.server(build)?;
    bench.flow()?;
    Ok((bench.rows, bench.limits))
}

impl Bench {
    fn calls(&mut self) -> Result<()> {
        let alone = project::with_tools(&self.dir, 1)?;
        let beside = project::with_tools(&self.dir, 1_000)?;
        let packages = project::with_packages(&self.dir)?;
        let call = self.call(&alone);
        let nothing = self.same(&self.peers.nothing, &[], &alone);
        let empty = self.same(&self.peers.empty, &[], &alone);
        self.row(
            "call facepalm / `true`",
            Goal::AtMost(3.5, 2.5),
            &call,
            &nothing,
            300,
        )?;
        self.row(
            "call facepalm / the smallest Rust program",
            Goal::AtMost(2.8, 1.5),
            &call,
            &empty,
            300,
        )?;
        let goal = Goal::AtMost(1.25, 1.05);
        self.row(
            "call beside 1,000 tools / alone",
            goal,
            &self.call(&beside),
            &call,
            300,
        )?;
        self.row(
            "call beside 500 npm packages / alone",
            goal,
            &self.call(&packages),
            &call,
            300,
        )?;
        let goal = Goal::AtLeast(40.0, Some(60.0));
        let node = self.node("call.mjs", &["facepalm"], &alone);
        self.row("Node peer / call", goal, &call, &node, 30)?;
        if let Some(python) = &self.peers.python {
            let script = sources()?.join("call.py").display().to_string();
            let python = self.same(python, &[&script, "facepalm"], &alone);
            self.row("Python peer / call", goal, &call, &python, 30)?;
        }
        Ok(())
    }

    /// A tool in JavaScript against the same as a template.
    fn javascript(&mut self) -> Result<()> {
        let project = project::with_kinds(&self.dir)?;
        let call = |name: &str| self.same(&self.bin.join("cogtools-call"), &[name], &project);
        let (javascript, template) = (call("in_javascript"), call("in_a_template"));
        let goal = Goal::AtMost(2.5, 2.0);
        self.row(
            "call in JavaScript / as a template",
            goal,
            &javascript,
            &template,
            300,
        )
    }

    /// The time to find and repair JSON is linear.
    fn json(&mut self) -> Result<()> {
        let read = |items: usize| -> Result<Case> {
            let text = project::broken_json(&self.dir, items)?;
            let program = self.bin.join("cogtools-json");
            Ok(Case::new(program, &[], &self.dir).stdin(&text))
        };
        let (long, short) = (read(80_000)?, read(20_000)?);
        let what = "`cogtools-json` with 4 MiB to repair / with 1 MiB";
        self.row(what, Goal::AtMost(4.4, 4.0), &long, &short, 20)
    }

    fn one_discovery(&mut self) -> Result<()> {
        let project = project::with_tools(&self.dir, 1)?;
        let discover = self.discover(&project);
        let nothing = Case::new(&self.peers.nothing, &[], &project);
        let goal = Goal::AtMost(2.5, 1.3);
        self.row("discover 1 tool / `true`", goal, &discover, &nothing, 300)?;
        let packages = self.discover(&project::with_needs(&self.dir, true)?);
        let unread = self.discover(&project::with_needs(&self.dir, false)?);
        let what = "discover with `node_modules` of 1,000 packages, 50 named / without";
        self.row(what, Goal::AtMost(3.0, 2.0), &packages, &unread, 100)?;
        let node = self.node("discover.mjs", &[], &project);
        let goal = Goal::AtLeast(30.0, None);
        self.row("Node peer / discover 1 tool", goal, &discover, &node, 30)
    }

    fn discoveries(&mut self) -> Result<()> {
        for (tools, rounds, must, better, node) in SIZES {
            let project = project::with_tools(&self.dir, tools)?;
            let discover = self.discover(&project);
            let read = Case::new(&self.peers.read, &[], &project);
            let what = format!("discover {tools} tools / only reading the files");
            self.row(&what, Goal::AtMost(must, better), &discover, &read, rounds)?;
            let peer = self.node("discover.mjs", &[], &project);
            let what = format!("Node peer / discover {tools} tools");
            let goal = Goal::AtLeast(node, None);
            self.row(&what, goal, &discover, &peer, rounds.div_ceil(6))?;
        }
        Ok(())
    }

    fn server(&mut self, build: &Build) -> Result<()> {
        let servers = Servers::new(build, &self.dir, &self.arguments)?;
        self.rows
            .push(servers.start(if self.quick { 10 } else { 100 })?);
        self.limits = servers.limits(self.quick)?;
        self.limits.extend(foreign::measure(build, &self.dir)?);
        Ok(())
    }

    /// The overhead of a node of a flow: a chain of nodes against one node.
    fn flow(&mut self) -> Result<()> {
        const NODES: u32 = 1_000;
        let run = |nodes: u32| -> Result<Case> {
            let project = project::with_flow(&self.dir, nodes)?;
            let args = ["flow", "run", "chain", "--no-session"];
            Ok(Case::new(self.bin.join("cogtools"), &args, &project))
        };
        let rounds = if self.quick { 3 } else { 30 };
        let (long, short) = compare(&run(NODES)?, &run(1)?, rounds)?;
        self.limits.push(Limit {
            what: "flow: each of 1,000 nodes".to_owned(),
            measured: long.saturating_sub(short).as_secs_f64() * 1e3 / f64::from(NODES - 1),
            unit: Unit::Milliseconds,
            must: 0.1,
        });
        Ok(())
    }

    /// Compares `ours` with `theirs` and adds the row.
    fn row(
        &mut self,
        what: &str,
        goal: Goal,
        ours: &Case,
        theirs: &Case,
        rounds: usize,
    ) -> Result<()> {
        let rounds = if self.quick {
            rounds.div_ceil(10)
        } else {
            rounds
        };
        self.rows.push(Row {
            what: what.to_owned(),
            goal,
            times: compare(ours, theirs, rounds)?,
        });
        Ok(())
    }

    fn call(&self, project: &Path) -> Case {
        self.same(&self.bin.join("cogtools-call"), &["facepalm"], project)
    }

    fn discover(&self, project: &Path) -> Case {
        Case::new(self.bin.join("cogtools-discover"), &[], project)
    }

    /// A process that gets the same input as a call.
    fn same(&self, program: &Path, args: &[&str], project: &Path) -> Case {
        Case::new(program, args, project).stdin(&self.arguments)
    }

    fn node(&self, script: &str, args: &[&str], project: &Path) -> Case {
        let (node, scripts) = &self.peers.node;
        let script = scripts.join(script).display().to_string();
        let args: Vec<&str> = std::iter::once(script.as_str())
            .chain(args.iter().copied())
            .collect();
        self.same(node, &args, project)
    }
}
