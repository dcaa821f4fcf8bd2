//! The tests of `cogtools-restate`, with a real Restate from npm. The crate is a workspace of its
//! own, with its own lock file, because nothing else needs most of its dependencies. Those of both
//! workspaces are built once; the worker itself is `target/restate/debug/cogtools-restate`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::cargo::{cargo, target};
use crate::command::root;
use crate::process::run as run_process;

/// The variable with the number of runs in the test of many.
const RUNS: &str = "COGTOOLS_RESTATE_RUNS";
/// The variable with the directory of the programs that a worker starts.
const PROGRAMS: &str = "COGTOOLS_PROGRAMS";

/// The directory of the workspace.
pub(crate) fn workspace() -> Result<PathBuf> {
    Ok(root()?.join("crates/porcelain/cogtools-restate"))
}

/// Builds everything and runs the tests, the one of many with this number of runs.
pub(crate) fn run(runs: Option<u32>) -> Result<()> {
    run_process(cargo()?.args(["build", "--workspace", "--bins", "--locked"]))?;
    build()?;
    test(runs)
}

/// Returns true if the sources are formatted.
pub(crate) fn check_formatting() -> Result<()> {
    run_process(own("fmt")?.arg("--check"))
}

/// Clippy and rustdoc.
pub(crate) fn lint() -> Result<()> {
    let lints = ["--all-targets", "--locked", "--", "-D", "warnings"];
    run_process(own("clippy")?.args(lints))?;
    let doc = ["--lib", "--no-deps", "--locked"];
    run_process(own("doc")?.args(doc).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Builds the worker and its tests.
pub(crate) fn build() -> Result<()> {
    run_process(own("test")?.args(["--locked", "--no-run"]))
}

/// Runs the tests, which need the programs of the other workspace.
pub(crate) fn test(runs: Option<u32>) -> Result<()> {
    let mut test = own("test")?;
    test.arg("--locked").env(PROGRAMS, target()?.join("debug"));
    test.envs(runs.map(|runs| (RUNS, runs.to_string())));
    run_process(&mut test)
}

/// A cargo command in the workspace.
fn own(name: &str) -> Result<Command> {
    let mut command = cargo()?;
    command.arg(name).current_dir(workspace()?);
    let target = target()?;
    command.env("CARGO_TARGET_DIR", target.join("restate"));
    command.env("CARGO_BUILD_BUILD_DIR", target);
    Ok(command)
}
