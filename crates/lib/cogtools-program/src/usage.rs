//! Clap's errors as diagnostics.

use std::ffi::OsString;

use clap::Command;
use cogtools_core::{Code, Diagnostic, Hint};

use crate::report::Format;

/// The diagnostic for a command line that clap rejected, with the usage of `command`.
pub(crate) fn diagnostic(error: &clap::Error, command: &mut Command) -> Diagnostic {
    let text = error.render().to_string();
    let mut message = Vec::new();
    let mut hints = Vec::new();
    // Clap exposes its tips only as rendered text. Its usage depends on what was typed, so it
    // is left out.
    let without_usage = text.split("\n\nUsage: ").next().unwrap_or_default();
    for line in without_usage
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        if let Some(tip) = line.strip_prefix("tip: ") {
            hints.push(Hint::from(tip));
        } else if !line.starts_with("For more information") {
            message.push(line.strip_prefix("error: ").unwrap_or(line).to_owned());
        }
    }
    let usage = command.render_usage().to_string();
    let first_line = usage.lines().next().unwrap_or_default();
    hints.push(first_line.replacen("Usage", "usage", 1).into());
    hints.push("--help explains every option".into());
    let mut diagnostic = Diagnostic::new(Code::Usage, message.join(" "));
    diagnostic.hints = hints;
    diagnostic
}

/// The error format that `args` request, for when they cannot be parsed as a whole.
pub(crate) fn requested_format(args: &[OsString]) -> Format {
    let json = args.iter().enumerate().any(|(index, arg)| {
        arg == "--error-format=json"
            || (arg == "--error-format" && args.get(index + 1).is_some_and(|next| next == "json"))
    });
    if json { Format::Json } else { Format::Human }
}
