//! New sessions of a project.

use std::path::Path;

use cogtools_core::Project;
use cogtools_log::{Header, Log, LogError, Mask, Options, SessionFile, SessionId, Store};
use cogtools_program::{Failure, Io, dirs, project};

/// The options of a log that `io` writes: its secrets are masked.
pub fn log_options(io: &Io<'_>) -> Options {
    Options {
        mask: Mask::new(io.secrets()),
        ..Options::default()
    }
}

/// The sessions of the project that contains the working directory.
///
/// # Errors
/// The user has no folder for sessions.
pub fn session_store(io: &Io<'_>) -> Result<(Store, Project), Failure> {
    let project = project::project(io);
    let store = Store::of(dirs::state_dir(io).as_deref(), project.root())?;
    Ok((store, project))
}

/// The file of the session `name`, which can be a path; without one, of the session that was written
/// to last. A file of the project never stands for a session in the store, or the beginning of its
/// name.
///
/// # Errors
/// There is no such session, or no folder for sessions.
pub fn locate_session(name: Option<&str>, io: &Io<'_>) -> Result<SessionFile, Failure> {
    let stored =
        || session_store(io).and_then(|(store, _)| Ok(store.locate(name).map_err(|it| *it)?));
    let Some(path) = name else {
        return stored();
    };
    let file = session_named(Path::new(path), io);
    if SessionFile::is_path(path) {
        return Ok(file);
    }
    match stored() {
        Err(_) if file.path().is_file() => Ok(file),
        stored => stored,
    }
}

/// The session that the user names: one in the store by its whole name or its file, or the file at
/// `path`, new or not.
pub fn session_named(path: &Path, io: &Io<'_>) -> SessionFile {
    let named = session_at(path, io);
    let id = path
        .file_stem()
        .and_then(|stem| stem.to_str()?.parse().ok());
    let store = session_store(io).ok();
    let stored = store.zip(id).map(|((store, _), id)| store.file(&id));
    let is_name = path
        .to_str()
        .is_some_and(|name| !SessionFile::is_path(name));
    let is_meant =
        |stored: &SessionFile| stored.path() == named.path() || is_name && stored.path().is_file();
    stored.filter(is_meant).unwrap_or(named)
}

/// The session in the file at `path`, which need not exist.
pub fn session_at(path: &Path, io: &Io<'_>) -> SessionFile {
    SessionFile::named(project::project(io).root(), &io.cwd, path)
}

/// Fails if another user owns the file of a session: what others wrote would become part of it.
pub fn check_session_owner(
    file: &SessionFile,
    project: &Project,
    io: &Io<'_>,
) -> Result<(), Failure> {
    let path = file.path();
    if let Ok(metadata) = path.metadata() {
        let owners = dirs::owners(io).check_opened(&path, &metadata, project.root());
        owners.map_err(|foreign| foreign.diagnostic("it is not continued"))?;
    }
    Ok(())
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
    let file = match (path, dirs::state_dir(io)) {
        (Some(path), _) => session_named(path, io),
        (None, Some(state)) => {
            let store = Store::new(&state, project::project(io).root());
            store.new_file().map_err(failure)?.1
        }
        (None, None) => return Ok(None),
    };
    let log = create_session(&file, model, of_tool, io).map_err(failure)?;
    Ok(Some((log, file)))
}

/// Begins the session in `file`, which does not exist or is empty.
///
/// # Errors
/// The file cannot be written.
pub fn create_session(
    file: &SessionFile,
    model: &str,
    of_tool: bool,
    io: &Io<'_>,
) -> Result<Log, LogError> {
    let options = log_options(io);
    let root = project::project(io).root().display().to_string();
    let id = file.name().parse();
    let id = id.unwrap_or_else(|_| SessionId::random());
    let header = Header {
        of_tool,
        ..Header::new(id, options.clock.now(), &root, model)
    };
    Log::create(file, &header, options)
}
