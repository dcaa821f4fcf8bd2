//! The tests, ring by ring: those of the crates, those of the installed programs,
//! and, each on its own, the slow ones, which install what others have made.
//!
//! Cargo builds all of them together and prints their paths. Each test is in one
//! ring: topics that no slow ring names belong to the programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::cargo::cargo;
use crate::process::{output, run, stdout};
use crate::steps::Steps;

/// The binary that runs the installed programs.
const PROGRAMS: &str = "cogtools";
/// Its slow topics, by ring.
const SLOW: [(&str, &[&str]); 7] = [
    ("real hosts", &["budget", "clients", "hosts", "managers"]),
    ("fifteen servers in real hosts", &["gateway"]),
    ("a browser", &["browser"]),
    ("MCP clients and servers", &["mcp"]),
    ("SDKs of models", &["genai", "sdk"]),
    ("archives and packages", &["distribution"]),
    ("real Nunjucks and validators", &["njk", "validators"]),
];

/// A binary with tests.
struct Binary {
    target: String,
    /// Whether it is a target of tests, not that of a library or program.
    is_test: bool,
    program: PathBuf,
    /// The directory of its package, in which cargo runs it.
    package: PathBuf,
}

/// Builds all tests and runs them.
pub(crate) fn run_all(steps: &mut Steps) -> Result<()> {
    let mut binaries = Vec::new();
    steps.step("building the tests", || {
        binaries = build()?;
        Ok(())
    })?;
    let of_programs = |binary: &&Binary| binary.is_test && binary.target == PROGRAMS;
    let programs = binaries.iter().find(of_programs);
    let programs = programs.context("the tests of the programs were not built")?;
    steps.step("tests: crates", || {
        let mut crates = binaries.iter().filter(|binary| !of_programs(binary));
        crates.try_for_each(|binary| binary.run(&[]))
    })?;
    let tests = programs.tests()?;
    for name in std::iter::once(None).chain(SLOW.map(|(name, _)| Some(name))) {
        let of_ring: Vec<&String> = tests.iter().filter(|test| ring(test) == name).collect();
        let name = name.unwrap_or("programs");
        if of_ring.is_empty() {
            bail!("there are no tests of {name}");
        }
        steps.step(&format!("tests: {name}"), || programs.run(&of_ring))?;
    }
    steps.step("tests: documentation", || {
        run(cargo()?.args(["test", "--workspace", "--locked", "--doc"]))
    })
}

/// The slow ring that a test of the programs belongs to, if to any.
fn ring(test: &str) -> Option<&'static str> {
    let topic = test.split("::").next().unwrap_or(test);
    let found = SLOW.iter().find(|(_, topics)| topics.contains(&topic));
    found.map(|(name, _)| *name)
}

/// Builds what `cargo test` would run.
fn build() -> Result<Vec<Binary>> {
    let mut build = cargo()?;
    build.args(["test", "--workspace", "--locked", "--no-run"]);
    build.arg("--message-format=json-render-diagnostics");
    let messages = stdout(&mut build)?;
    let mut binaries = Vec::new();
    for line in messages.lines() {
        let message: Value = serde_json::from_str(line).context("cargo prints JSON")?;
        if message["profile"]["test"] == true {
            binaries.extend(Binary::read(&message));
        }
    }
    Ok(binaries)
}

impl Binary {
    /// What cargo says of something that it has built, if that can be run.
    fn read(message: &Value) -> Option<Self> {
        let manifest = Path::new(message["manifest_path"].as_str()?);
        Some(Self {
            target: message["target"]["name"].as_str()?.to_owned(),
            is_test: message["target"]["kind"][0] == "test",
            program: message["executable"].as_str()?.into(),
            package: manifest.parent()?.to_owned(),
        })
    }

    /// A run of it as cargo runs it from a terminal: what runs in the background ignores some
    /// signals, and so would everything that it starts.
    fn command(&self) -> Command {
        let mut command = if resets_signals() {
            let mut command = Command::new("env");
            command.arg("--default-signal").arg(&self.program);
            command
        } else {
            Command::new(&self.program)
        };
        command
            .current_dir(&self.package)
            .env("CARGO_MANIFEST_DIR", &self.package);
        command
    }

    /// The names of its tests.
    fn tests(&self) -> Result<Vec<String>> {
        let list = output(self.command().args(["--list", "--format", "terse"]))?;
        let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(tests.map(str::to_owned).collect())
    }

    /// Runs these tests, or all of them.
    fn run(&self, tests: &[&String]) -> Result<()> {
        let mut command = self.command();
        if !tests.is_empty() {
            command.arg("--exact").args(tests);
        }
        let status = command.stdin(Stdio::null()).status();
        let status = status.with_context(|| format!("cannot start {}", self.program.display()))?;
        if !status.success() {
            bail!("the tests of {} failed: {status}", self.target);
        }
        Ok(())
    }
}

/// Whether env(1) can undo that signals are ignored, as that of GNU can.
fn resets_signals() -> bool {
    let mut env = Command::new("env");
    let env = env.args(["--default-signal", "true"]);
    let status = env.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Binary, ring};

    #[test]
    fn test_belongs_to_the_ring_of_its_topic() {
        for (test, expected) in [
            ("hosts::tutorial::works", Some("real hosts")),
            ("mcp::clients::works", Some("MCP clients and servers")),
            (
                "gateway::codex::works",
                Some("fifteen servers in real hosts"),
            ),
            ("docs::console::hosts::works", None),
            ("hostsfile", None),
        ] {
            assert_eq!(ring(test), expected, "{test}");
        }
    }

    #[test]
    fn only_what_can_be_run_is_a_binary() {
        let mut message = json!({
            "manifest_path": "/w/crates/a/Cargo.toml",
            "target": {"name": "a", "kind": ["test"]},
            "executable": null,
        });
        assert!(Binary::read(&message).is_none());
        message["executable"] = json!("/t/a-1");
        let binary = Binary::read(&message).map(|binary| {
            let (program, package) = (binary.program, binary.package);
            (binary.target, binary.is_test, program, package)
        });
        let expected = ("a".into(), true, "/t/a-1".into(), "/w/crates/a".into());
        assert_eq!(binary, Some(expected));
    }
}
