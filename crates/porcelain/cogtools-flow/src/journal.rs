//! The session of a run of a flow or of a plan: a new one, or one that goes on.

use std::path::PathBuf;

use clap::Args;
use cogtools_agent::{
    begin_session, check_session_owner, locate_session, log_options, session_store,
};
use cogtools_core::{Code, Diagnostic, quoted};
use cogtools_log::view::{NodeRun, Run};
use cogtools_log::{Entry, Log, NodeState, Session, SessionFile};
use cogtools_program::call::quote;
use cogtools_program::{Failure, Io, project};

use crate::recorder::Recorder;

/// The option that names the file of a new session.
#[derive(Args)]
#[group(skip)]
pub(crate) struct SessionFileArg {
    /// The file of the new session (default: a new one among the sessions of the project)
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
}

/// The options about the session of a new run.
#[derive(Args)]
#[group(skip)]
pub(crate) struct NewSessionArgs {
    #[command(flatten)]
    file: SessionFileArg,
    /// Keep no session; the run cannot be resumed
    #[arg(long, conflicts_with = "session")]
    no_session: bool,
}

impl NewSessionArgs {
    /// Begins the session. Returns its recorder, and the command `cogtools COMMAND` that goes on
    /// with it. There is none if the user wants none, or has no folder for it.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn begin(&self, command: &str, io: &Io<'_>) -> Result<(Recorder, String), Failure> {
        let begun = if self.no_session {
            None
        } else {
            begin_session(self.file.session.as_deref(), "", io)?
        };
        let (log, file) = begun.unzip();
        let name = file.map(|file| file.name());
        Ok((Recorder::new(log, None), resume(command, name.as_deref())))
    }
}

/// The command that goes on with the session `name`: when the user types it, another may be the
/// newest.
pub(crate) fn resume(command: &str, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("cogtools {command} resume {}", quote(name)),
        None => format!("cogtools {command} resume"),
    }
}

/// The sessions of the project, the one that was written to last first. There are none without a
/// folder for them.
pub(crate) fn sessions(io: &Io<'_>) -> Vec<SessionFile> {
    let Ok((store, _)) = session_store(io) else {
        return Vec::new();
    };
    let stored = store.list().unwrap_or_default();
    stored.iter().map(|stored| store.file(&stored.id)).collect()
}

/// The file of the session `name`; without one, of the newest session with an entry of this kind.
///
/// # Errors
///
/// There is none.
pub(crate) fn locate(name: Option<&str>, kind: &str, io: &Io<'_>) -> Result<SessionFile, Failure> {
    if name.is_none() {
        let (store, _) = session_store(io)?;
        let newest = store.newest(Some(kind));
        if let Some(newest) = newest.map_err(|error| store.unreadable(&error))? {
            return Ok(store.file(&newest.id));
        }
    }
    locate_session(name, io)
}

/// Goes on with the session in `file`.
///
/// # Errors
///
/// It cannot be read, another user owns it, or another process writes to it.
pub(crate) fn open(file: &SessionFile, io: &Io<'_>) -> Result<(Log, Session), Failure> {
    check_session_owner(file, &project::project(io), io)?;
    let opened = Log::open(file, log_options(io));
    Ok(opened.map_err(Box::<Diagnostic>::from)?)
}

/// Reads the session in `file`.
///
/// # Errors
///
/// It cannot be read.
pub(crate) fn read(file: &SessionFile) -> Result<Session, Failure> {
    Ok(Session::read(file).map_err(Box::<Diagnostic>::from)?)
}

/// The last run on `branch`, which must be of this kind: `plan` or `flow`.
pub(crate) fn last<'s>(
    branch: &[&'s Entry],
    kind: &str,
    file: &SessionFile,
) -> Result<Run<'s>, Failure> {
    let found = Run::last(branch, kind);
    found.ok_or_else(|| no_run(kind, file))
}

/// The failure of a session without a run of this kind.
pub(crate) fn no_run(kind: &str, file: &SessionFile) -> Failure {
    let id = read(file).map(|session| session.header.session.to_string());
    let message = format!("the session `{}` has no {kind}", id.unwrap_or_default());
    let diagnostic = Diagnostic::new(Code::SessionNotFound, message)
        .with_subject(file.display_path().display().to_string());
    let hint = "`cogtools session list` shows the sessions of this project";
    diagnostic.hint(hint).into()
}

/// Fails unless what the user repeats, and the `others` for which the user has a result or an answer,
/// are nodes or steps of `run` without a result.
pub(crate) fn check_named(
    run: &Run<'_>,
    noun: &str,
    repeat: &[String],
    others: &[&String],
) -> Result<(), Failure> {
    let fault = |name: &String| {
        let found = run.node(name);
        if found.is_some_and(NodeRun::has_result) {
            return Some(format!("this {noun} has a result, which stays"));
        }
        let is_item = noun == "node" && name.contains('.');
        if is_item && found.is_none() {
            return Some("the run has no such item".to_owned());
        }
        let is_both = repeat.contains(name) && others.contains(&name);
        is_both.then(|| format!("either run this {noun} again, or give its result"))
    };
    let mut names = repeat.iter().chain(others.iter().copied());
    let Some((name, message)) = names.find_map(|name| Some((name, fault(name)?))) else {
        return Ok(());
    };
    let is_left = |node: &&NodeRun<'_>| {
        !node.has_result() && !node.is_nested() && !matches!(node.state, NodeState::Skipped { .. })
    };
    let left = run.nodes.values().filter(is_left);
    let hint = match quoted(left.map(|node| node.id)).as_str() {
        "" => format!("no {noun} of this run is open"),
        left => format!("without a result: {left}"),
    };
    let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(name.as_str());
    Err(diagnostic.hint(hint).into())
}

/// Fails if nodes or steps were interrupted that may not run again by themselves. The command
/// `resume` keeps what the user has decided already: what runs again, and results.
pub(crate) fn check_interrupted(
    open: &[&NodeRun<'_>],
    noun: &str,
    resume: &str,
    (repeat, results): (&[String], &[String]),
) -> Result<(), Failure> {
    let (code, verb) = match noun {
        "step" => (Code::StepFailed, "executing"),
        _ => (Code::NodeFailed, "running"),
    };
    let diagnostic = |node: &&NodeRun<'_>| {
        let message = if node.event.masked {
            "its result has a secret, which is masked, and it may have had an effect".to_owned()
        } else if let NodeState::Failed { .. } = node.state {
            format!("this {noun} has failed after a call that may have had an effect")
        } else {
            format!("the run ended while this {noun} was {verb}; it may have had an effect")
        };
        Diagnostic::new(code, message).with_subject(node.id)
    };
    let mut diagnostics: Vec<Diagnostic> = open.iter().map(diagnostic).collect();
    let Some(last) = diagnostics.pop() else {
        return Ok(());
    };
    let option = |option: &str, word: &str| format!(" --{option} {}", quote(word));
    let mut resume = resume.to_owned();
    resume.extend(repeat.iter().map(|node| option("repeat", node)));
    resume.extend(results.iter().map(|it| option("result", it)));
    let options = |name: &str, end: &str| {
        let options = open.iter().map(|node| option(name, node.id) + end);
        options.collect::<String>()
    };
    let (they, them, results) = match open.len() {
        1 => ("it", "it", "a result"),
        _ => ("they", "them", "results"),
    };
    let (repeat, result) = (options("repeat", ""), options("result", "=JSON"));
    let last = last
        .hint(format!("find out whether {they} had"))
        .hint(format!("`{resume}{repeat}` runs {them} again"))
        .hint(format!("`{resume}{result}` goes on with {results}"));
    diagnostics.push(last);
    Err(diagnostics.into())
}
