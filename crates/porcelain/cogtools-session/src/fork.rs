//! `cogtools session fork` and `resume`: a session goes on, by itself or as a copy.

use std::collections::BTreeSet;
use std::process::Command;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use cogtools_agent::{session_at, session_store};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{
    BlobId, Fork, Header, Id, LogError, Session, SessionFile, SessionId, Timestamp,
};
use cogtools_program::{Failure, Io, Severity};

use crate::locate::{Opened, SessionArg};
use crate::show::branch_lines;

/// Copy a branch of a session to a new session
#[derive(Args)]
#[group(skip)]
pub(crate) struct ForkArgs {
    #[command(flatten)]
    session: SessionArg,
    /// Copy up to this entry (default: the last one)
    #[arg(long, value_name = "ID")]
    from: Option<Id>,
    /// Write the new session to FILE, which must not exist
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    to: Option<String>,
}

/// Copies the entries from the root to `from` to a new session: in the file `to`, or in the
/// store.
pub(crate) fn fork(args: &ForkArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let opened = args.session.read(io)?;
    let Some(leaf) = opened.leaf(args.from)? else {
        let hint = "name a session with entries";
        return Err(opened.lacks("entries").hint(hint).into());
    };
    let Opened { file, session, .. } = &opened;
    let (id, target) = if let Some(path) = &args.to {
        (SessionId::random(), session_at(path.as_ref(), io))
    } else {
        let new = session_store(io)?.0.new_file();
        new.map_err(Box::<Diagnostic>::from)?
    };
    if target.path().symlink_metadata().is_ok() {
        let error = LogError::Exists(target.display_path().to_path_buf());
        return Err(error.diagnostic().into());
    }
    let header = Header {
        session: id.clone(),
        time: Timestamp::now(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        fork: Some(Fork {
            session: session.header.session.clone(),
            from: leaf,
        }),
        of_tool: false,
        ..session.header.clone()
    };
    let mut content = serde_json::to_string(&header).map_err(|error| {
        Diagnostic::new(Code::Internal, format!("the header is not JSON: {error}"))
    })?;
    content.push('\n');
    for line in branch_lines(&opened, Some(leaf)) {
        content.push_str(line.trim_end_matches('\r'));
        content.push('\n');
    }
    // What a branch refers to must be in it.
    Session::from_reader(content.as_bytes(), file.display_path())
        .map_err(Box::<Diagnostic>::from)?;
    copy_blobs(session, leaf, file, &target, io)?;
    target
        .create(content.as_bytes())
        .map_err(Box::<Diagnostic>::from)?;
    let place = args.to.clone().unwrap_or_else(|| id.to_string());
    io.show(&format!("{place}\n"))
}

/// Copies the blobs of a branch.
fn copy_blobs(
    session: &Session,
    leaf: Id,
    from: &SessionFile,
    to: &SessionFile,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let path = session.path_to(leaf);
    let blobs = path.iter().flat_map(|entry| entry.event.blobs());
    let blobs: BTreeSet<&BlobId> = blobs.collect();
    for blob in blobs {
        let bytes = match from.blobs().read(blob) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = format!("the blob `{blob}` is not copied: {error}");
                io.report(Severity::Warning, &Diagnostic::new(Code::IoFailed, message));
                continue;
            }
        };
        to.blobs().write(&bytes).map_err(|error| {
            let otherwise = "free disk space, or make the folder writable";
            error.diagnostic(&to.blobs().path(blob), "written", otherwise)
        })?;
    }
    Ok(())
}

/// Continues as `cogtools ask --session FILE --continue`, with the prompt if there is one.
pub(crate) fn resume(session: &SessionArg, prompt: &[String], io: &Io<'_>) -> Result<(), Failure> {
    let file = session.file(io)?;
    let mut ask = Command::new(&io.program);
    ask.args(["ask", "--continue", "--session"])
        .arg(file.path());
    if !prompt.is_empty() {
        ask.arg("--").args(prompt);
    }
    ask.current_dir(&io.cwd);
    Err(Failure::Exec(ask.into()))
}
