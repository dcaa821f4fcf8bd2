//! Cases recorded from the test-suites of others, which lie beside the workspace
//! and not in it: `../shared/conformance`. They run in addition to our own.
//!
//! This is the one place that decides what happens where the folder is absent:
//! one line says what was not run, but with `CI=true` that is a failure.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Where the folder is, from the root of the workspace.
const FOLDER: &str = "../shared/conformance";

/// The cases in `file` of the conformance folder, one a line of JSON, or `None`
/// where there is no such folder. `test` names the test that would run them.
pub fn recorded(file: &str, test: &str) -> Option<Vec<Value>> {
    let folder = workspace().join(FOLDER);
    if folder.is_dir() {
        return Some(cases(&folder.join(file)));
    }
    let absent = format!("{FOLDER} is absent: {test} does not run {file}");
    assert!(
        std::env::var_os("CI").is_none_or(|ci| ci != "true"),
        "{absent}"
    );
    // Past libtest, which hides what a test that passes prints.
    let _ = std::io::stderr().write_all(format!("{absent}\n").as_bytes());
    None
}

/// The cases in a file, one a line of JSON.
pub fn cases(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let parse = |(number, line): (usize, &str)| {
        let place = || format!("{}:{}", path.display(), number + 1);
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", place()))
    };
    text.lines().enumerate().map(parse).collect()
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
