//! A policy as a profile of macOS's `sandbox-exec`. It is untested there: a policy that is
//! required is refused.

use std::path::{Path, PathBuf};

use crate::policy::Policy;

/// What every program may read.
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
/// What every program may write.
const DEVICES: [&str; 2] = ["/dev/null", "/dev/zero"];

/// The text of the profile: everything is permitted but files and sockets, whose exceptions
/// follow.
pub(crate) fn profile(policy: &Policy) -> String {
    let mut text = "(version 1)\n(allow default)\n(deny file-read-data file-write*)\n".to_owned();
    if !policy.network {
        text.push_str("(deny network*)\n");
    }
    let system = SYSTEM.iter().map(PathBuf::from);
    let read = system.chain(policy.read.iter().cloned());
    text.extend(read.map(|path| allow("file-read-data", &path)));
    let devices = DEVICES.iter().map(PathBuf::from);
    let write = devices.chain(policy.write.iter().cloned());
    text.extend(write.map(|path| allow("file-read-data file-write*", &path)));
    text
}

fn allow(operations: &str, path: &Path) -> String {
    let mut quoted = String::new();
    for c in path.to_string_lossy().chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    format!("(allow {operations} (subpath \"{quoted}\"))\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_end_its_string() {
        let policy = Policy {
            read: vec!["/a\"b\\c".into()],
            ..Policy::default()
        };
        let text = profile(&policy);
        assert!(text.contains("(deny network*)\n"), "{text}");
        assert!(
            text.contains("(allow file-read-data (subpath \"/a\\\"b\\\\c\"))\n"),
            "{text}"
        );
    }
}
