//! The tests, ring by ring: tests of the crates, tests of the installed programs, and, each on its
//! own, the slow ones, which install programs and packages of others.
//!
//! Cargo builds all of them together and prints their paths. Each test is in one ring: tests of
//! the programs that no slow ring names belong to the quick ones.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::cargo::cargo;
use crate::process::{find, output, run, stdout};
use crate::say;
use crate::steps::Steps;

/// The binary that runs the installed programs.
const PROGRAMS: &str = "cogtools";
/// The slow ring with hosts that have time limits, so that no more of its tests run at the same time
/// than there are processors.
const GATEWAY: &str = "fifteen servers in real hosts";
/// The slow rings: modules or tests of the programs.
const SLOW: [(&str, &[&str]); 8] = [
    ("programs that are killed", &["killed"]),
    ("real hosts", &["budget", "clients", "hosts", "managers"]),
    (GATEWAY, &["gateway"]),
    ("a browser", &["browser"]),
    ("MCP clients and servers", &["mcp"]),
    ("SDKs of models", &["genai", "sdk"]),
    ("archives and packages", &["distribution"]),
    (
        "real Nunjucks, dotenv and validators",
        &["njk", "dotenv", "validators"],
    ),
];
/// Programs that a machine with a Rust toolchain may lack, each with the quick tests that start it.
const NEEDS: [(&str, &[&str]); 7] = [
    (
        "emacs",
        &["editor::real::emacs", "editor::program::what_connects"],
    ),
    ("fish", &["completions::"]),
    (
        "mandoc",
        &[
            "every_page_is_clean_under_mandoc",
            "a_page_reads_as_a_manual_does",
        ],
    ),
    ("node", &["editor::vscode::"]),
    (
        "nvim",
        &["editor::real::neovim", "editor::program::what_connects"],
    ),
    (
        "python3",
        &[
            "ask::local::",
            "ask::network::",
            "attacks::sandbox::",
            "editor::program::the_extension",
            "failures::",
        ],
    ),
    ("zsh", &["completions::"]),
];

/// A binary with tests.
struct Binary {
    target: String,
    /// True for a target of tests, false for a library or program.
    is_test: bool,
    program: PathBuf,
    /// The directory of its package, in which cargo runs it.
    package: PathBuf,
}

/// All tests, built.
pub(crate) struct Rings {
    binaries: Vec<Binary>,
}

impl Rings {
    /// Builds the tests of all crates and programs.
    pub(crate) fn build(steps: &mut Steps) -> Result<Self> {
        let mut binaries = Vec::new();
        steps.step("building the tests", || {
            binaries = build()?;
            Ok(())
        })?;
        Ok(Self { binaries })
    }

    /// Runs the tests of the crates and the quick ones of the programs, and prints a line for each
    /// that does not run. With `CI=true`, a missing program is a failure.
    pub(crate) fn run_quick(&self, steps: &mut Steps) -> Result<()> {
        let absent = absent()?;
        steps.step("tests: crates", || {
            let mut crates = self.binaries.iter().filter(|binary| !binary.is_programs());
            crates.try_for_each(|binary| binary.run(&[], &absent, false))
        })?;
        let (programs, tests) = self.programs()?;
        let quick: Vec<&str> = of_ring(&tests, None)
            .into_iter()
            .filter(|test| !absent.iter().any(|part| test.contains(part)))
            .collect();
        steps.step("tests: programs", || programs.run(&quick, &[], true))?;
        for (ring, _) in SLOW {
            let count = of_ring(&tests, Some(ring)).len();
            say::line(&format!(
                "not run: {count} tests of {ring} (`cargo xtask ci`)"
            ));
        }
        Ok(())
    }

    /// Runs the slow rings and the tests in documentation.
    pub(crate) fn run_slow(&self, steps: &mut Steps) -> Result<()> {
        let (programs, tests) = self.programs()?;
        for (ring, _) in SLOW {
            let tests = of_ring(&tests, Some(ring));
            if tests.is_empty() {
                bail!("there are no tests of {ring}");
            }
            let waits = ring != GATEWAY;
            steps.step(&format!("tests: {ring}"), || {
                programs.run(&tests, &[], waits)
            })?;
        }
        steps.step("tests: documentation", || {
            run(cargo()?.args(["test", "--workspace", "--locked", "--doc"]))
        })
    }

    /// The binary that runs the installed programs, and the names of its tests.
    fn programs(&self) -> Result<(&Binary, Vec<String>)> {
        let mut binaries = self.binaries.iter();
        let programs = binaries.find(|binary| binary.is_programs());
        let programs = programs.context("the tests of the programs were not built")?;
        Ok((programs, programs.tests()?))
    }
}

/// Parts of the names of tests that need a program which this machine lacks, each printed.
fn absent() -> Result<Vec<&'static str>> {
    let mut parts = Vec::new();
    for (program, tests) in NEEDS.iter().filter(|(program, _)| find(program).is_none()) {
        let names = tests.join(", ");
        if std::env::var_os("CI").is_some_and(|ci| ci == "true") {
            bail!("{program} is not installed, and these tests need it: {names}");
        }
        say::line(&format!("not run: {names}: {program} is not installed"));
        parts.extend_from_slice(tests);
    }
    Ok(parts)
}

/// The tests of the programs in a slow ring, or in none.
fn of_ring<'t>(tests: &'t [String], name: Option<&str>) -> Vec<&'t str> {
    let tests = tests.iter().map(String::as_str);
    tests.filter(|test| ring(test) == name).collect()
}

/// The slow ring that a test of the programs belongs to, if to any.
fn ring(test: &str) -> Option<&'static str> {
    let topic = test.split("::").next().unwrap_or(test);
    let found = SLOW.iter().find(|(_, topics)| topics.contains(&topic));
    found.map(|(name, _)| *name)
}

/// Builds the binaries of `cargo test`.
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
    /// Returns true for the tests of the installed programs.
    fn is_programs(&self) -> bool {
        self.is_test && self.target == PROGRAMS
    }

    /// Reads cargo's message about a built target; `None` if it cannot be run.
    fn read(message: &Value) -> Option<Self> {
        let manifest = Path::new(message["manifest_path"].as_str()?);
        Some(Self {
            target: message["target"]["name"].as_str()?.to_owned(),
            is_test: message["target"]["kind"][0] == "test",
            program: message["executable"].as_str()?.into(),
            package: manifest.parent()?.to_owned(),
        })
    }

    /// A run of the binary as from a terminal: a process in the background ignores some signals, and
    /// so does everything that it starts.
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

    /// Runs `tests`, or all without `skipped` parts in their names. Of tests that wait for programs
    /// more than they compute, two for each processor run at the same time.
    fn run(&self, tests: &[&str], skipped: &[&str], waits: bool) -> Result<()> {
        let mut command = self.command();
        if waits {
            let processors = available_parallelism().map_or(1, NonZero::get);
            command.arg(format!("--test-threads={}", 2 * processors));
        }
        if !tests.is_empty() {
            command.arg("--exact").args(tests);
        }
        for part in skipped {
            command.args(["--skip", part]);
        }
        let status = command.stdin(Stdio::null()).status();
        let status = status.with_context(|| format!("cannot start {}", self.program.display()))?;
        if !status.success() {
            bail!("the tests of {} failed: {status}", self.target);
        }
        Ok(())
    }
}

/// Returns true if env(1) can reset ignored signals, as GNU's can.
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
