//! Installation of pinned npm and `PyPI` packages, once for all tests.
//!
//! Packages are installed in a temporary directory, which is renamed when complete,
//! under a lock: a killed run leaves nothing that looks installed, and two test
//! binaries do not overwrite each other's installation.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Node.js that the newest clients need.
const NODE: &str = "26.10.0";

/// The directory `name` below `cache`, created by `fetch` unless it exists.
pub(crate) fn once(cache: &Path, name: &str, fetch: impl FnOnce(&Path)) -> PathBuf {
    let place = cache.join(name);
    make(cache);
    let lock = cache.join(format!("{name}.lock"));
    let lock = File::create(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    lock.lock().expect("cannot lock the installation");
    if !place.exists() {
        let beside = cache.join(format!("{name}.partial"));
        if beside.exists() {
            fs::remove_dir_all(&beside)
                .unwrap_or_else(|error| panic!("{}: {error}", beside.display()));
        }
        make(&beside);
        fetch(&beside);
        fs::rename(&beside, &place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    }
    place
}

fn make(dir: &Path) {
    fs::create_dir_all(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
}

/// Installs packages of npm below `cache`, as the directory `name`.
pub fn npm(cache: &Path, name: &str, packages: &[&str]) -> PathBuf {
    npm_with(cache, name, packages, &[])
}

/// Like [`npm`], without the packages that are optional for these.
pub fn npm_required(cache: &Path, name: &str, packages: &[&str]) -> PathBuf {
    npm_with(cache, name, packages, &["--omit=optional"])
}

fn npm_with(cache: &Path, name: &str, packages: &[&str], options: &[&str]) -> PathBuf {
    once(cache, name, |dir| {
        // Keeps npm from installing next to a package.json further up.
        fs::write(dir.join("package.json"), "{\"private\": true}\n")
            .unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
            .args(["--prefer-offline", "--prefix"])
            .arg(dir)
            .args(options)
            .args(packages)
            .current_dir(dir);
        succeeds(&mut npm, packages);
    })
}

/// The operating system and architecture as Node.js and npm packages name them.
pub fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{machine}")
}

/// The directory with a Node.js that is new enough for every client, regardless of
/// the one on PATH.
pub fn node(cache: &Path) -> PathBuf {
    let package = format!("node-{}", platform());
    let place = npm(
        cache,
        &format!("node-{NODE}"),
        &[&format!("{package}@{NODE}")],
    );
    let bin = place.join("node_modules").join(package).join("bin");
    assert!(
        bin.join("node").is_file(),
        "there is no {}/node",
        bin.display()
    );
    bin
}

/// Installs packages of `PyPI` into a virtual environment below `cache`, and returns
/// the path of its Python.
pub fn python(cache: &Path, name: &str, packages: &[&str]) -> PathBuf {
    let place = once(cache, name, |dir| {
        succeeds(
            Command::new("python3").args(["-m", "venv"]).arg(dir),
            &["venv"],
        );
        let mut pip = Command::new(dir.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        succeeds(pip.args(packages), packages);
    });
    place.join("bin/python")
}

fn succeeds(command: &mut Command, packages: &[&str]) {
    let output = command.output().unwrap_or_else(|error| {
        let program = command.get_program().display();
        panic!("cannot run {program}, which these tests need to install {packages:?}: {error}")
    });
    assert!(
        output.status.success(),
        "cannot install {packages:?} ({}):\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
