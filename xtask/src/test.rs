//! `cargo xtask test`: everything that CI runs, in the order in which a failure
//! is cheapest.

use anyhow::{Context as _, Result};

use crate::cargo::cargo;
use crate::process::run as run_process;
use crate::steps::Steps;
use crate::{deny, fuzz, needs, restate, rings, say};

/// Installs missing prerequisites, then runs every step until one fails, and prints
/// the duration of each.
///
/// All steps share one profile, one set of features and one set of flags, so
/// that nothing is compiled twice for the same purpose.
pub(crate) fn run() -> Result<()> {
    let mut steps = Steps::begin();
    let result = run_steps(&mut steps);
    say::line(&steps.summary());
    result?;
    say::line("all steps passed");
    Ok(())
}

fn run_steps(steps: &mut Steps) -> Result<()> {
    let mut program = None;
    steps.step("crates of every platform", needs::crates)?;
    steps.step("what the tests need", || {
        needs::components()?;
        needs::packages()?;
        needs::node()?;
        program = Some(needs::deny()?);
        Ok(())
    })?;
    steps.step("formatting", || {
        run_process(cargo()?.args(["fmt", "--all", "--check"]))?;
        restate::check_formatting()
    })?;
    steps.step("licences, bans and sources", || {
        deny::check(&program.context("cargo-deny is not installed")?)
    })?;
    steps.step("lints", || {
        let lints = ["clippy", "--workspace", "--all-targets", "--locked"];
        run_process(cargo()?.args(lints).args(["--", "-D", "warnings"]))
    })?;
    steps.step("documentation", || {
        // The binaries have one statement each, and the names of libraries.
        let doc = ["doc", "--workspace", "--lib", "--no-deps", "--locked"];
        run_process(cargo()?.args(doc).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    rings::run_all(steps)?;
    if cfg!(target_os = "linux") {
        steps.step("lints of the worker for Restate", restate::lint)?;
        steps.step("building the worker for Restate", restate::build)?;
        steps.step("tests: Restate", || restate::test(None))?;
    }
    steps.step("fuzzing", fuzz::run_briefly)
}
