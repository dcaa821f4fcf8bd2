//! Reads the sessions that the user means.

use clap::Args;
use cogtools_agent::locate_session;
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Id, Session, SessionFile, Store, Stored};
use cogtools_program::{Failure, Io, Severity};

/// The sessions in `store`, the one that was written to last first.
pub(crate) fn stored(store: &Store) -> Result<Vec<Stored>, Failure> {
    store
        .list()
        .map_err(|error| store.unreadable(&error).into())
}

/// The session of a command.
#[derive(Args)]
#[group(skip)]
pub(crate) struct SessionArg {
    /// A name, the beginning of one, or a path (default: the newest)
    #[arg(value_name = "SESSION")]
    session: Option<String>,
}

impl SessionArg {
    /// The file of the session.
    pub(crate) fn file(&self, io: &Io<'_>) -> Result<SessionFile, Failure> {
        locate_session(self.session.as_deref(), io)
    }

    /// Reads the session.
    pub(crate) fn read(&self, io: &mut Io<'_>) -> Result<Opened, Failure> {
        Opened::read(self.session.as_deref(), io)
    }
}

/// A session that was read.
pub(crate) struct Opened {
    pub(crate) file: SessionFile,
    pub(crate) session: Session,
    /// The text of each line.
    pub(crate) lines: Vec<String>,
}

impl Opened {
    /// Reads the session `name`, or the one that was written to last, and warns about lines that
    /// were cut off.
    pub(crate) fn read(name: Option<&str>, io: &mut Io<'_>) -> Result<Self, Failure> {
        let file = locate_session(name, io)?;
        let read = Session::read_with_lines(&file);
        let (session, lines) = read.map_err(Box::<Diagnostic>::from)?;
        if session.torn_lines() > 0 {
            let message = format!(
                "the last line of `{}` was cut off, and is left out",
                file.display_path().display()
            );
            let hint = "the process that wrote it was ended; the session can be resumed";
            let diagnostic = Diagnostic::new(Code::InvalidSession, message).hint(hint);
            io.report(Severity::Warning, &diagnostic);
        }
        Ok(Self {
            file,
            session,
            lines,
        })
    }

    /// The entry that the user names, or the end of the branch that was written to last; `None` if
    /// there are no entries.
    pub(crate) fn leaf(&self, from: Option<Id>) -> Result<Option<Id>, Failure> {
        let Some(id) = from else {
            return Ok(self.session.head());
        };
        if self.session.entry(id).is_some() {
            return Ok(Some(id));
        }
        let hint = "`cogtools session tree` shows the entries";
        Err(self.lacks(&format!("entry {id}")).hint(hint).into())
    }

    /// The failure of a session that has no `part`.
    pub(crate) fn lacks(&self, part: &str) -> Diagnostic {
        let message = format!("`{}` has no {part}", self.file.display_path().display());
        Diagnostic::new(Code::SessionNotFound, message)
    }
}
