//! How a process becomes another one, on each kind of system.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Becomes the program; comes back only with the reason why it could not.
#[cfg(unix)]
pub(crate) fn become_it(mut command: Command) -> Result<ExitCode, String> {
    use std::os::unix::process::CommandExt as _;
    let error = command.exec();
    Err(not_started(&command, &error))
}

/// Runs the program, and ends as it ends. Consoles tell both of an interrupt:
/// what it means is up to the program.
#[cfg(windows)]
pub(crate) fn become_it(mut command: Command) -> Result<ExitCode, String> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // Without it an interrupt would end this process before the program has ended.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::<AtomicBool>::default());
    let status = command
        .status()
        .map_err(|error| not_started(&command, &error))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// The file itself, not a link that led to it.
#[cfg(unix)]
pub(crate) fn real(file: &Path) -> std::io::Result<PathBuf> {
    file.canonicalize()
}

/// The file itself, spelled as other programs understand it: without the `\\?\` of
/// resolved paths.
#[cfg(windows)]
pub(crate) fn real(file: &Path) -> std::io::Result<PathBuf> {
    let real = file.canonicalize()?;
    let text = real.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    let drive = text.filter(|text| text.as_bytes().get(1) == Some(&b':'));
    Ok(drive.map_or_else(|| real.clone(), PathBuf::from))
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    let program = command.get_program().display();
    format!("`{program}` cannot be started: {error}")
}
