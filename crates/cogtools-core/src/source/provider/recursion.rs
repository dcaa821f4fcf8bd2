//! A project that is asked for its tools by one of its own providers, which would
//! go on until the machine is full.

use std::ffi::{OsStr, OsString};

use serde_json::json;

use crate::Context;
use crate::digest;
use crate::environment::Vars;

/// The variable with the projects whose providers are being asked or called,
/// commas between them. It has hashes, for a path may hold anything; and a name that
/// is no setting's.
const VARIABLE: &str = "_COGTOOLS_WITHIN";

/// Whether one of the project's own providers has led here.
pub(super) fn is_recursive(cx: &Context) -> bool {
    let within = within(cx);
    let mark = mark(cx);
    within.is_some_and(|within| within.to_string_lossy().split(',').any(|one| one == mark))
}

/// Adds the project to those that `variables` tell a provider of.
pub(super) fn add_to(variables: &mut Vars, cx: &Context) {
    let mark = OsString::from(mark(cx));
    let projects = match within(cx) {
        Some(within) if !within.is_empty() => [within, &mark].join(OsStr::new(",")),
        _ => mark,
    };
    variables.insert(VARIABLE.into(), projects);
}

fn within(cx: &Context) -> Option<&OsStr> {
    let process = cx.environment.process();
    process.get(OsStr::new(VARIABLE)).map(OsString::as_os_str)
}

fn mark(cx: &Context) -> String {
    digest::value(&json!(cx.root.display().to_string())).to_string()
}
