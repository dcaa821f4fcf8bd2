//! The first line that makes a tool file executable.

use std::path::Path;

/// The line as cogtools writes it, with its line ending.
pub const LINE: &str = "#! /usr/bin/env cogtools-yaml\n";

/// The program that runs tool files.
pub const INTERPRETER: &str = "cogtools-yaml";

/// The rest of the first line of `text` after `#!`, if it begins so.
pub fn parse(text: &str) -> Option<&str> {
    let line = text.lines().next()?;
    line.strip_prefix("#!").map(str::trim)
}

/// Returns true if such a line runs the file as a tool.
pub fn runs_tools(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        Path::new(word)
            .file_stem()
            .is_some_and(|it| it == INTERPRETER)
    })
}

/// Returns true if the file at `path` is executable.
#[cfg(unix)]
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let meta = std::fs::metadata(path);
    meta.is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

/// Returns true if the file at `path` is executable: always, on systems without that
/// permission.
#[cfg(not(unix))]
pub const fn is_executable(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interpreter_decides_whether_a_line_runs_tools() {
        let check = |text: &str, expected: Option<bool>| {
            assert_eq!(parse(text).map(runs_tools), expected, "{text:?}");
        };
        check(LINE, Some(true));
        check("#!/usr/local/bin/cogtools-yaml\r\nname: x", Some(true));
        check("#!/usr/bin/env -S cogtools-yaml --yaml\n", Some(true));
        check("#!/bin/sh\n", Some(false));
        check("#!", Some(false));
        check("name: x\n", None);
        check("", None);
    }
}
