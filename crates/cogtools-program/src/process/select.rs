//! Which program a process is, by the name that it was started under: `cogtools`
//! has links that are named for the programs in it.

use std::ffi::OsStr;

use crate::program::Program;

/// The one of `programs` that is named like the file of `started`, the first word
/// of a command line; the first one when none is.
///
/// Only a choice among our own programs: whoever starts a process can put
/// anything there, and directories in it mean nothing.
pub(super) fn named(
    programs: &[&'static Program],
    started: Option<&OsStr>,
) -> Option<&'static Program> {
    let word = started.and_then(OsStr::to_str).unwrap_or_default();
    // As Windows spells it, which takes names in any case, without the ending too.
    let file = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = file.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let found = programs.iter().find(|program| program.name == name);
    found.or(programs.first()).copied()
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::{Failure, Io, Stdin};

    fn command() -> Command {
        Command::new("none")
    }

    fn run(_: &clap::ArgMatches, _: &mut Io<'_>) -> Result<(), Failure> {
        Err(Failure::Status(1))
    }

    const fn program(name: &'static str) -> Program {
        Program {
            name,
            command,
            run,
            stdin: Stdin::Ignored,
            codes: &[],
            variables: &[],
            manual: &[],
        }
    }

    const ALL: Program = program("all");
    const LINT: Program = program("all-lint");

    #[track_caller]
    fn check(started: &str, expected: &str) {
        let found = named(&[&ALL, &LINT], Some(OsStr::new(started)));
        assert_eq!(found.map(|program| program.name), Some(expected));
    }

    #[test]
    fn the_name_of_the_file_counts() {
        for started in [
            "all-lint",
            "/a/b/all-lint",
            "./all-lint",
            "all/all-lint",
            "all-lint.exe",
            "C:\\a\\All-Lint.EXE",
            "C:/a/all-lint.exe",
        ] {
            check(started, "all-lint");
        }
    }

    #[test]
    fn a_name_that_none_has_is_the_first_one() {
        for started in [
            "",
            "all",
            "/",
            "all-lint/",
            "all-lint/other",
            "all-lint2",
            "-all-lint",
            "all-lint.exe.exe",
            "all-lint.com",
            "lint",
            "x\n",
        ] {
            check(started, "all");
        }
        let found = named(&[&ALL, &LINT], None);
        assert_eq!(found.map(|program| program.name), Some("all"));
        assert!(named(&[], None).is_none());
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_no_text_is_the_first_one() {
        use std::os::unix::ffi::OsStrExt as _;
        let found = named(&[&ALL, &LINT], Some(OsStr::from_bytes(b"\xff/all-lint")));
        assert_eq!(found.map(|program| program.name), Some("all"));
    }
}
