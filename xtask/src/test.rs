//! `cargo xtask test` and `cargo xtask ci`: the tests that a person can wait for, and everything.

use anyhow::{Context as _, Result};

use crate::cargo::cargo;
use crate::process::run as run_process;
use crate::rings::Rings;
use crate::steps::Steps;
use crate::{deny, fuzz, needs, prose, restate, say};

/// Runs the tests of the crates and the quick tests of the programs. They need no network but
/// crates, and install nothing; a line reports each test that does not run here.
pub(crate) fn quick() -> Result<()> {
    with_summary(|steps| Rings::build(steps)?.run_quick(steps))
}

/// Installs missing prerequisites, then runs every step until one fails; `is_rest` leaves out the
/// tests of [`quick`].
///
/// All steps share one profile, one set of features and one set of flags, so that nothing is
/// compiled twice for the same purpose.
pub(crate) fn everything(is_rest: bool) -> Result<()> {
    with_summary(|steps| run_everything(steps, is_rest))
}

/// Runs `work`, and prints the duration of each of its steps.
fn with_summary(work: impl FnOnce(&mut Steps) -> Result<()>) -> Result<()> {
    let mut steps = Steps::begin();
    let result = work(&mut steps);
    say::line(&steps.summary());
    result?;
    say::line("all steps passed");
    Ok(())
}

/// Installs the programs that tests run.
pub(crate) fn install_needs() -> Result<()> {
    needs::components()?;
    needs::packages()?;
    needs::node()
}

fn run_everything(steps: &mut Steps, is_rest: bool) -> Result<()> {
    let mut program = None;
    steps.step("crates of every platform", needs::crates)?;
    steps.step("programs that the tests need", || {
        install_needs()?;
        program = Some(needs::deny()?);
        Ok(())
    })?;
    steps.step("formatting", || {
        run_process(cargo()?.args(["fmt", "--all", "--check"]))?;
        restate::check_formatting()
    })?;
    steps.step("form of doc comments", prose::check)?;
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
    let rings = Rings::build(steps)?;
    if !is_rest {
        rings.run_quick(steps)?;
    }
    rings.run_slow(steps)?;
    if cfg!(target_os = "linux") {
        steps.step("lints of the worker for Restate", restate::lint)?;
        steps.step("building the worker for Restate", restate::build)?;
        steps.step("tests: Restate", || restate::test(None))?;
    }
    steps.step("fuzzing", fuzz::run_briefly)
}
