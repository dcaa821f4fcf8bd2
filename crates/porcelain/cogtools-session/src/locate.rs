//! Reads the sessions that the user means.

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Id, Session, SessionFile, Store, Stored};
use cogtools_program::{Failure, Io, Severity};

/// The sessions in `store`, the one that was written to last first.
pub(crate) fn stored(store: &Store) -> Result<Vec<Stored>, Failure> {
    store
        .list()
        .map_err(|error| store.unreadable(&error).into())
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
