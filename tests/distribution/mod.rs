//! The files of a release, made from the programs under test and installed for
//! real: npm packages, archives, and the workflow that publishes them.

pub(crate) mod archives;
mod gemini;
pub(crate) mod installer;
mod launcher;
mod npm;
mod packages;
pub(crate) mod server;
mod workflow;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use cogtools_test_support::{Outcome, Project, Run};

use crate::{CONFINE, OWN, programs, repository};

/// A directory that outlives the run, below cargo's target directory.
fn place() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("distribution")
}

/// The path of `program`, which these tests need, on PATH.
pub(crate) fn directory_of(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).find(|dir| dir.join(program).is_file());
    found.unwrap_or_else(|| panic!("no {program} on PATH, which these tests need"))
}

/// Runs `cargo xtask` in this repository.
#[track_caller]
pub(crate) fn xtask<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Outcome {
    let mut run = Run::new(xtask_program()).cwd(repository()).args(args);
    for (name, value) in std::env::vars_os() {
        run = run.env(name, value);
    }
    run.limit(Duration::from_mins(5)).run()
}

/// The program behind `cargo xtask`, which is built once: cargo waits while anything else is
/// being built, for as long as that takes.
fn xtask_program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let build = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "--package", "xtask"])
            .current_dir(repository())
            .status();
        assert!(build.expect("cargo runs").success());
        programs().join(format!("xtask{}", std::env::consts::EXE_SUFFIX))
    });
    &PROGRAM
}

/// A directory with the programs that have their own binary: those that are `real`
/// as cargo has built them, without debug information, and placeholders for
/// the rest.
fn binaries(name: &str, real: &[&str]) -> PathBuf {
    let dir = place().join(name);
    let project = Project::new();
    for name in OWN.into_iter().chain([CONFINE]) {
        let words = format!("#!/bin/sh\necho {name} {}\n", env!("CARGO_PKG_VERSION"));
        project.program(name, words);
        if real.contains(&name) {
            let strip = Run::new(directory_of("strip").join("strip"))
                .arg("-o")
                .arg(project.path(name))
                .arg(programs().join(name))
                .limit(Duration::from_mins(1));
            strip.run().expect(0, "", "");
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(place()).unwrap_or_else(|error| panic!("{error}"));
    let copied = Run::new("/bin/cp")
        .args(["-R".as_ref(), project.root().as_os_str(), dir.as_os_str()])
        .limit(Duration::from_mins(1));
    copied.run().expect(0, "", "");
    dir
}
