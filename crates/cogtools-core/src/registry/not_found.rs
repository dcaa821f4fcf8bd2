//! A tool that cannot be had, and what may have been meant.

use std::path::PathBuf;

use crate::hint::{Command, Hint};
use crate::source::SourceError;
use crate::suggest::one_of;
use crate::tool::ToolError;
use crate::{Code, Diagnostic, NameError};

/// A name that no source has a tool for, and what may have been meant.
#[derive(Debug)]
pub struct NotFound {
    /// The name.
    pub name: String,
    /// Names that come near.
    pub near: Vec<String>,
    /// Files of that name that do not end as tool files do.
    pub misnamed: Vec<PathBuf>,
    /// The file of such a tool that a filter leaves out.
    pub filtered: Option<PathBuf>,
    /// Sources that could not be looked through.
    pub unlisted: Vec<SourceError>,
}

/// Why a tool cannot be had.
#[derive(Debug)]
pub enum FindError {
    /// No tool can have that name.
    InvalidName(String, NameError),
    /// No source has it.
    NotFound(NotFound),
    /// Its file is not a tool.
    Invalid(ToolError),
}

impl FindError {
    /// All that is to be shown.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::InvalidName(name, error) => {
                let mut shown: String = name.chars().take(SHOWN).collect();
                if shown.len() < name.len() {
                    shown.push('…');
                }
                let diagnostic = Diagnostic::new(
                    Code::ToolNotFound,
                    format!("not the name of a tool: {error}"),
                );
                vec![
                    diagnostic
                        .with_subject(shown.escape_debug().to_string())
                        .hint(LIST),
                ]
            }
            Self::NotFound(absent) => absent.diagnostics(),
            Self::Invalid(error) => error.diagnostics(),
        }
    }
}

impl NotFound {
    fn diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostic = Diagnostic::new(Code::ToolNotFound, "no tool of that name is here");
        if let Some(file) = &self.filtered {
            let file = file.display();
            diagnostic = diagnostic.hint(format!(
                "`{file}` is one, but a filter leaves it out: an option such as --exclude, or \
                 `filter` or `hosts` of the configuration"
            ));
        }
        for file in &self.misnamed {
            let file = file.display();
            diagnostic =
                diagnostic.hint(format!("`{file}` is not read: tool files end in `.yaml`"));
        }
        diagnostic.hints.extend(one_of(&self.near).map(Hint::from));
        let diagnostic = diagnostic.with_subject(self.name).hint(LIST);
        let unlisted = self.unlisted.iter().map(SourceError::diagnostic);
        std::iter::once(diagnostic).chain(unlisted).collect()
    }
}

/// How many characters of a name that cannot be one are shown.
const SHOWN: usize = 64;

const LIST: Hint = Hint::run("", Command::Discover, " prints the tools there are");
