//! A program that is part of `cogtools`, where no link to that can be made: it
//! becomes `cogtools NAME`.
//!
//! There is one for each such program, so it needs the standard library alone.
//! `cogtools` is taken from the real directory of the stub and from nowhere else:
//! what lies beside a link to it, or on PATH, is anybody's.

mod process;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The status of `IO_FAILED`.
const IO_FAILED: u8 = 74;

/// Becomes the program `name`, such as `cogtools-lint`.
pub fn main(name: &str) -> ExitCode {
    match command(name) {
        Ok(command) => process::become_it(command).unwrap_or_else(|why| fail(name, &why)),
        Err(error) => fail(
            name,
            &format!("the directory of this program is not known: {error}"),
        ),
    }
}

/// `cogtools NAME` with the words of this command line.
fn command(name: &str) -> std::io::Result<Command> {
    let mut command = Command::new(cogtools(&std::env::current_exe()?)?);
    command
        .arg(name.strip_prefix("cogtools-").unwrap_or(name))
        .args(std::env::args_os().skip(1));
    Ok(command)
}

/// The `cogtools` that the stub at `own` belongs to.
fn cogtools(own: &Path) -> std::io::Result<PathBuf> {
    let file = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
    Ok(process::real(own)?.with_file_name(file))
}

/// Says what is wrong as the programs do.
fn fail(name: &str, why: &str) -> ExitCode {
    let _ = write!(
        std::io::stderr(),
        "{name}: error[IO_FAILED]: {why}\nhint: install all programs of cogtools in one folder\n"
    );
    ExitCode::from(IO_FAILED)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn it_belongs_to_what_lies_beside_it_and_not_beside_a_link() {
        let scratch = std::env::temp_dir().join(format!("cogtools-stub-{}", std::process::id()));
        let (real, other) = (scratch.join("real"), scratch.join("other"));
        for folder in [&real, &other] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(real.join("cogtools-lint"), "").unwrap();
        std::os::unix::fs::symlink("../real/cogtools-lint", other.join("cogtools-lint")).unwrap();
        let expected = real.canonicalize().unwrap().join("cogtools");
        for own in [&real, &other] {
            assert_eq!(cogtools(&own.join("cogtools-lint")).unwrap(), expected);
        }
        assert!(cogtools(&other.join("cogtools-test")).is_err());
        std::fs::remove_dir_all(&scratch).unwrap();
    }
}
