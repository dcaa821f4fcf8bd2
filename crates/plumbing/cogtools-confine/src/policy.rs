//! What the program may reach: the options of the command line, and the folders of the system.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The files and the sockets that a program may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Policy {
    /// What it may read and execute, with all that is below.
    pub(crate) read: Vec<PathBuf>,
    /// The same for what it may also change.
    pub(crate) write: Vec<PathBuf>,
    /// Whether it may use sockets.
    pub(crate) network: bool,
    /// Whether nothing is run where that cannot be enforced.
    pub(crate) required: bool,
}

/// How many paths a command line may name.
pub(crate) const MAX_PATHS: usize = 512;

/// What every program may read: the system's programs, libraries and settings, what it says about
/// itself and about processes, and where package managers put programs for all users.
#[cfg(target_os = "linux")]
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr",
    "/etc",
    "/opt",
    "/proc",
    "/sys",
    "/dev/random",
    "/dev/urandom",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/nix/store",
    "/run/current-system",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/snap",
    "/var/lib/ca-certificates",
];
/// What every program may write.
#[cfg(target_os = "linux")]
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/zero"];

impl Policy {
    /// The options that make this policy.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let option = |name: &str, path: &PathBuf| {
            let mut arg = OsString::from(name);
            arg.push(OsStr::new("="));
            arg.push(path);
            arg
        };
        let flags = [("--network", self.network), ("--required", self.required)];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let mut args = vec![OsString::from("--sandbox")];
        args.extend(flags.map(|(flag, _)| flag.into()));
        args.extend(self.read.iter().map(|path| option("--read", path)));
        args.extend(self.write.iter().map(|path| option("--write", path)));
        args
    }

    /// Everything that may be read, without links.
    #[cfg(target_os = "linux")]
    pub(crate) fn readable(&self) -> Vec<PathBuf> {
        real(SYSTEM, &self.read)
    }

    /// Everything that may be written, without links.
    #[cfg(target_os = "linux")]
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        real(DEVICES, &self.write)
    }
}

/// The paths of the system, whose links are its own, and those of the command line, which have
/// none.
#[cfg(target_os = "linux")]
fn real(system: &[&str], named: &[PathBuf]) -> Vec<PathBuf> {
    let system = system
        .iter()
        .filter_map(|path| std::fs::canonicalize(path).ok());
    let mut paths: Vec<PathBuf> = system.chain(named.iter().cloned()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}
