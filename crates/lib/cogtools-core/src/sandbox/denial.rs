//! Denials of a sandbox: what the program reports on standard error, or what a trace has seen.
//!
//! A program may lie, or ask for files that it does not need. A denial therefore only becomes a hint
//! or a question, never a right, and never names the places of keys.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use super::run::RUN_LATER;
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

impl Denial {
    /// The action that was denied, as in "writing ~/.npm".
    pub fn action(&self) -> String {
        let verb = if self.key == WRITE {
            "writing"
        } else {
            "reading"
        };
        format!("{verb} {}", self.path)
    }

    /// The hint with the key that permits it.
    pub fn hint(&self) -> String {
        let (action, key, path) = (self.action(), self.key, &self.path);
        format!("its sandbox denies {action}: add `sandbox: {{{key}: [{path}]}}`")
    }

    /// Adds what permits it to the entry of a server; returns false if the entry permits it already.
    pub fn permit(&self, entry: &mut Map<String, Value>) -> bool {
        let paths = &mut entry.entry("sandbox").or_insert_with(|| json!({}))[self.key];
        if paths.is_null() {
            *paths = json!([]);
        }
        let path = json!(self.path);
        let paths = paths.as_array_mut().filter(|paths| !paths.contains(&path));
        paths.map(|paths| paths.push(path)).is_some()
    }
}

/// The keys.
const READ: &str = "read";
const WRITE: &str = "write";
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
/// Files and folders below the home directory that have keys, or say what is run, besides those
/// that a project can have, too.
const KEYS: [&str; 18] = [
    ".azure",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".config/autostart",
    ".config/cogtools",
    ".config/fish",
    ".config/gcloud",
    ".config/gh",
    ".config/git",
    ".config/systemd",
    ".local/bin",
    ".local/state/cogtools",
    ".profile",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "Library/LaunchAgents",
];
/// Folders of the system, and what only an administrator reads.
const REFUSED: [&str; 10] = [
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/var/run",
    "/etc/gshadow",
    "/etc/shadow",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/sudoers",
];
/// The lines around an error that may have its path.
const AROUND: usize = 3;

impl Sandbox {
    /// Returns the first file that a program was denied, if the end of its standard error, `text`,
    /// says so.
    pub(crate) fn denial(&self, text: &str, roots: &Roots<'_>) -> Option<Denial> {
        let lines: Vec<&str> = text.lines().collect();
        // What Node says of a folder above which nothing may be made.
        let is_node = |line: &str| line.contains("ENOENT") && line.contains("mkdir");
        let is_error = |line: &&str| DENIED.iter().any(|word| line.contains(word)) || is_node(line);
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
            self.denial_of(&path, if is_write { WRITE } else { READ }, roots)
        })
    }

    /// Returns the denial in a trace for which a program has failed most likely: the last one of
    /// writing, or else of reading. Each line of `trace` is a key and a path; one to read may only
    /// have been left out of the program's namespace. Programs look for much that they can do
    /// without, so what they read counts if they have `said` nothing, or its name.
    pub(crate) fn traced_denial(
        &self,
        trace: &str,
        said: &str,
        roots: &Roots<'_>,
    ) -> Option<Denial> {
        let lines = trace.lines().filter_map(|line| line.split_once(' '));
        let lines = lines.map(|(key, path)| (key, Path::new(path)));
        let lines: Vec<(&str, &Path)> = lines.filter(|(_, path)| !is_up(path)).collect();
        let lines = lines.as_slice();
        let of = move |key| (0..lines.len()).rev().filter(move |at| lines[*at].0 == key);
        let mut writes = of(WRITE).filter_map(|at| {
            let path = lines[at].1;
            // A folder that is not there for the program is made for something below it.
            let below = |(_, it): &&(&str, &Path)| it.starts_with(path) && *it != path;
            let wanted = lines[..at].iter().rfind(below).filter(|_| path.is_dir());
            let path = wanted.map_or(path, |(_, path)| path);
            let denial = self.denial_of(path, WRITE, roots)?;
            (!is_installed(path)).then_some(denial)
        });
        let mut reads = of(READ).filter_map(|at| {
            let path = Some(lines[at].1).filter(|path| path.exists())?;
            let name = path.file_name()?.to_string_lossy();
            (said.is_empty() || said.contains(&*name)).then_some(())?;
            self.denial_of(path, READ, roots)
        });
        writes.next().or_else(|| reads.next())
    }

    /// The denial of `path`, if the sandbox does not permit it and others may have it.
    fn denial_of(&self, path: &Path, key: &'static str, roots: &Roots<'_>) -> Option<Denial> {
        let project = [SandboxPath(".".to_owned())];
        let read = self.read.as_deref().unwrap_or(&project);
        let read = read.iter().filter(|_| key == READ);
        let mut permitted = read.chain(&self.write);
        let covers = |it: &SandboxPath| it.full(roots).is_some_and(|it| path.starts_with(it));
        (!permitted.any(covers)).then_some(())?;
        Some(Denial {
            key,
            path: named(path, roots)?,
        })
    }
}

/// The absolute paths in a line.
fn paths(line: &str) -> impl Iterator<Item = PathBuf> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | ',' | ')' | '(');
    let words = line
        .split(is_end)
        .map(|word| word.trim_end_matches([':', '.', ';']));
    let paths = words
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from);
    paths.filter(|path| !is_up(path))
}

/// Returns true if `path` has a `..`: links decide where such a path leads.
fn is_up(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// Returns true if only an administrator writes there: programs try to, and go on.
fn is_installed(path: &Path) -> bool {
    let folders = ["/bin", "/etc", "/lib", "/opt", "/sbin", "/usr"];
    folders.iter().any(|folder| path.starts_with(folder))
}

/// The folder of the program around `path`, as a sandbox names it; `None` if it is no place for
/// others.
fn named(path: &Path, roots: &Roots<'_>) -> Option<String> {
    if let Ok(below) = path.strip_prefix(roots.project) {
        let first = below.components().next()?;
        let name = first.as_os_str().to_string_lossy().into_owned();
        return (!is_private(below)).then_some(name);
    }
    let Some(below) = roots
        .home
        .as_ref()
        .and_then(|home| path.strip_prefix(home).ok())
    else {
        let home = roots.home.as_ref();
        let is_above = home.is_some_and(|home| home.starts_with(path));
        let is_refused = REFUSED.iter().any(|it| path.starts_with(it))
            || below_home(path).is_some_and(|below| has_keys(&below));
        return (!is_above && !is_refused).then(|| path.display().to_string());
    };
    let shared = SHARED.iter().find(|folder| below.starts_with(folder));
    let count = 1 + shared.map_or(0, |folder| folder.split('/').count());
    let parts: PathBuf = below.components().take(count).collect();
    let is_whole = parts.components().count() == count;
    (is_whole && !has_keys(below) && !has_keys(&parts)).then(|| format!("~/{}", parts.display()))
}

/// Returns true for the file of a secret, and for what is run later.
fn is_private(below: &Path) -> bool {
    file::is_secret(below) || RUN_LATER.iter().any(|name| below.starts_with(name))
}

/// Returns true if a path below a home directory has keys, is among them, or has their folder.
fn has_keys(below: &Path) -> bool {
    let is_one = |key: &&str| below.starts_with(key) || Path::new(key).starts_with(below);
    KEYS.iter().any(is_one) || is_private(below)
}

/// The part of `path` below the home directory of any user.
fn below_home(path: &Path) -> Option<PathBuf> {
    if let Ok(below) = path.strip_prefix("/root") {
        return Some(below.to_owned());
    }
    let homes = ["/home", "/Users"]
        .iter()
        .find_map(|homes| path.strip_prefix(homes).ok())?;
    Some(homes.components().skip(1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_write_of_a_trace_is_named_or_else_the_last_read() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for name in ["a", "b", "d", "notes", ".ssh"] {
            std::fs::create_dir(home.join(name)).unwrap();
        }
        let roots = Roots {
            project: Path::new("/p"),
            home: Some(home.clone()),
        };
        let sandbox = Sandbox {
            read: Some(vec![SandboxPath("~/notes".to_owned())]),
            write: vec![SandboxPath("~/.ours".to_owned())],
            ..Sandbox::default()
        };
        for (trace, said, expected) in [
            ("read ~/a\nread ~/b\nread ~/missing\n", "", Some("read ~/b")),
            ("read ~/a\nread ~/b\n", "no `a` there", Some("read ~/a")),
            ("read ~/a\nread ~/d\n", "no luck", None),
            (
                "write ~/a/b\nwrite ~/c/d\nread ~/d\n",
                "failed",
                Some("write ~/c"),
            ),
            ("write ~/c\nwrite /usr/lib/x\n", "", Some("write ~/c")),
            ("write ~/c\nwrite ~/.ours/x\n", "", Some("write ~/c")),
            (
                "read ~/new/db\nread ~/new\nread ~\nwrite ~\n",
                "",
                Some("write ~/new"),
            ),
            ("read ~/notes\nread ~/.ssh\n", "", None),
            ("write ~/.bashrc\nwrite ~/x/../.ssh/id\n", "", None),
            ("remove ~/a\nwrite\n", "", None),
        ] {
            let text = trace.replace('~', home.to_str().unwrap());
            let found = sandbox.traced_denial(&text, said, &roots);
            let found = found.map(|it| format!("{} {}", it.key, it.path));
            assert_eq!(found.as_deref(), expected, "{trace}");
        }
    }

    #[test]
    fn a_denial_is_found_and_keys_are_never_named() {
        let roots = Roots {
            project: Path::new("/p"),
            home: Some("/home/u".into()),
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
            (
                "ENOENT: no such file or directory, mkdir '/home/u/.cache/x'",
                Some("write ~/.cache/x"),
            ),
            ("ENOENT: no such file, open '/home/u/.cache/x'", None),
            ("[Errno 13] Permission denied: '/etc'", Some("read /etc")),
            ("EACCES: mkdir '/home/u/.ours/a'", None),
            ("EACCES: mkdir '/home/u/.ssh/id'", None),
            ("EACCES: open '/home/u/.zshrc'", None),
            ("EACCES: mkdir '/home/u/.cache/../.zshrc.d'", None),
            ("EACCES: mkdir '/home/u/.local/state/cogtools/x'", None),
            ("EACCES: mkdir '/home/u/.claude/x'", None),
            ("EROFS: open '/p/.vscode/tasks.json'", None),
            ("EACCES: mkdir '/home/u/.cache'", None),
            ("EACCES: mkdir '/home/u'", None),
            ("EACCES: mkdir '/'", None),
            // Folders that have keys, and the homes of all users.
            ("EACCES: mkdir '/home/u/.local'", None),
            ("EACCES: mkdir '/home/u/.local/x'", None),
            ("EACCES: mkdir '/home'", None),
            ("EACCES: open '/home/other/.ssh/id_rsa'", None),
            ("EACCES: open '/root/.bashrc'", None),
            ("EACCES: mkdir '/root'", None),
            ("EACCES: open '/etc/shadow'", None),
            (
                "EACCES: mkdir '/home/other/data'",
                Some("write /home/other/data"),
            ),
            ("not found: /home/u/.npm", None),
        ] {
            let found = sandbox.denial(text, &roots);
            let found = found.map(|it| format!("{} {}", it.key, it.path));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
