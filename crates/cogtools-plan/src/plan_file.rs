//! The plan of a command: in a file, in a session, or on standard input.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};
use cogtools_journal as session;
use cogtools_log::{Header, SessionFile};
use cogtools_program::{Failure, Input, Io, named_file, text_input};

use crate::contract::Contract;
use crate::logged::LoggedPlan;

/// The argument that names a file.
pub(crate) fn arg() -> Arg {
    Arg::new("file")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("The plan; by default, standard input")
}

/// The argument that names a file or a session.
pub(crate) fn file_or_session_arg() -> Arg {
    Arg::new("plan").value_name("FILE|SESSION").help(
        "The plan: a file, or a session by its name; by default, standard input or, if that is \
         empty or a terminal, the newest session",
    )
}

/// Reads the plan that [`arg`] names for `command`.
pub(crate) fn read(
    matches: &ArgMatches,
    command: &str,
    io: &mut Io<'_>,
) -> Result<Contract, Failure> {
    let text = match matches.get_one::<PathBuf>("file") {
        Some(path) => text_input::utf8(named_file::read(path, Input::MAX_BYTES, io)?)?,
        None => text_input::read_text(io, &format!("cogtools plan {command} < plan.json"))?,
    };
    Ok(Contract::parse(&text)?)
}

/// Reads the plan that [`file_or_session_arg`] names for `command`, and how far it came.
pub(crate) fn read_any(
    matches: &ArgMatches,
    command: &str,
    io: &mut Io<'_>,
) -> Result<LoggedPlan, Failure> {
    let name = matches.get_one::<String>("plan").map(String::as_str);
    if name.is_none() && !io.stdin.is_terminal() {
        let text = text_input::read_text(io, &format!("cogtools plan {command} < plan.json"))?;
        if !text.trim().is_empty() {
            return Ok(LoggedPlan::new(Contract::parse(&text)?));
        }
    }
    if let Some(path) = name.filter(|name| SessionFile::is_path(name)) {
        let text = text_input::utf8(named_file::read(path.as_ref(), Input::MAX_BYTES, io)?)?;
        if !is_session(&text) {
            return Ok(LoggedPlan::new(Contract::parse(&text)?));
        }
    }
    let file = session::locate(name, io)?;
    LoggedPlan::read(&session::read(&file)?, &file)
}

/// Whether the text begins with the header of a session.
fn is_session(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    serde_json::from_str::<Header>(line).is_ok()
}
