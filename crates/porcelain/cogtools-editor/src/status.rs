//! Which editor answers.

use std::fmt::Write as _;

use cogtools_core::source::{ambiguous_editor, editor_place};
use cogtools_editor_client::{Found, Request, find};
use cogtools_program::args::EnvArgs;
use cogtools_program::project::ProjectContext;
use cogtools_program::{Failure, Io};
use serde_json::{Value, json};

/// Prints which editor answers here, and why others do not.
pub(crate) fn status(json: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let cx = ProjectContext::load(EnvArgs::default(), io)?.context(io);
    let found = find(&Request::OpenFiles, &editor_place(&cx));
    let found = found.map_err(|error| Failure::from(ambiguous_editor(&error)))?;
    if json {
        return io.show_json(&format!("{:#}\n", value(&found)));
    }
    io.show(&text(&found))
}

fn text(found: &Found) -> String {
    let mut text = match (&found.answer, &found.by) {
        (Some((_, name)), Some(by)) => format!("{name} answers, found by {by}\n"),
        _ => "no editor answers\n".to_owned(),
    };
    for attempt in &found.attempts {
        let _ = writeln!(text, "  {}: {}", attempt.by, attempt.failure);
    }
    if found.answer.is_none() {
        text.push_str(
            "\nNeovim and Emacs answer in their terminals. For VS Code: cogtools editor install\n",
        );
    }
    text
}

fn value(found: &Found) -> Value {
    let attempts = found.attempts.iter();
    let attempts =
        attempts.map(|attempt| json!({"by": attempt.by, "reason": attempt.failure.to_string()}));
    json!({
        "editor": found.answer.as_ref().map(|(_, name)| name),
        "by": found.by,
        "attempts": attempts.collect::<Vec<Value>>(),
    })
}
