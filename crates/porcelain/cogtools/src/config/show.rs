//! `list` and `get`: the values that are set, and where.

use cogtools_core::{Origin, Setting};
use cogtools_edit::yaml::render;
use cogtools_program::project::{config, config_warnings, project};
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Severity};
use serde_json::{Value, json};

use crate::config::command::ShowArgs;
use crate::config::key::Key;

/// The exit status for a key that is not set, as in `git config`.
const UNSET: u8 = 1;

/// Prints every key that is set.
pub(crate) fn list(args: &ShowArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let settings = config(&project(io), io)?.settings;
    for diagnostic in config_warnings(io) {
        io.report(Severity::Warning, &diagnostic);
    }
    if args.format.is_json() {
        let all: Value = settings.iter().map(object).collect();
        return io.show_json(&format!("{all:#}\n"));
    }
    let line = |setting: &Setting| {
        let value = render(&setting.value);
        format!(
            "{}{}={value}\n",
            origin(args, setting),
            sanitize(&setting.key)
        )
    };
    let lines: String = settings.iter().map(line).collect();
    io.show(&lines)
}

/// Prints one key.
pub(crate) fn get(key: &Key, args: &ShowArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let settings = config(&project(io), io)?.settings;
    let setting = settings
        .iter()
        .find(|setting| setting.key == key.name())
        .ok_or(Failure::Reported(UNSET))?;
    if args.format.is_json() {
        io.show_json(&format!("{:#}\n", object(setting)))
    } else {
        let value = render(&setting.value);
        io.show(&format!("{}{value}\n", origin(args, setting)))
    }
}

/// The location of a value and a tab, with `--show-origin`.
fn origin(args: &ShowArgs, setting: &Setting) -> String {
    if args.origin {
        format!("{}\t", sanitize(&location(setting)))
    } else {
        String::new()
    }
}

/// Where a value is set: a file and a line, a variable, or built-in; several of them if
/// the project adds to a value of the user.
pub(crate) fn location(setting: &Setting) -> String {
    let one = |(origin, line): (&Origin, Option<usize>)| match line {
        Some(line) => format!("{origin}:{line}"),
        None => origin.to_string(),
    };
    let all: Vec<String> = setting.origins().map(one).collect();
    all.join(", ")
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
    if let Some((origin, line)) = setting.origins().nth(1) {
        object["addition"] = json!({"origin": origin.to_string()});
        if let Some(line) = line {
            object["addition"]["line"] = line.into();
        }
    }
    object
}
