//! A short run of njk's fuzz targets: they must build, and regressions that random
//! input finds quickly are found before they land.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::cargo::{cargo, host, target};
use crate::command::root;
use crate::process::run;

/// The duration of each target, in seconds.
const SECONDS: u32 = 20;
/// The targets.
const TARGETS: [&str; 2] = ["compile", "render"];
/// Coverage for libFuzzer, as the stable compiler can give it.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The directory of the targets: a workspace of its own.
pub(crate) fn workspace() -> Result<PathBuf> {
    Ok(root()?.join("crates").join("njk").join("fuzz"))
}

/// Builds the targets and runs each of them.
pub(crate) fn run_targets() -> Result<()> {
    let fuzz = workspace()?;
    let built = target()?.join("fuzz");
    let host = host()?;
    let mut build = cargo()?;
    build.args(["build", "--release", "--locked", "--target", &host]);
    build.current_dir(&fuzz).env("CARGO_TARGET_DIR", &built);
    run(build.env("RUSTFLAGS", FLAGS))?;
    let programs = built.join(host).join("release");
    TARGETS
        .iter()
        .try_for_each(|name| run(&mut fuzzer(&programs, &fuzz, name)))
}

/// One target with its own limits; new corpus entries are discarded.
fn fuzzer(programs: &Path, fuzz: &Path, name: &str) -> Command {
    let mut command = Command::new(programs.join(name));
    command
        .current_dir(programs)
        .arg(format!("-max_total_time={SECONDS}"))
        .args([
            "-timeout=10",
            "-rss_limit_mb=1024",
            "-max_len=512",
            "-verbosity=0",
            "-print_final_stats=1",
        ])
        .arg(format!("-dict={}", fuzz.join("njk.dict").display()));
    // The first directory is written to, the others are only read.
    let scratch = programs.join(format!("{name}-corpus"));
    let _ = std::fs::create_dir_all(&scratch);
    command.arg(scratch).arg(fuzz.join("corpus").join(name));
    command
}
