//! Which command of the system's package manager installs a well-known program.

use crate::host::Host;
use crate::program::find;

/// A package manager.
struct Manager {
    program: &'static str,
    /// The command line up to the name of the package.
    install: &'static str,
    /// True if only the administrator may run it.
    needs_root: bool,
}

const MANAGERS: [Manager; 5] = [
    Manager {
        program: "brew",
        install: "brew install",
        needs_root: false,
    },
    Manager {
        program: "apt-get",
        install: "apt-get install --yes",
        needs_root: true,
    },
    Manager {
        program: "dnf",
        install: "dnf install --assumeyes",
        needs_root: true,
    },
    Manager {
        program: "pacman",
        install: "pacman --sync --noconfirm",
        needs_root: true,
    },
    Manager {
        program: "apk",
        install: "apk add",
        needs_root: true,
    },
];

/// Programs with the name of their package, and where it has another one.
type Package = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const PACKAGES: [Package; 7] = [
    ("curl", "curl", &[]),
    ("git", "git", &[]),
    ("jq", "jq", &[]),
    ("make", "make", &[]),
    ("node", "nodejs", &[("brew", "node")]),
    (
        "python3",
        "python3",
        &[("brew", "python"), ("pacman", "python")],
    ),
    ("rg", "ripgrep", &[]),
];

/// The command that installs `program` on `host`, if both it and the manager are known.
pub(crate) fn install_command(program: &str, host: &Host) -> Option<String> {
    let (_, usual, others) = PACKAGES.iter().find(|(name, ..)| *name == program)?;
    let mut managers = MANAGERS.iter();
    let manager = managers.find(|manager| find(manager.program, host).is_some())?;
    let mut others = others.iter();
    let other = others.find(|(name, _)| *name == manager.program);
    let package = other.map_or(*usual, |(_, package)| *package);
    let sudo = if manager.needs_root && find("sudo", host).is_some() {
        "sudo "
    } else {
        ""
    };
    Some(format!("{sudo}{} {package}", manager.install))
}
