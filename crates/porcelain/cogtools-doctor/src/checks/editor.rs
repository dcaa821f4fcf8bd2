//! Which editor answers to the source `editor`, and why not another one.

use cogtools_core::source::Source;
use cogtools_editor_client::{Ambiguous, Attempt, Found, Place, Request, Variables, find};
use cogtools_program::Io;
use cogtools_program::project::{config, context, project};

use crate::context::Context;
use crate::finding::Finding;

/// The name of the check.
pub(crate) const NAME: &str = "editor";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    match &cx.editor {
        None => Vec::new(),
        Some(Ok(found)) => vec![describe(found)],
        Some(Err(error)) => {
            let finding = Finding::warning(error.to_string());
            let socket = error.socket().display();
            let hint = format!("close one of them, or set {}={socket}", Variables::EDITOR);
            vec![finding.hint(hint)]
        }
    }
}

fn describe(found: &Found) -> Finding {
    let attempts = found.attempts.iter().map(reason).collect();
    match (&found.answer, &found.by) {
        (Some((_, name)), Some(by)) => {
            Finding::ok(format!("{name} answers, found by {by}")).with_details(attempts)
        }
        _ => Finding::warning("no editor answers here")
            .with_details(attempts)
            .hint("run it in a terminal of the editor; VS Code needs `cogtools editor install`"),
    }
}

fn reason(attempt: &Attempt) -> String {
    format!("{}: {}", attempt.by, attempt.failure)
}

/// Asks the editor around the doctor, if the configuration names the source.
pub(crate) fn ask(io: &Io<'_>) -> Option<Result<Found, Ambiguous>> {
    let project = project(io);
    let config = config(&project, io).ok()?;
    let is_asked = config
        .sources
        .iter()
        .any(|source| matches!(source, Source::Editor));
    if !is_asked {
        return None;
    }
    let cx = context(io, &project, config.env_priority, config.bounds());
    Some(find(&Request::OpenFiles, &Place::of(&cx)))
}
