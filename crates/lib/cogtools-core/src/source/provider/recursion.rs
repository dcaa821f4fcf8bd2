//! Detects a project that is listed by one of its own providers, which would recurse
//! until the machine runs out of processes.

use std::ffi::{OsStr, OsString};

use serde_json::json;

use crate::Context;
use crate::digest;
use crate::environment::Vars;

/// The variable with the projects whose providers are running, separated by commas. It
/// contains hashes, because a path may contain any character; its name is not that of a
/// setting.
const VARIABLE: &str = "_COGTOOLS_WITHIN";

/// Whether one of the project's own providers started this process.
pub(super) fn is_recursive(cx: &Context) -> bool {
    let mark = mark(cx);
    running_projects(cx)
        .is_some_and(|marks| marks.to_string_lossy().split(',').any(|one| one == mark))
}

/// Adds the project to the ones listed in `variables`.
pub(super) fn add_to(variables: &mut Vars, cx: &Context) {
    let mark = OsString::from(mark(cx));
    let projects = match running_projects(cx) {
        Some(marks) if !marks.is_empty() => [marks, &mark].join(OsStr::new(",")),
        _ => mark,
    };
    variables.insert(VARIABLE.into(), projects);
}

fn running_projects(cx: &Context) -> Option<&OsStr> {
    let process = cx.environment.process();
    process.get(OsStr::new(VARIABLE)).map(OsString::as_os_str)
}

fn mark(cx: &Context) -> String {
    digest::value(&json!(cx.root.display().to_string())).to_string()
}
