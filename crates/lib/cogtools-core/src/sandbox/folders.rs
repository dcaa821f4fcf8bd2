//! Where the programs are that the user has installed: what a name on PATH finds must be able to
//! start, although the home directory is not readable.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::containment;
use crate::environment::Vars;

/// Folders below the home directory in which version managers keep programs, and nothing else.
const INSTALLED: [&str; 16] = [
    ".asdf",
    ".bun/bin",
    ".deno/bin",
    ".fnm",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/uv",
    ".nvm/versions",
    ".pyenv",
    ".rbenv",
    ".rustup/settings.toml",
    ".rustup/toolchains",
    ".sdkman/candidates",
    ".volta",
    "go/bin",
];
/// What may be beside a folder `bin`: code, never settings.
const BESIDE_BIN: [&str; 4] = ["lib", "lib64", "libexec", "pyvenv.cfg"];
/// How many entries of PATH count.
const MAX_ENTRIES: usize = 64;
/// How many interpreters of interpreters are followed, as the kernel does.
const MAX_INTERPRETERS: usize = 5;

/// The folders that every program may read because of the programs in it, for a user with this
/// home directory, and these variables: without links.
pub(super) fn of_programs(home: Option<&Path>, vars: &Vars) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let path = vars.get(OsStr::new("PATH"));
    let entries = path.into_iter().flat_map(env::split_paths);
    for entry in entries.filter(|it| it.is_absolute()).take(MAX_ENTRIES) {
        add_folder(&entry, home, &mut found);
    }
    let installed = INSTALLED.iter().filter_map(|name| Some(home?.join(name)));
    found.extend(installed.filter_map(|path| path.canonicalize().ok()));
    found
}

/// The file of a program, with the interpreters that run it, and what belongs to each.
pub(super) fn of_program(file: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut file = file.to_path_buf();
    for _ in 0..MAX_INTERPRETERS {
        let Ok(real) = file.canonicalize() else {
            break;
        };
        for path in [&file, &real] {
            if let Some(folder) = path.parent() {
                add_folder(folder, home, &mut found);
            }
        }
        found.push(real);
        let Some(line) = containment::read_first_line(&file) else {
            break;
        };
        file = PathBuf::from(line.program);
    }
    found
}

/// Adds a folder of programs, and what belongs to it.
fn add_folder(folder: &Path, home: Option<&Path>, found: &mut Vec<PathBuf>) {
    // As written, and where a link leads.
    let real = folder.canonicalize();
    for folder in std::iter::once(folder).chain(real.as_deref().ok()) {
        let name = folder.file_name();
        let parent = folder.parent().filter(|it| !contains_home(it, home));
        if !contains_home(folder, home) {
            found.extend(folder.canonicalize().ok());
        }
        let Some(parent) = parent else {
            continue;
        };
        if name == Some(OsStr::new("shims")) {
            found.extend(parent.canonicalize().ok());
        } else if name == Some(OsStr::new("bin")) {
            let beside = BESIDE_BIN.iter().map(|name| parent.join(name));
            found.extend(beside.filter_map(|path| path.canonicalize().ok()));
        }
    }
}

/// Whether everything of the user would be in `folder`.
fn contains_home(folder: &Path, home: Option<&Path>) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let is_root = folder.parent().is_none();
    is_root || home.is_some_and(|home| real(home).starts_with(real(folder)))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn programs_come_with_their_code_and_the_home_directory_does_not() {
        let scratch = tempfile::tempdir().expect("a folder");
        let home = scratch.path().canonicalize().expect("a path");
        for folder in [
            "bin",
            "lib",
            "tool/bin",
            "tool/lib",
            "tool/share",
            "m/shims",
        ] {
            fs::create_dir_all(home.join(folder)).expect("a folder");
        }
        let vars = |entries: &[&str]| -> Vars {
            let path = env::join_paths(entries.iter().map(|it| home.join(it))).expect("a PATH");
            [("PATH".into(), path)].into()
        };
        for (entries, expected) in [
            (&["tool/bin"][..], &["tool/bin", "tool/lib"][..]),
            (&["m/shims"], &["m/shims", "m"]),
            (&["bin"], &["bin"]),
            (&[""], &[]),
        ] {
            let mut found = of_programs(Some(&home), &vars(entries));
            found.dedup();
            let mut distinct: Vec<PathBuf> = Vec::new();
            for path in found {
                if !distinct.contains(&path) {
                    distinct.push(path);
                }
            }
            let expected: Vec<PathBuf> = expected.iter().map(|it| home.join(it)).collect();
            assert_eq!(distinct, expected, "{entries:?}");
        }
    }
}
