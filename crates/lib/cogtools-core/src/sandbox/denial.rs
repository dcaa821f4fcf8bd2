//! Denials of a sandbox, as far as the program reports them on standard error.
//!
//! The text is the program's own, and may lie. So it only becomes a hint, never a right, and a hint
//! never names the places of keys.

use std::path::{Path, PathBuf};

use super::{Roots, Sandbox, SandboxPath};
use crate::file;

/// A file that the program wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The key of the sandbox that permits it: `read` or `write`.
    pub key: &'static str,
    /// The path that the key would name.
    pub path: String,
}

/// Texts of errors about a file that may not be used.
const DENIED: [&str; 5] = [
    "EACCES",
    "EPERM",
    "EROFS",
    "ermission denied",
    "ead-only file system",
];
/// Words beside a path that something is made or changed there.
const WRITES: [&str; 9] = [
    "mkdir", "create", "write", "lock", "unlink", "rename", "EROFS", "ead-only", "rmdir",
];
/// Folders below the home directory in which each program has a folder of its own.
const SHARED: [&str; 5] = [
    ".cache",
    ".config",
    ".local/share",
    ".local/state",
    "Library/Caches",
];
/// Files and folders below the home directory that have keys, or say what is run.
const KEYS: [&str; 14] = [
    ".aws",
    ".azure",
    ".bash_profile",
    ".bashrc",
    ".config/gcloud",
    ".config/gh",
    ".docker",
    ".gemini",
    ".gnupg",
    ".kube",
    ".local/bin",
    ".netrc",
    ".profile",
    ".ssh",
];
/// The lines around an error that may have its path.
const AROUND: usize = 3;

impl Sandbox {
    /// Returns the first file that `text` says was denied, if the sandbox does not permit it.
    pub(super) fn denial(&self, text: &str, roots: Roots<'_>) -> Option<Denial> {
        let lines: Vec<&str> = text.lines().collect();
        let is_error = |line: &&str| DENIED.iter().any(|word| line.contains(word));
        let errors = (0..lines.len()).filter(|at| is_error(&lines[*at]));
        errors.into_iter().find_map(|at| {
            let around = at.saturating_sub(AROUND)..lines.len().min(at + AROUND + 1);
            let near = std::iter::once(at).chain(around.clone());
            let path = near
                .flat_map(|at| paths(lines[at]))
                .find(|path| path.parent().is_some())?;
            let says_write = lines[around]
                .iter()
                .any(|line| WRITES.iter().any(|word| line.contains(word)));
            let is_write = says_write || !path.exists();
            let permitted = if is_write {
                &[][..]
            } else {
                self.read.as_deref()?
            };
            let mut permitted = permitted.iter().chain(&self.write);
            let covers = |it: &SandboxPath| it.full(roots).is_some_and(|it| path.starts_with(it));
            (!permitted.any(covers)).then_some(())?;
            Some(Denial {
                key: if is_write { "write" } else { "read" },
                path: named(&path, roots)?,
            })
        })
    }
}

/// The absolute paths in a line.
fn paths(line: &str) -> impl Iterator<Item = PathBuf> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | ',' | ')' | '(');
    let words = line
        .split(is_end)
        .map(|word| word.trim_end_matches([':', '.', ';']));
    words
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
}

/// The folder of the program around `path`, as a sandbox names it; `None` if it is no place for
/// others.
fn named(path: &Path, roots: Roots<'_>) -> Option<String> {
    if let Ok(below) = path.strip_prefix(roots.project) {
        let first = below.components().next()?;
        let is_secret = file::is_secret(below);
        return (!is_secret).then(|| first.as_os_str().to_string_lossy().into_owned());
    }
    let Some(below) = roots.home.and_then(|home| path.strip_prefix(home).ok()) else {
        let is_system = ["/proc", "/sys", "/dev", "/run", "/var/run"];
        let is_system = is_system.iter().any(|it| path.starts_with(it));
        return (!is_system).then(|| path.display().to_string());
    };
    if KEYS.iter().any(|key| below.starts_with(key)) || file::is_secret(below) {
        return None;
    }
    let shared = SHARED.iter().find(|folder| below.starts_with(folder));
    let count = 1 + shared.map_or(0, |folder| folder.split('/').count());
    let parts: PathBuf = below.components().take(count).collect();
    let is_whole = parts.components().count() == count;
    is_whole.then(|| format!("~/{}", parts.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_is_found_and_keys_are_never_named() {
        let roots = Roots {
            project: Path::new("/p"),
            home: Some(Path::new("/home/u")),
        };
        let sandbox = Sandbox {
            read: Some(vec![SandboxPath("~/notes".to_owned())]),
            write: vec![SandboxPath("~/.ours".to_owned())],
            ..Sandbox::default()
        };
        let npm = "npm error code EACCES\nnpm error syscall mkdir\nnpm error path /home/u/.npm/_cacache\n";
        for (text, expected) in [
            (npm, Some("write ~/.npm")),
            (
                "Error: EROFS: open '/home/u/.cache/x/y/z'",
                Some("write ~/.cache/x"),
            ),
            (
                "failed to create `/p/out/a`: Permission denied (os error 13)",
                Some("write out"),
            ),
            ("[Errno 13] Permission denied: '/etc'", Some("read /etc")),
            ("EACCES: mkdir '/home/u/.ours/a'", None),
            ("EACCES: mkdir '/home/u/.ssh/id'", None),
            ("EACCES: mkdir '/home/u/.cache'", None),
            ("EACCES: mkdir '/home/u'", None),
            ("EACCES: mkdir '/'", None),
            ("not found: /home/u/.npm", None),
        ] {
            let found = sandbox.denial(text, roots);
            let found = found.map(|it| format!("{} {}", it.key, it.path));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
