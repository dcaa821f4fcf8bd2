//! What clap says of a wrong command line, in the words of the project.

use std::ffi::OsString;

use cogtools_core::{Code, Fault};

use crate::report::Format;

/// The fault for a command line that clap refused.
pub(crate) fn fault(error: &clap::Error) -> Fault {
    let text = error.render().to_string();
    let mut message = Vec::new();
    let mut hints = Vec::new();
    let mut usage = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(tip) = line.strip_prefix("tip: ") {
            hints.push(tip.to_owned());
        } else if let Some(line) = line.strip_prefix("Usage: ") {
            usage = Some(format!("usage: {line}"));
        } else if !line.starts_with("For more information") {
            message.push(line.strip_prefix("error: ").unwrap_or(line).to_owned());
        }
    }
    hints.extend(usage);
    hints.push("--help explains every option".to_owned());
    let mut fault = Fault::new(Code::Usage, message.join(" "));
    fault.hints = hints;
    fault
}

/// The error format that `args` ask for, when they could not be parsed as a whole.
pub(crate) fn format_asked(args: &[OsString]) -> Format {
    let json = args.iter().enumerate().any(|(index, arg)| {
        arg == "--error-format=json"
            || (arg == "--error-format" && args.get(index + 1).is_some_and(|next| next == "json"))
    });
    if json { Format::Json } else { Format::Human }
}
