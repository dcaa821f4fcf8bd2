//! Replaces this process with another, on each system.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Replaces this process with the program; returns only an error.
#[cfg(unix)]
pub(crate) fn exec(mut command: Command) -> Result<ExitCode, String> {
    use std::os::unix::process::CommandExt as _;
    let error = command.exec();
    Err(spawn_error(&command, &error))
}

/// Runs the program and returns its status. Consoles send an interrupt to both processes; the
/// program decides how to handle it.
#[cfg(windows)]
pub(crate) fn exec(mut command: Command) -> Result<ExitCode, String> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // Without this, an interrupt would end this process before the program.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::<AtomicBool>::default());
    let status = command
        .status()
        .map_err(|error| spawn_error(&command, &error))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// The path of the file with all links resolved.
#[cfg(unix)]
pub(crate) fn real_path(file: &Path) -> std::io::Result<PathBuf> {
    file.canonicalize()
}

/// The path of the file with all links resolved, in a form that other programs understand:
/// without the prefix `\\?\`.
#[cfg(windows)]
pub(crate) fn real_path(file: &Path) -> std::io::Result<PathBuf> {
    let real = file.canonicalize()?;
    let text = real.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    let drive = text.filter(|text| text.as_bytes().get(1) == Some(&b':'));
    Ok(drive.map_or_else(|| real.clone(), PathBuf::from))
}

fn spawn_error(command: &Command, error: &std::io::Error) -> String {
    let program = command.get_program().display();
    format!("`{program}` cannot be started: {error}")
}
