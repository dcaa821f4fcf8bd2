//! Selects the program by the name that the process was started under: each program in
//! `cogtools` has a link to it with its name.

use std::ffi::OsStr;

use crate::program::Program;

/// The program with the file name in `arg0`, the first element of the command line, or else the
/// first program.
///
/// A caller can put anything into `arg0`, so it only selects among these programs, and its
/// directories are ignored.
pub(super) fn by_name(
    programs: &[&'static Program],
    arg0: Option<&OsStr>,
) -> Option<&'static Program> {
    let path = arg0.and_then(OsStr::to_str).unwrap_or_default();
    // Windows ignores case in names, and does not need the extension.
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let lower = file.to_ascii_lowercase();
    let name = lower.strip_suffix(".exe").unwrap_or(&lower);
    let named = programs.iter().find(|program| program.name == name);
    named.or(programs.first()).copied()
}

/// The program that `started`, if it is the first of `programs`, continues as for the `word` after
/// its name: `cogtools-NAME` for `cogtools NAME`.
pub(super) fn by_word(
    programs: &[&'static Program],
    started: &Program,
    word: Option<&OsStr>,
) -> Option<&'static Program> {
    let (first, word) = (programs.first()?, word?.to_str()?);
    let is_named = |program: &&&Program| {
        let rest = program.name.strip_prefix(started.name);
        rest.and_then(|rest| rest.strip_prefix('-')) == Some(word)
    };
    let named = programs.iter().find(is_named);
    named.filter(|_| first.name == started.name).copied()
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
        Err(Failure::Reported(1))
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
    fn check(arg0: &str, expected: &str) {
        let found = by_name(&[&ALL, &LINT], Some(OsStr::new(arg0)));
        assert_eq!(found.map(|program| program.name), Some(expected));
    }

    #[test]
    fn a_program_is_selected_by_file_name() {
        for arg0 in [
            "all-lint",
            "/a/b/all-lint",
            "./all-lint",
            "all/all-lint",
            "all-lint.exe",
            "C:\\a\\All-Lint.EXE",
            "C:/a/all-lint.exe",
        ] {
            check(arg0, "all-lint");
        }
    }

    #[test]
    fn a_word_selects_a_program_of_the_first() {
        let named = |started, word: &str| {
            let found = by_word(&[&ALL, &LINT], started, Some(OsStr::new(word)));
            found.map(|program| program.name)
        };
        assert_eq!(named(&ALL, "lint"), Some("all-lint"));
        for word in ["", "all", "-lint", "all-lint", "Lint", "other", "--help"] {
            assert_eq!(named(&ALL, word), None, "{word}");
        }
        assert_eq!(named(&LINT, "lint"), None);
        assert!(by_word(&[&ALL, &LINT], &ALL, None).is_none());
        assert!(by_word(&[], &ALL, Some(OsStr::new("lint"))).is_none());
    }

    #[test]
    fn an_unknown_name_selects_the_first_program() {
        for arg0 in [
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
            check(arg0, "all");
        }
        let found = by_name(&[&ALL, &LINT], None);
        assert_eq!(found.map(|program| program.name), Some("all"));
        assert!(by_name(&[], None).is_none());
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_not_utf8_selects_the_first_program() {
        use std::os::unix::ffi::OsStrExt as _;
        let found = by_name(&[&ALL, &LINT], Some(OsStr::from_bytes(b"\xff/all-lint")));
        assert_eq!(found.map(|program| program.name), Some("all"));
    }
}
