//! Why a tool was not created, with hints.

use std::path::PathBuf;

use cogtools_core::file::WriteError;
use cogtools_core::{Code, Diagnostic, Name, NameError};
use thiserror::Error;

/// Why a tool was not created.
#[derive(Debug, Error)]
pub(crate) enum NewError {
    /// A host would refuse the name.
    #[error("not a name that all hosts accept: {1}")]
    Name(String, NameError),
    /// The file exists.
    #[error("`{0}` already exists")]
    Exists(PathBuf),
    /// The project has no local source.
    #[error("the project has no local folder of tools")]
    NoFolder,
    /// A system error.
    #[error("`{0}` cannot be written: {1}")]
    Unwritable(PathBuf, WriteError),
}

impl NewError {
    /// The error as a diagnostic with hints.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let diagnostic = |code| Diagnostic::new(code, self.to_string());
        match self {
            Self::Name(name, error) => {
                let mut diagnostic =
                    diagnostic(Code::Usage).with_subject(name.escape_debug().to_string());
                diagnostic.hints.push(reason(error).into());
                let suggestion = nearest_name(name).map(|name| format!("try `{name}`"));
                let suggestion =
                    suggestion.unwrap_or_else(|| "try a name such as `check_facts`".to_owned());
                diagnostic.hint(suggestion)
            }
            Self::Exists(_) => {
                diagnostic(Code::Usage).hint("choose another name, or move the file away first")
            }
            Self::NoFolder => diagnostic(Code::InvalidConfig)
                .hint("add `- local: ./tools` to `tool_sources` in `.cogtoolrc.yaml`")
                .hint("or name a folder with --dir"),
            Self::Unwritable(_, error) => diagnostic(Code::IoFailed)
                .hint(error.hint("free disk space or grant permission, then run this again")),
        }
    }
}

/// The hosts that impose the violated rule.
const fn reason(error: &NameError) -> &'static str {
    match error {
        NameError::TooLong(_) => {
            "hosts allow 64 characters, and Gemini CLI puts `discovered_tool_` before the name"
        }
        NameError::Character(_) => {
            "OpenAI and Anthropic allow no others; only Gemini also accepts a dot or a colon"
        }
        NameError::Reserved => {
            "find_tool and call_tool give access to tools that do not fit into a budget"
        }
        _ => "Gemini accepts nothing else as the first character",
    }
}

/// The portable name that is nearest to `name`, if any characters remain.
fn nearest_name(name: &str) -> Option<Name> {
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
    Name::new(whole.get(..Name::MAX_LENGTH).unwrap_or(&whole)).ok()
}
