//! `cargo xtask bless`: renews every expected text, to be reviewed as a diff.
//!
//! Generated pages and pictures come first, because tests read them. Then the tests
//! run and rewrite their expected text. One test may show what another rewrites, so
//! they run until nothing changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::cargo::{cargo, target};
use crate::command::root;
use crate::process::{output, run as run_process};
use crate::{manual, say};

/// The maximum number of runs; text that still changes then is not deterministic.
const RUNS: usize = 4;

/// The selected tests; all if nothing is named.
pub(crate) struct Selection {
    /// Packages.
    pub(crate) packages: Vec<String>,
    /// Parts of the names of tests.
    pub(crate) names: Vec<String>,
}

impl Selection {
    fn is_everything(&self) -> bool {
        self.packages.is_empty() && self.names.is_empty()
    }

    /// The tests with expected text to be renewed. Not in parallel processes: two
    /// that rewrite one file would undo each other's work.
    fn command(&self) -> Result<Command> {
        let mut command = cargo()?;
        command.args(["test", "--quiet", "--no-fail-fast"]);
        if self.packages.is_empty() {
            command.arg("--workspace");
        }
        for package in &self.packages {
            command.args(["--package", package]);
        }
        command.arg("--").args(&self.names);
        command.env("SNAPSHOTS", "overwrite");
        Ok(command)
    }
}

/// Renews what the selected tests expect, and what is generated if none is
/// selected.
pub(crate) fn run(selection: &Selection) -> Result<()> {
    if std::env::var_os("CI").is_some_and(|value| value == "true") {
        bail!("nothing is renewed in CI, and CI is true");
    }
    let before = State::read()?;
    if selection.is_everything() {
        generate()?;
    }
    let mut state = State::read()?;
    for _ in 0..RUNS {
        let passed = selection.command()?.stdin(Stdio::null()).status();
        let passed = passed.context("cannot start cargo")?.success();
        // Text of another length is formatted differently.
        run_process(cargo()?.args(["fmt", "--all"]))?;
        let now = State::read()?;
        if now == state {
            now.report(&before);
            if !passed {
                bail!("some tests fail for a reason other than expected text");
            }
            return Ok(());
        }
        state = now;
    }
    state.report(&before);
    bail!("expected text still changes after {RUNS} runs: it is not the same in every run")
}

/// Generates the committed pages, pictures and golden files.
fn generate() -> Result<()> {
    manual::write()?;
    manual::pictures()?;
    run_process(cargo()?.args(["build", "--quiet", "--package", "cogtools", "--bins"]))?;
    let bin = target()?.join("debug");
    let program = |name: &str| {
        let mut command = Command::new(bin.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
        root().map(|root| {
            command.current_dir(root);
            command
        })
    };
    run_process(program("cogtools-test")?.arg("--update"))?;
    run_process(&mut program("cogtools-docs")?)
}

/// The files that git tracks or would add.
#[derive(PartialEq, Eq)]
struct State(BTreeMap<PathBuf, Vec<u8>>);

impl State {
    fn read() -> Result<Self> {
        let root = root()?;
        let list = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let names = output(Command::new("git").args(list).current_dir(&root))?;
        let names = names.split_terminator('\0').map(PathBuf::from);
        // A deleted file is still in the index.
        let files =
            names.filter_map(|name| Some((name.clone(), std::fs::read(root.join(name)).ok()?)));
        Ok(Self(files.collect()))
    }

    fn report(&self, before: &Self) {
        let names = self.0.keys().chain(before.0.keys());
        let mut changed: Vec<&Path> = names
            .filter(|name| self.0.get(*name) != before.0.get(*name))
            .map(PathBuf::as_path)
            .collect();
        changed.sort_unstable();
        changed.dedup();
        for name in &changed {
            say::line(&format!("renewed {}", name.display()));
        }
        say::line(&format!(
            "{} files are renewed: review their diff",
            changed.len()
        ));
    }
}
