//! Runs of the fuzz targets. `cargo xtask ci` runs each of them briefly: they must build, and
//! regressions that random input finds quickly are found before they land.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::cargo::{cargo, host, target};
use crate::command::root;
use crate::process::run;

/// The duration of each target in a brief run, in seconds.
pub(crate) const BRIEF: u64 = 10;
/// The crates with targets, their targets, and their dictionary if there is one.
const CRATES: [(&str, &[&str], Option<&str>); 3] = [
    (
        "lib/cogtools-core",
        &["dotenv", "lenient_json", "lock", "trust"],
        None,
    ),
    ("porcelain/cogtools-flow", &["plan"], None),
    ("lib/njk", &["compile", "render"], Some("njk.dict")),
];
/// The crate whose targets are not run briefly: they link all of the agent, which takes minutes to
/// build.
const LONG: &str = "porcelain/cogtools-flow";
/// Coverage for libFuzzer, as the stable compiler can give it.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The directories of the targets: workspaces of their own.
pub(crate) fn workspaces() -> Result<Vec<PathBuf>> {
    let crates = root()?.join("crates");
    let workspace = |name: &str| crates.join(name).join("fuzz");
    Ok(CRATES.iter().map(|(name, ..)| workspace(name)).collect())
}

/// Runs the targets briefly, as a test.
pub(crate) fn run_briefly() -> Result<()> {
    let brief = CRATES.iter().filter(|(name, ..)| *name != LONG);
    let names: Vec<String> = brief
        .flat_map(|(_, targets, _)| *targets)
        .map(|target| (*target).to_owned())
        .collect();
    run_targets(&names, BRIEF)
}

/// Builds the targets and runs each of them for `seconds`, or only those in `names`.
pub(crate) fn run_targets(names: &[String], seconds: u64) -> Result<()> {
    let is_known = |name: &&String| {
        CRATES
            .iter()
            .any(|(_, all, _)| all.contains(&name.as_str()))
    };
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        let all: Vec<&str> = CRATES
            .iter()
            .flat_map(|(_, all, _)| *all)
            .copied()
            .collect();
        bail!(
            "no fuzz target is named `{unknown}`; there are {}",
            all.join(", ")
        );
    }
    let is_selected = |name: &&&str| names.is_empty() || names.iter().any(|it| it == **name);
    for (fuzz, (_, targets, dictionary)) in workspaces()?.iter().zip(CRATES) {
        let targets: Vec<&str> = targets.iter().filter(is_selected).copied().collect();
        if !targets.is_empty() {
            run_workspace(fuzz, &targets, dictionary, seconds)?;
        }
    }
    Ok(())
}

fn run_workspace(
    fuzz: &Path,
    targets: &[&str],
    dictionary: Option<&str>,
    seconds: u64,
) -> Result<()> {
    let built = target()?.join("fuzz");
    let host = host()?;
    let mut build = cargo()?;
    build.args(["build", "--release", "--locked", "--target", &host]);
    build.current_dir(fuzz).env("CARGO_TARGET_DIR", &built);
    run(build.env("RUSTFLAGS", FLAGS))?;
    let programs = built.join(host).join("release");
    targets.iter().try_for_each(|name| {
        run(fuzzer(&programs, fuzz, name, dictionary).arg(format!("-max_total_time={seconds}")))
    })
}

/// One target with its own limits; new corpus entries are discarded.
fn fuzzer(programs: &Path, fuzz: &Path, name: &str, dictionary: Option<&str>) -> Command {
    let mut command = Command::new(programs.join(name));
    command
        .current_dir(programs)
        .args([
            "-timeout=10",
            "-rss_limit_mb=1024",
            "-max_len=512",
            "-verbosity=0",
            "-print_final_stats=1",
        ])
        .args(dictionary.map(|file| format!("-dict={}", fuzz.join(file).display())));
    // The first directory is written to, the others are only read.
    let scratch = programs.join(format!("{name}-corpus"));
    let _ = std::fs::create_dir_all(&scratch);
    command.arg(scratch).arg(fuzz.join("corpus").join(name));
    command
}
