//! A tool that is not available, with suggestions.

use std::path::PathBuf;

use crate::hint::{Command, Hint};
use crate::source::SourceError;
use crate::suggest::suggestion;
use crate::tool::ToolError;
use crate::{Code, Diagnostic, NameError};

/// A name that no source has, with suggestions.
#[derive(Debug)]
pub struct NotFound {
    /// The name.
    pub name: String,
    /// Similar names.
    pub nearest: Vec<String>,
    /// Files of that name with another extension.
    pub wrong_extension: Vec<PathBuf>,
    /// The file of such a tool that a filter excludes.
    pub filtered_out: Option<PathBuf>,
    /// Errors of sources that could not be searched.
    pub source_errors: Vec<SourceError>,
}

/// Why a tool is not available.
#[derive(Debug)]
pub enum FindError {
    /// The name is not valid.
    InvalidName(String, NameError),
    /// No source has it.
    NotFound(NotFound),
    /// Its file is invalid.
    Invalid(ToolError),
}

impl FindError {
    /// All diagnostics to show.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::InvalidName(name, error) => {
                let mut subject: String = name.chars().take(MAX_NAME_CHARS).collect();
                if subject.len() < name.len() {
                    subject.push('…');
                }
                let diagnostic =
                    Diagnostic::new(Code::ToolNotFound, format!("invalid tool name: {error}"));
                vec![
                    diagnostic
                        .with_subject(subject.escape_debug().to_string())
                        .hint(LIST_HINT),
                ]
            }
            Self::NotFound(not_found) => not_found.diagnostics(),
            Self::Invalid(error) => error.diagnostics(),
        }
    }
}

impl NotFound {
    fn diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostic = Diagnostic::new(Code::ToolNotFound, "no such tool");
        if let Some(file) = &self.filtered_out {
            let file = file.display();
            diagnostic = diagnostic.hint(format!(
                "a filter excludes `{file}`: an option such as --exclude, or `filter` or \
                 `hosts` in the configuration"
            ));
        }
        for file in &self.wrong_extension {
            let file = file.display();
            diagnostic = diagnostic.hint(format!("`{file}` is ignored: tool files end in `.yaml`"));
        }
        diagnostic
            .hints
            .extend(suggestion(&self.nearest).map(Hint::from));
        let source_errors = self.source_errors.iter().map(SourceError::diagnostic);
        std::iter::once(diagnostic.with_subject(self.name).hint(LIST_HINT))
            .chain(source_errors)
            .collect()
    }
}

/// How many characters of an invalid name are shown.
const MAX_NAME_CHARS: usize = 64;

const LIST_HINT: Hint = Hint::run("", Command::Discover, " lists all tools");
