//! Restricts this process to a policy, and tells what this system can enforce.

use crate::failure::Failure;
use crate::policy::Policy;

/// What cannot be enforced here, by the names that other programs know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Any file can be read and written.
    Files,
    /// A file that may not be written can be emptied.
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

/// Restricts this process to `policy`: as far as possible, unless all of it is required.
#[cfg(target_os = "linux")]
pub(crate) fn enter(policy: &Policy) -> Result<(), Failure> {
    cogtools_sandbox::privileges::limit()
        .map_err(|error| Failure::Confine("privileges cannot be limited", error))?;
    match enforce(policy).as_slice() {
        [_, ..] if policy.required => Err(Failure::Unenforced),
        _ => Ok(()),
    }
}

/// Prints what this system cannot enforce, as JSON. Restricts this process to nothing at all.
#[cfg(target_os = "linux")]
pub(crate) fn check() -> String {
    // The list of gaps is all that is left to print.
    let landlock = cogtools_sandbox::files::restrict(cogtools_sandbox::files::Rights::default());
    let landlock = landlock.ok().flatten();
    let mut gaps = file_gaps(landlock);
    gaps.extend(
        cogtools_sandbox::sockets::deny()
            .is_err()
            .then_some(Gap::Network),
    );
    report("Linux", landlock, &gaps)
}

#[cfg(target_os = "linux")]
fn enforce(policy: &Policy) -> Vec<Gap> {
    use cogtools_sandbox::files::{Rights, restrict};
    use cogtools_sandbox::sockets;

    let (read, write) = (policy.readable(), policy.writable());
    let rights = Rights {
        read: &read,
        write: &write,
        network: policy.network,
    };
    let mut gaps = file_gaps(restrict(rights).ok().flatten());
    if !policy.network && sockets::deny().is_err() {
        gaps.push(Gap::Network);
    }
    gaps
}

/// What this version of Landlock does not hold.
#[cfg(target_os = "linux")]
fn file_gaps(version: Option<u32>) -> Vec<Gap> {
    match version {
        None => vec![Gap::Files],
        Some(version) if version < cogtools_sandbox::files::TRUNCATE => vec![Gap::Truncation],
        Some(_) => Vec::new(),
    }
}

/// Prints what this system cannot enforce, as JSON.
#[cfg(not(target_os = "linux"))]
pub(crate) fn check() -> String {
    // What sandbox-exec would hold has not been tried.
    report(std::env::consts::OS, None, &[Gap::Files, Gap::Network])
}

/// `{"system":"Linux","landlock":7,"gaps":[]}`
fn report(system: &str, landlock: Option<u32>, gaps: &[Gap]) -> String {
    let landlock = landlock.map_or_else(|| "null".to_owned(), |version| version.to_string());
    let gaps: Vec<String> = gaps
        .iter()
        .map(|gap| format!("\"{}\"", gap.name()))
        .collect();
    let gaps = gaps.join(",");
    format!("{{\"system\":\"{system}\",\"landlock\":{landlock},\"gaps\":[{gaps}]}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_json() {
        assert_eq!(
            report("Linux", Some(7), &[]),
            "{\"system\":\"Linux\",\"landlock\":7,\"gaps\":[]}\n"
        );
        assert_eq!(
            report("Linux", None, &[Gap::Files, Gap::Network]),
            "{\"system\":\"Linux\",\"landlock\":null,\"gaps\":[\"files\",\"network\"]}\n"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn older_versions_of_landlock_have_gaps() {
        for (version, expected) in [
            (None, vec![Gap::Files]),
            (Some(2), vec![Gap::Truncation]),
            (Some(3), Vec::new()),
        ] {
            assert_eq!(file_gaps(version), expected, "{version:?}");
        }
    }
}
