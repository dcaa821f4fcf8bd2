//! The editor that answers to the source `editor`, and why not another one.

use std::path::Path;
use std::time::Duration;

use cogtools_core::process::Process;
use cogtools_core::source::Source;
use cogtools_core::{Cancel, Config, Diagnostic};
use cogtools_program::Io;
use serde::Deserialize;

use crate::context::Context;
use crate::finding::Finding;

/// The name of the check.
pub(crate) const NAME: &str = "editor";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    match &cx.editor {
        None => Vec::new(),
        Some(Ok(status)) => vec![describe(status)],
        Some(Err(error)) => {
            let hints = cogtools_program::render_hints(&error.hints);
            let socket = hints.last().map_or("", |hint| hint);
            let hint = format!("close one of them, {socket}");
            vec![Finding::warning(error.message.clone()).hint(hint)]
        }
    }
}

fn describe(status: &Status) -> Finding {
    let attempts = status.attempts.iter();
    let attempts = attempts.map(|attempt| format!("{}: {}", attempt.by, attempt.reason));
    match (&status.editor, &status.by) {
        (Some(name), Some(by)) => Finding::ok(format!("{name} answers, found by {by}")),
        _ => Finding::warning("no editor answers here")
            .hint("run it in a terminal of the editor; VS Code needs `cogtools editor install`"),
    }
    .with_details(attempts.collect())
}

/// Time limit of the program: each editor has a second.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The answer of `cogtools editor status --json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    /// The name of the editor that answers.
    pub(crate) editor: Option<String>,
    /// The way the editor was found.
    pub(crate) by: Option<String>,
    pub(crate) attempts: Vec<Attempt>,
}

/// An editor that did not answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) by: String,
    pub(crate) reason: String,
}

/// Asks the editor around the doctor, if the configuration names the source.
pub(crate) fn ask(config: &Config, io: &Io<'_>) -> Option<Result<Status, Diagnostic>> {
    let mut sources = config.sources.iter();
    if !sources.any(|source| matches!(source, Source::Editor)) {
        return None;
    }
    let folder = io.program.parent().unwrap_or(Path::new("/"));
    let name = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
    let output = Process::new(folder.join(name), &io.cwd)
        .args(["editor", "status", "--json", "--error-format=json"])
        .variables(io.vars.clone())
        .timeout(TIMEOUT)
        .run(&Cancel::default())
        .ok()?;
    if output.exit.is_success() {
        return serde_json::from_slice(&output.stdout.bytes).ok().map(Ok);
    }
    Diagnostic::from_json(&output.stderr.bytes).map(Err)
}
