//! `list` and `get`: what is set, and where.

use clap::ArgMatches;
use cogtools_core::Setting;
use cogtools_program::format::wants_json;
use cogtools_program::project::{config, project};
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

use crate::edit::render;
use crate::key::Key;

/// The exit status for a key that nobody sets, as `git config` has it.
const UNSET: u8 = 1;

/// Every key that is set.
pub(crate) fn list(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let settings = config(&project(io), io)?.settings;
    if wants_json(matches) {
        let all: Value = settings.iter().map(object).collect();
        return io.show_json(&format!("{all:#}\n"));
    }
    let line = |setting: &Setting| {
        let value = render(&setting.value);
        format!(
            "{}{}={value}\n",
            origin(matches, setting),
            sanitize(&setting.key)
        )
    };
    let lines: String = settings.iter().map(line).collect();
    io.show(&lines)
}

/// One key.
pub(crate) fn get(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let key = key(matches)?;
    let settings = config(&project(io), io)?.settings;
    let found = settings.iter().find(|setting| setting.key == key.name());
    let setting = found.ok_or(Failure::Status(UNSET))?;
    if wants_json(matches) {
        io.show_json(&format!("{:#}\n", object(setting)))
    } else {
        let value = render(&setting.value);
        io.show(&format!("{}{value}\n", origin(matches, setting)))
    }
}

/// The key on the command line.
pub(crate) fn key(matches: &ArgMatches) -> Result<Key, Failure> {
    let text = matches.get_one::<String>("key").map_or("", String::as_str);
    Key::parse(text).map_err(|fault| Failure::from(*fault))
}

/// Where a value was set, and a tab, if that is asked for.
fn origin(matches: &ArgMatches, setting: &Setting) -> String {
    if matches.get_flag("show-origin") {
        format!("{}\t", sanitize(&place(setting)))
    } else {
        String::new()
    }
}

/// Where a value was set: a file and a line, a variable, or nowhere.
pub(crate) fn place(setting: &Setting) -> String {
    match setting.line {
        Some(line) => format!("{}:{line}", setting.origin),
        None => setting.origin.to_string(),
    }
}

fn object(setting: &Setting) -> Value {
    let mut object = json!({
        "key": setting.key,
        "value": setting.value,
        "origin": setting.origin.to_string(),
    });
    if let Some(line) = setting.line {
        object["line"] = line.into();
    }
    object
}
