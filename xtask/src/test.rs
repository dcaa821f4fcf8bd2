//! `cargo xtask test`: everything that CI runs, in the order in which a failure
//! is cheapest.

use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::cargo::cargo;
use crate::process::run as run_process;
use crate::{deny, fuzz, needs, say};

/// Installs what is missing, then runs every step until one fails.
///
/// All steps share one profile, one set of features and one set of flags, so
/// that nothing is compiled twice for the same purpose.
pub(crate) fn run() -> Result<()> {
    let begin = Instant::now();
    let mut program = None;
    step("what the tests need", || {
        needs::components()?;
        needs::packages()?;
        needs::node()?;
        program = Some(needs::deny()?);
        Ok(())
    })?;
    step("formatting", || {
        run_process(cargo()?.args(["fmt", "--all", "--check"]))
    })?;
    step("licences, bans and sources", || {
        deny::check(&program.context("cargo-deny is not installed")?)
    })?;
    step("lints", || {
        let lints = ["clippy", "--workspace", "--all-targets", "--locked"];
        run_process(cargo()?.args(lints).args(["--", "-D", "warnings"]))
    })?;
    step("documentation", || {
        // The binaries have one statement each, and the names of libraries.
        let doc = ["doc", "--workspace", "--lib", "--no-deps", "--locked"];
        run_process(cargo()?.args(doc).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    step("tests", || {
        run_process(cargo()?.args(["test", "--workspace", "--locked"]))
    })?;
    step("fuzzing", fuzz::run_targets)?;
    say::line(&format!("all steps passed in {:.0?}", begin.elapsed()));
    Ok(())
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    say::line(&format!("== {name}"));
    let begin = Instant::now();
    work().with_context(|| format!("the step `{name}` failed"))?;
    say::line(&format!("== {name}: done in {:.1?}", begin.elapsed()));
    Ok(())
}
