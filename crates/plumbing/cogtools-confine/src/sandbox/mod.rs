//! Rights that a process gives up by itself: files, sockets, signals (Landlock), system calls
//! (seccomp), resources (setrlimit), root's privileges (capabilities); and what of a policy a
//! system cannot enforce.
//!
//! `cogtools-confine` keeps what a tool declares, `cogtools-js` keeps nothing. Everything holds
//! for the calling thread and what it starts.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) mod namespaces;
#[cfg(target_os = "linux")]
pub(crate) mod network;

#[cfg(target_os = "linux")]
pub use linux::{
    Action, Condition, FilterError, Operation, Rights, Rule, Rules, Sockets, condition, filter,
    limit_privileges, refuse, restrict_files, rule,
};
#[cfg(unix)]
pub use rustix::process::Resource;

#[cfg(target_os = "linux")]
pub(crate) use linux::{check, enter};
#[cfg(all(unix, any(test, not(target_os = "linux"))))]
pub(crate) use profile::profile;

/// Something that cannot be enforced here, by the name that other programs know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Any file can be read and written.
    Files,
    /// A file that may not be written can be emptied.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "Landlock's"))]
    Truncation,
    /// Sockets can be used.
    Network,
}

impl Gap {
    const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Truncation => "truncation",
            Self::Network => "network",
        }
    }
}

/// The namespaces of its own that a program gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Namespaces {
    /// None.
    #[default]
    None,
    /// Namespaces of files and names: a container often hides parts of `/proc`, so that it cannot be mounted
    /// for another one of processes.
    Files,
    /// Namespaces of files, names and processes.
    All,
}

impl Namespaces {
    /// Each with its name.
    const NAMES: [(Self, &str); 3] = [
        (Self::None, "none"),
        (Self::Files, "files"),
        (Self::All, "all"),
    ];

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.into_iter();
        names.find(|it| it.1 == name).map(|it| it.0)
    }

    const fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// Lowers the limit of `resource` to `limit`, unless it is lower already.
///
/// # Errors
///
/// Errors of the system.
#[cfg(unix)]
pub fn lower_limit(resource: Resource, limit: u64) -> Result<(), rustix::io::Errno> {
    let now = rustix::process::getrlimit(resource);
    let least = |now: Option<u64>| Some(now.map_or(limit, |now| now.min(limit)));
    let new = rustix::process::Rlimit {
        current: least(now.current),
        maximum: least(now.maximum),
    };
    rustix::process::setrlimit(resource, new)
}

/// Describes what this system cannot enforce, as JSON.
#[cfg(not(target_os = "linux"))]
pub(crate) fn check() -> String {
    // What sandbox-exec would hold has not been tried.
    report(
        std::env::consts::OS,
        None,
        Namespaces::None,
        &[Gap::Files, Gap::Network],
    )
}

/// `{"system":"Linux","landlock":7,"namespaces":"all","gaps":[]}`
fn report(system: &str, landlock: Option<u32>, namespaces: Namespaces, gaps: &[Gap]) -> String {
    let landlock = landlock.map_or_else(|| "null".to_owned(), |version| version.to_string());
    let gaps = gaps.iter().map(|gap| format!("\"{}\"", gap.name()));
    let gaps = gaps.collect::<Vec<_>>().join(",");
    let namespaces = namespaces.name();
    format!(
        "{{\"system\":\"{system}\",\"landlock\":{landlock},\"namespaces\":\"{namespaces}\",\
         \"gaps\":[{gaps}]}}\n"
    )
}

/// Profiles of macOS's `sandbox-exec`. They are untested there: a policy that is required is
/// refused.
#[cfg(all(unix, any(test, not(target_os = "linux"))))]
mod profile {
    use std::path::{Path, PathBuf};

    use crate::options::Policy;

    /// Folders that every program may read.
    const SYSTEM: [&str; 9] = [
        "/bin",
        "/sbin",
        "/usr",
        "/private/etc",
        "/private/var/db",
        "/System",
        "/Library",
        "/opt",
        "/dev",
    ];
    /// Devices that every program may write.
    const DEVICES: [&str; 2] = ["/dev/null", "/dev/zero"];

    /// The text of the profile: everything is permitted but files and sockets, whose exceptions
    /// follow.
    pub(crate) fn profile(policy: &Policy) -> String {
        let mut text =
            "(version 1)\n(allow default)\n(deny file-read-data file-write*)\n".to_owned();
        if !policy.network {
            text.push_str("(deny network*)\n");
        }
        let system = SYSTEM.iter().map(PathBuf::from);
        let read = system.chain(policy.read.iter().cloned());
        text.extend(read.map(|path| rule("allow file-read-data", &path)));
        let devices = DEVICES.iter().map(PathBuf::from);
        let write = devices.chain(policy.write.iter().cloned());
        text.extend(write.map(|path| rule("allow file-read-data file-write*", &path)));
        // The last rule for a path counts.
        let keep = policy.keep.iter();
        text.extend(keep.map(|path| rule("deny file-write*", path)));
        let deny = policy.deny.iter();
        text.extend(deny.map(|path| rule("deny file-read-data file-write*", path)));
        text
    }

    fn rule(rule: &str, path: &Path) -> String {
        let mut quoted = String::new();
        for c in path.to_string_lossy().chars() {
            if matches!(c, '"' | '\\') {
                quoted.push('\\');
            }
            quoted.push(c);
        }
        format!("({rule} (subpath \"{quoted}\"))\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_json() {
        assert_eq!(
            report("Linux", Some(7), Namespaces::All, &[]),
            "{\"system\":\"Linux\",\"landlock\":7,\"namespaces\":\"all\",\"gaps\":[]}\n"
        );
        assert_eq!(
            report("Linux", None, Namespaces::None, &[Gap::Files, Gap::Network]),
            "{\"system\":\"Linux\",\"landlock\":null,\"namespaces\":\"none\",\"gaps\":[\"files\",\"network\"]}\n"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_path_cannot_end_its_string() {
        let policy = crate::options::Policy {
            read: vec!["/a\"b\\c".into()],
            ..crate::options::Policy::default()
        };
        let text = profile(&policy);
        assert!(text.contains("(deny network*)\n"), "{text}");
        assert!(
            text.contains("(allow file-read-data (subpath \"/a\\\"b\\\\c\"))\n"),
            "{text}"
        );
    }
}
