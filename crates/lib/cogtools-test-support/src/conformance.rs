//! Cases recorded from other test suites, stored next to the workspace and not in it:
//! `../shared/conformance`. They run in addition to our own.
//!
//! If the folder is absent, one line reports what was not run; with `CI=true`, that
//! is a failure.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The path of the folder, relative to the root of the workspace.
const FOLDER: &str = "../shared/conformance";

/// The cases in `file` of the conformance folder, one JSON value per line, or `None`
/// if the folder does not exist. `test` names the test that would run them.
pub fn recorded(file: &str, test: &str) -> Option<Vec<Value>> {
    present(file, test).map(|path| cases(&path))
}

/// The cases in `file` like [`recorded`], for a file with strings that Rust cannot hold: a
/// surrogate without its partner is U+FFFD.
pub fn recorded_in_utf16(file: &str, test: &str) -> Option<Vec<Value>> {
    let text = read(&present(file, test)?);
    let parse = |line: &str| {
        // The files have such surrogates at the end of strings only.
        let line = line.replace("\\ud83d\"", "\\ufffd\"");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    };
    Some(text.lines().map(parse).collect())
}

/// The value in `file`, a whole document, like [`recorded`].
pub fn document(file: &str, test: &str) -> Option<Value> {
    let path = present(file, test)?;
    let value = serde_json::from_str(&read(&path));
    Some(value.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The path of `file`, or `None` if the folder does not exist.
fn present(file: &str, test: &str) -> Option<PathBuf> {
    let folder = workspace().join(FOLDER);
    let ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    if let Some(absent) = absent(&folder, ci, file, test) {
        // Not through libtest, which hides the output of passing tests.
        let _ = std::io::stderr().write_all(absent.as_bytes());
        return None;
    }
    Some(folder.join(file))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

/// The line that reports what is not run, unless the folder exists. Panics in CI.
fn absent(folder: &Path, ci: bool, file: &str, test: &str) -> Option<String> {
    if folder.is_dir() {
        return None;
    }
    let line = format!("{FOLDER} is absent: {test} does not run {file}\n");
    assert!(!ci, "{line}");
    Some(line)
}

/// The cases in a file, one JSON value per line.
pub fn cases(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let parse = |(number, line): (usize, &str)| {
        let location = || format!("{}:{}", path.display(), number + 1);
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", location()))
    };
    text.lines().enumerate().map(parse).collect()
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

#[cfg(test)]
mod tests {
    use super::{Path, absent};

    #[test]
    fn absent_folder_is_one_line() {
        let line = absent(Path::new("/nowhere"), false, "a/b.jsonl", "this");
        let expected = "../shared/conformance is absent: this does not run a/b.jsonl\n";
        assert_eq!(line.as_deref(), Some(expected));
    }

    #[test]
    #[should_panic(expected = "../shared/conformance is absent: this does not run a/b.jsonl")]
    fn absent_folder_is_a_failure_in_ci() {
        absent(Path::new("/nowhere"), true, "a/b.jsonl", "this");
    }

    #[test]
    fn folder_that_is_there_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(absent(folder, true, "a/b.jsonl", "this"), None);
    }
}
