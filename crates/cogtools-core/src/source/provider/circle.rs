//! A project that is asked for its tools by one of its own providers, which would
//! go on until the machine is full.

use std::ffi::{OsStr, OsString};

use serde_json::json;

use crate::Surroundings;
use crate::digest;
use crate::environment::Vars;

/// The variable with the projects whose providers are being asked or called,
/// commas between them. It has hashes, for a path may hold anything; and a name that
/// is no setting's.
const VARIABLE: &str = "_COGTOOLS_WITHIN";

/// Whether one of the project's own providers has led here.
pub(super) fn is_closed(around: &Surroundings) -> bool {
    let within = within(around);
    let mark = mark(around);
    within.is_some_and(|within| within.to_string_lossy().split(',').any(|one| one == mark))
}

/// Adds the project to those that `variables` tell a provider of.
pub(super) fn add_to(variables: &mut Vars, around: &Surroundings) {
    let mark = OsString::from(mark(around));
    let projects = match within(around) {
        Some(within) if !within.is_empty() => [within, &mark].join(OsStr::new(",")),
        _ => mark,
    };
    variables.insert(VARIABLE.into(), projects);
}

fn within(around: &Surroundings) -> Option<&OsStr> {
    let process = around.environment.process();
    process.get(OsStr::new(VARIABLE)).map(OsString::as_os_str)
}

fn mark(around: &Surroundings) -> String {
    digest::value(&json!(around.root.display().to_string())).to_string()
}
