//! New sessions of a project.

use std::path::Path;

use cogtools_log::{Header, Log, LogError, Mask, Options, SessionFile, SessionId, Store};
use cogtools_program::{Failure, Io, dirs, project};

/// The options of a log that `io` writes: its secrets are masked.
pub fn log_options(io: &Io<'_>) -> Options {
    Options {
        mask: Mask::new(io.secrets()),
        ..Options::default()
    }
}

/// Begins a session about `model` in the file at `path`, or in a new file of the project. There is
/// none if the user has no folder for sessions.
///
/// # Errors
/// The file cannot be written.
pub fn begin_session(
    path: Option<&Path>,
    model: &str,
    io: &Io<'_>,
) -> Result<Option<(Log, SessionFile)>, Failure> {
    begin(path, model, false, io)
}

/// Begins a session of the call of a tool, which is neither listed nor continued unless it is named.
/// There is none if the user has no folder for sessions.
///
/// # Errors
/// The file cannot be written.
pub fn begin_tool_session(io: &Io<'_>) -> Result<Option<Log>, Failure> {
    Ok(begin(None, "", true, io)?.map(|(log, _)| log))
}

fn begin(
    path: Option<&Path>,
    model: &str,
    of_tool: bool,
    io: &Io<'_>,
) -> Result<Option<(Log, SessionFile)>, Failure> {
    let failure = |error: LogError| Failure::from(error.diagnostic());
    let project = project::project(io);
    let (id, file) = match (path, dirs::state_dir(io)) {
        (Some(path), _) => {
            let file = SessionFile::named(project.root(), &io.cwd, path);
            (SessionId::random(), file)
        }
        (None, Some(state)) => {
            let store = Store::new(&state, project.root());
            store.new_file().map_err(failure)?
        }
        (None, None) => return Ok(None),
    };
    let options = log_options(io);
    let root = project.root().display().to_string();
    let header = Header {
        of_tool,
        ..Header::new(id, options.clock.now(), &root, model)
    };
    let log = Log::create(&file, &header, options).map_err(failure)?;
    Ok(Some((log, file)))
}
