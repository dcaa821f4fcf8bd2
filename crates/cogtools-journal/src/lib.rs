//! The session of a program that runs steps: a new one, or one that goes on.
//!
//! `cogtools plan` and `cogtools flow` use it. What a conversation needs besides is in
//! `cogtools-agent`.

use std::path::{Path, PathBuf};

use cogtools_core::{Code, Diagnostic, Project};
use cogtools_log::{
    Header, Log, LogError, Mask, Options, Session, SessionError, SessionFile, SessionId, Store,
};
use cogtools_program::{Failure, Io, dirs, project};

/// Where a new session is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Among those of the project.
    Stored,
    /// In this file.
    File(PathBuf),
    /// Nowhere: there is none.
    None,
}

impl Target {
    /// The file that the user has named, as text.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::File(path) => path.to_str(),
            Self::Stored | Self::None => None,
        }
    }
}

/// Begins a session about `model`. There is none if the user wants none, or has no folder for it.
///
/// # Errors
///
/// The file cannot be written.
pub fn create(target: &Target, model: &str, io: &Io<'_>) -> Result<Option<Log>, Failure> {
    let project = project::project(io);
    let (id, file) = match target {
        Target::None => return Ok(None),
        Target::File(path) => {
            let file = SessionFile::named(project.root(), &io.cwd, path);
            (SessionId::random(), file)
        }
        Target::Stored => match dirs::state_dir(io) {
            Some(state) => {
                let store = Store::new(&state, project.root());
                store.new_file().map_err(|error| failure(&error))?
            }
            None => return Ok(None),
        },
    };
    let options = options(io);
    let root = project.root().display().to_string();
    let header = Header::new(id, options.clock.now(), &root, model);
    let log = Log::create(&file, &header, options).map_err(|error| failure(&error))?;
    Ok(Some(log))
}

/// The file of the session `name`; without one, of the session that was written to last.
///
/// # Errors
///
/// There is no such session, or no folder for sessions.
pub fn locate(name: Option<&str>, io: &Io<'_>) -> Result<SessionFile, Failure> {
    let project = project::project(io);
    if let Some(path) = name.filter(|name| SessionFile::is_path(name)) {
        return Ok(SessionFile::named(project.root(), &io.cwd, Path::new(path)));
    }
    let Some(state) = dirs::state_dir(io) else {
        let diagnostic = Diagnostic::new(Code::IoFailed, "there is no directory for sessions");
        return Err(diagnostic.hint("set HOME, or XDG_STATE_HOME").into());
    };
    let found = Store::new(&state, project.root()).locate(name);
    Ok(found.map_err(|diagnostic| *diagnostic)?)
}

/// The sessions of the project, the one that was written to last first. There are none without a
/// folder for them.
pub fn sessions(io: &Io<'_>) -> Vec<SessionFile> {
    let Some(state) = dirs::state_dir(io) else {
        return Vec::new();
    };
    let store = Store::new(&state, project::project(io).root());
    let stored = store.list().unwrap_or_default();
    stored.iter().map(|stored| store.file(&stored.id)).collect()
}

/// Goes on with the session in `file`.
///
/// # Errors
///
/// It cannot be read, another user owns it, or another process writes to it.
pub fn open(file: &SessionFile, io: &Io<'_>) -> Result<(Log, Session), Failure> {
    check_owner(file, &project::project(io), io)?;
    Log::open(file, options(io)).map_err(|error| failure(&error))
}

/// Reads the session in `file`.
///
/// # Errors
///
/// It cannot be read.
pub fn read(file: &SessionFile) -> Result<Session, Failure> {
    Session::read(file).map_err(|error: SessionError| error.diagnostic().into())
}

/// What others wrote would be part of the plan.
fn check_owner(file: &SessionFile, project: &Project, io: &Io<'_>) -> Result<(), Failure> {
    let path = file.path();
    if let Ok(metadata) = path.metadata() {
        let owners = dirs::owners(io).check_opened(&path, &metadata, project.root());
        owners.map_err(|foreign| foreign.diagnostic("it is not continued"))?;
    }
    Ok(())
}

fn options(io: &Io<'_>) -> Options {
    Options {
        mask: Mask::new(io.secrets()),
        ..Options::default()
    }
}

/// A log that cannot be written or read.
pub fn failure(error: &LogError) -> Failure {
    error.diagnostic().into()
}
