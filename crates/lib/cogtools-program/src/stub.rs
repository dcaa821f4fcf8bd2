//! Replaces a link to `cogtools` where links are not possible: runs `cogtools NAME` under the
//! name of its own file.
//!
//! It starts the `cogtools` in its own directory, with links resolved; programs beside a link to
//! it, or on PATH, are not trusted.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::process::exec;

/// The status of `IO_FAILED`.
const IO_FAILED: u8 = 74;

/// Runs the program with the name of this process's file, such as `cogtools-lint`.
pub fn stub() -> ExitCode {
    let file = std::env::current_exe();
    let name = file.as_deref().ok().and_then(Path::file_stem);
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    let cogtools = file.and_then(|file| cogtools_beside(&file));
    let started = cogtools
        .map_err(|error| format!("the directory of this program is unknown: {error}"))
        .and_then(|cogtools| {
            let mut command = Command::new(cogtools);
            command.arg(name.strip_prefix("cogtools-").unwrap_or(&name));
            exec(command.args(std::env::args_os().skip(1))).map(ExitCode::from)
        });
    started.unwrap_or_else(|error| {
        let _ = write!(
            std::io::stderr(),
            "{name}: error[IO_FAILED]: {error}\n\
             hint: install all programs of cogtools in one folder\n"
        );
        ExitCode::from(IO_FAILED)
    })
}

/// The `cogtools` of the stub at `stub`.
fn cogtools_beside(stub: &Path) -> std::io::Result<PathBuf> {
    let file = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
    Ok(real_path(stub)?.with_file_name(file))
}

/// The path of the file with all links resolved.
#[cfg(unix)]
fn real_path(file: &Path) -> std::io::Result<PathBuf> {
    file.canonicalize()
}

/// The path of the file with all links resolved, in a form that other programs understand:
/// without the prefix `\\?\`.
#[cfg(not(unix))]
fn real_path(file: &Path) -> std::io::Result<PathBuf> {
    let real = file.canonicalize()?;
    let text = real.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    let drive = text.filter(|text| text.as_bytes().get(1) == Some(&b':'));
    Ok(drive.map_or_else(|| real.clone(), PathBuf::from))
}

#[cfg(test)]
#[cfg(unix)]
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
