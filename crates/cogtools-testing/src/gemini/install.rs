//! Installs a version from npm, once for all tests.
//!
//! The package is installed beside its place and moved there when it is
//! whole, under a lock: a run that was killed leaves nothing that looks
//! installed, and two test binaries do not install over each other.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Version;

/// The directory that holds `version`, installed below `cache` if need be.
pub(super) fn install(version: &Version, cache: &Path) -> PathBuf {
    let name = format!("gemini-cli-{}", version.number);
    let place = cache.join(&name);
    fs::create_dir_all(cache).unwrap_or_else(|error| panic!("{}: {error}", cache.display()));
    let lock = cache.join(format!("{name}.lock"));
    let lock = File::create(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    lock.lock().expect("cannot lock the installation");
    if !place.exists() {
        let beside = cache.join(format!("{name}.partial"));
        fetch(version, &beside);
        fs::rename(&beside, &place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    }
    place
}

fn fetch(version: &Version, dir: &Path) {
    if dir.exists() {
        fs::remove_dir_all(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    }
    fs::create_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    // Keeps npm from taking a package.json further up for the place to install in.
    fs::write(dir.join("package.json"), "{\"private\": true}\n")
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let package = format!("@google/gemini-cli@{}", version.number);
    let output = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--prefer-offline", "--prefix"])
        .arg(dir)
        .arg(&package)
        .current_dir(dir)
        .output()
        .unwrap_or_else(|error| {
            panic!("cannot run npm, which these tests need to install {package}: {error}")
        });
    assert!(
        output.status.success() && dir.join("node_modules/.bin/gemini").exists(),
        "npm cannot install {package} ({}):\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
