//! Why no tool is written, and what to do about it.

use std::path::PathBuf;

use cogtools_core::file::WriteError;
use cogtools_core::{Code, Diagnostic, Name, NameError};
use thiserror::Error;

/// Why no tool is written.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    /// Some host would refuse the name.
    #[error("not a name that every host accepts: {1}")]
    Name(String, NameError),
    /// There is something of that name.
    #[error("`{0}` exists already")]
    Exists(PathBuf),
    /// No folder to put it in.
    #[error("the project has no folder of its own tools")]
    NoFolder,
    /// The system says why.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
}

impl Refusal {
    /// The fault to show.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        match self {
            Self::Name(name, error) => {
                let mut diagnostic =
                    diagnostic(Code::Usage).with_subject(name.escape_debug().to_string());
                diagnostic.hints.push(why(error).into());
                let near = mended(name).map(|name| format!("try `{name}`"));
                let near = near.unwrap_or_else(|| "try a name such as `check_facts`".to_owned());
                diagnostic.hint(near)
            }
            Self::Exists(_) => {
                diagnostic(Code::Usage).hint("choose another name, or move the file away first")
            }
            Self::NoFolder => diagnostic(Code::InvalidConfig)
                .hint("add `- local: ./tools` to `tool_sources` in `.cogtoolrc.yaml`")
                .hint("or name a folder with --dir"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("make room or give permission, then run this again")),
        }
    }
}

/// Where the broken rule comes from.
const fn why(error: &NameError) -> &'static str {
    match error {
        NameError::TooLong(_) => {
            "hosts allow 64 characters, and Gemini CLI puts `discovered_tool_` before the name"
        }
        NameError::Character(_) => {
            "OpenAI and Anthropic allow no others; Gemini would take a dot or a colon, they do not"
        }
        NameError::Reserved => {
            "find_tool and call_tool lead to the tools that do not fit into a budget"
        }
        _ => "Gemini allows nothing else at the start",
    }
}

/// The portable name that is nearest to `name`, if anything of it is left.
fn mended(name: &str) -> Option<Name> {
    let portable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let plain: String = name
        .chars()
        .map(|c| if portable(c) { c } else { '_' })
        .collect();
    let plain = plain.trim_matches('_');
    if !plain.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let start = plain.starts_with(|c: char| !c.is_ascii_alphabetic());
    let whole = if start {
        format!("_{plain}")
    } else {
        plain.to_owned()
    };
    Name::new(whole.get(..Name::LENGTH).unwrap_or(&whole)).ok()
}
