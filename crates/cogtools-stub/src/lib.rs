//! Replaces a link to `cogtools` where links are not possible: it runs `cogtools NAME`.
//!
//! There is one stub per program, so it needs only the standard library. It starts the
//! `cogtools` in its own directory, with links resolved; programs beside a link to it, or on
//! PATH, are not trusted.

mod process;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The status of `IO_FAILED`.
const IO_FAILED: u8 = 74;

/// Runs the program `name`, such as `cogtools-lint`.
pub fn main(name: &str) -> ExitCode {
    match command(name) {
        Ok(command) => process::exec(command).unwrap_or_else(|error| fail(name, &error)),
        Err(error) => fail(
            name,
            &format!("the directory of this program is unknown: {error}"),
        ),
    }
}

/// `cogtools NAME` with the arguments of this process.
fn command(name: &str) -> std::io::Result<Command> {
    let mut command = Command::new(cogtools_beside(&std::env::current_exe()?)?);
    command
        .arg(name.strip_prefix("cogtools-").unwrap_or(name))
        .args(std::env::args_os().skip(1));
    Ok(command)
}

/// The `cogtools` of the stub at `stub`.
fn cogtools_beside(stub: &Path) -> std::io::Result<PathBuf> {
    let file = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
    Ok(process::real_path(stub)?.with_file_name(file))
}

/// Reports an error in the format of all programs.
fn fail(name: &str, error: &str) -> ExitCode {
    let _ = write!(
        std::io::stderr(),
        "{name}: error[IO_FAILED]: {error}\nhint: install all programs of cogtools in one folder\n"
    );
    ExitCode::from(IO_FAILED)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_stub_are_resolved() {
        let scratch = std::env::temp_dir().join(format!("cogtools-stub-{}", std::process::id()));
        let (real, other) = (scratch.join("real"), scratch.join("other"));
        for folder in [&real, &other] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(real.join("cogtools-lint"), "").unwrap();
        std::os::unix::fs::symlink("../real/cogtools-lint", other.join("cogtools-lint")).unwrap();
        let expected = real.canonicalize().unwrap().join("cogtools");
        for dir in [&real, &other] {
            assert_eq!(
                cogtools_beside(&dir.join("cogtools-lint")).unwrap(),
                expected
            );
        }
        assert!(cogtools_beside(&other.join("cogtools-test")).is_err());
        std::fs::remove_dir_all(&scratch).unwrap();
    }
}
