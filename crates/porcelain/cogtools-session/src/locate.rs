//! Finds the session that the user means: by name, by the beginning of it, or by path.

use std::path::Path;

use cogtools_core::{Code, Diagnostic, Project};
use cogtools_log::{Id, Session, SessionFile, Store, Stored};
use cogtools_program::dirs::state_dir;
use cogtools_program::project::project;
use cogtools_program::{Failure, Io, Severity};

/// The sessions of the project that contains the working directory.
pub(crate) fn store(io: &Io<'_>) -> Result<(Store, Project), Failure> {
    let project = project(io);
    let Some(state) = state_dir(io) else {
        let message = "there is no directory for sessions";
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        return Err(diagnostic.hint("set HOME, or XDG_STATE_HOME").into());
    };
    Ok((Store::new(&state, project.root()), project))
}

/// The sessions in `store`, the one that was written to last first.
pub(crate) fn stored(store: &Store) -> Result<Vec<Stored>, Failure> {
    store
        .list()
        .map_err(|error| store.unreadable(&error).into())
}

/// The file of the session `name`; without one, of the session that was written to last.
pub(crate) fn locate(name: Option<&str>, io: &Io<'_>) -> Result<SessionFile, Failure> {
    if let Some(path) = name.filter(|name| SessionFile::is_path(name)) {
        return Ok(named(path, io));
    }
    let (store, _) = store(io)?;
    Ok(store.locate(name).map_err(|diagnostic| *diagnostic)?)
}

/// The file that the user names, which need not exist.
pub(crate) fn named(path: &str, io: &Io<'_>) -> SessionFile {
    SessionFile::named(project(io).root(), &io.cwd, Path::new(path))
}

/// Reads a session, and warns about lines that were cut off.
pub(crate) fn read(file: &SessionFile, io: &mut Io<'_>) -> Result<(Session, Vec<String>), Failure> {
    let (session, lines) =
        Session::read_with_lines(file).map_err(|error| Failure::from(error.diagnostic()))?;
    if session.torn_lines() > 0 {
        let message = format!(
            "the last line of `{}` was cut off, and is left out",
            file.display_path().display()
        );
        let hint = "the process that wrote it was ended; the session can be resumed";
        let diagnostic = Diagnostic::new(Code::InvalidSession, message).hint(hint);
        io.report(Severity::Warning, &diagnostic);
    }
    Ok((session, lines))
}

/// The entry that the user names, or the end of the branch that was written to last; `None` if
/// there are no entries.
pub(crate) fn leaf(
    session: &Session,
    from: Option<Id>,
    file: &SessionFile,
) -> Result<Option<Id>, Failure> {
    let Some(id) = from else {
        return Ok(session.head());
    };
    if session.entry(id).is_some() {
        return Ok(Some(id));
    }
    let message = format!("`{}` has no entry {id}", file.display_path().display());
    let diagnostic = Diagnostic::new(Code::SessionNotFound, message);
    let hint = "`cogtools session tree` shows the entries";
    Err(diagnostic.hint(hint).into())
}
