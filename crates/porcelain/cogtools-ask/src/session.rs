//! The session of a run: a new one, or one that goes on.

use cogtools_agent::Journal;
use cogtools_core::{Code, Diagnostic, Project};
use cogtools_log::{Header, Log, LogError, Mask, Options, Session, SessionFile, SessionId, Store};
use cogtools_program::{Failure, Io, dirs};

use crate::args::AskArgs;

/// A session that was opened.
pub(crate) struct OpenSession {
    pub(crate) journal: Journal,
    /// How the user names it: its identifier, or its file.
    pub(crate) name: String,
}

/// Opens the session that the command line names. `secrets` are masked in it.
pub(crate) fn open(
    args: &AskArgs,
    model: &str,
    project: &Project,
    secrets: Vec<(String, String)>,
    io: &Io<'_>,
) -> Result<OpenSession, Failure> {
    let options = Options {
        mask: Mask::new(secrets),
        ..Options::default()
    };
    let (file, id, exists) = locate(args, project, io)?;
    let name = match &args.session {
        Some(path) => path.display().to_string(),
        None => id.to_string(),
    };
    let journal = if exists {
        // What others wrote would be part of the conversation.
        let path = file.path();
        if let Ok(metadata) = path.metadata() {
            let owners = dirs::owners(io).check_opened(&path, &metadata, project.root());
            owners.map_err(|foreign| foreign.diagnostic("it is not continued"))?;
        }
        let (log, session) = Log::open(&file, options).map_err(|error| failure(&error))?;
        check_branch(args, &session)?;
        Journal::resume(log, &session, args.from)
    } else {
        let time = options.clock.now();
        let display = project.root().display().to_string();
        let header = Header::new(id, time, &display, model);
        Journal::new(Log::create(&file, &header, options).map_err(|error| failure(&error))?)
    };
    Ok(OpenSession { journal, name })
}

/// The file of the session that goes on, if one does.
pub(crate) fn existing(
    args: &AskArgs,
    project: &Project,
    io: &Io<'_>,
) -> Result<Option<SessionFile>, Failure> {
    if args.session.is_none() && !args.resume && args.from.is_none() {
        return Ok(None);
    }
    let (file, _, exists) = locate(args, project, io)?;
    Ok(exists.then_some(file))
}

/// The file of the session, its identifier, and whether it goes on.
fn locate(
    args: &AskArgs,
    project: &Project,
    io: &Io<'_>,
) -> Result<(SessionFile, SessionId, bool), Failure> {
    if let Some(path) = &args.session {
        let file = SessionFile::named(project.root(), &io.cwd, path);
        let metadata = file.path().symlink_metadata();
        let exists = metadata.is_ok_and(|metadata| metadata.len() > 0);
        return Ok((file, SessionId::random(), exists));
    }
    let Some(state) = dirs::state_dir(io) else {
        let diagnostic = Diagnostic::new(Code::Usage, "there is no folder for sessions");
        return Err(diagnostic
            .hint("set HOME, or name a file with --session")
            .into());
    };
    let store = Store::new(&state, project.root());
    if !args.resume && args.from.is_none() && !args.is_answer() {
        let (id, file) = store.new_file().map_err(|error| failure(&error))?;
        return Ok((file, id, false));
    }
    let newest = store.newest().map_err(|error| {
        let message = format!("the sessions cannot be listed: {error}");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Failure::from(diagnostic.with_subject(store.folder().display().to_string()))
    })?;
    match newest {
        Some(stored) => Ok((store.file(&stored.id), stored.id, true)),
        None => Err(
            Diagnostic::new(Code::SessionNotFound, "this project has no session yet")
                .hint("leave out --continue to begin one")
                .into(),
        ),
    }
}

fn check_branch(args: &AskArgs, session: &Session) -> Result<(), Failure> {
    let Some(from) = args.from.filter(|from| session.entry(*from).is_none()) else {
        return Ok(());
    };
    let message = format!("the session has no entry {from}");
    Err(Diagnostic::new(Code::Usage, message)
        .hint("cogtools session tree shows the entries")
        .into())
}

/// A log that cannot be written or read.
pub(crate) fn failure(error: &LogError) -> Failure {
    error.diagnostic().into()
}
