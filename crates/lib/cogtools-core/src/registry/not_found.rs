//! A tool that is not available, with suggestions.

use std::path::PathBuf;

use super::Registry;
use crate::hint::{Command, Hint};
use crate::source::SourceError;
use crate::suggest::{nearest, suggestion};
use crate::tool::ToolError;
use crate::{Code, Diagnostic, Name, NameError};

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
    /// Errors of the configuration, parts of which were left out.
    pub config_errors: Vec<Diagnostic>,
}

/// Why a tool is not available.
#[derive(Debug)]
pub enum FindError {
    /// The name is not valid.
    InvalidName(String, NameError),
    /// No source has it.
    NotFound(Box<NotFound>),
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

impl Registry {
    /// Describes a name that no source has, with suggestions.
    pub(super) fn explain_missing(&self, name: &Name) -> Box<NotFound> {
        let mut names: Vec<String> = Vec::new();
        let mut source_errors = Vec::new();
        self.prefetch_providers();
        for source in &self.sources {
            let listing = source.list(&self.cx);
            let listed = listing.entries.into_iter();
            names.extend(
                listed
                    .filter(|candidate| self.is_listed(candidate))
                    .filter_map(|candidate| candidate.name.into_string().ok()),
            );
            // An error in one declaration does not affect other names.
            let errors = listing.errors.into_iter();
            source_errors.extend(errors.filter(|error| !error.is_partial()));
        }
        names.sort_unstable();
        names.dedup();
        let nearest = nearest(name.as_str(), names.iter().map(String::as_str));
        let wrong_extension = self
            .sources
            .iter()
            .filter_map(|source| source.wrong_extension(name));
        Box::new(NotFound {
            name: name.to_string(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
            wrong_extension: wrong_extension.collect(),
            filtered_out: None,
            source_errors,
            config_errors: self.config_errors.clone(),
        })
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
            .chain(self.config_errors)
            .collect()
    }
}

/// How many characters of an invalid name are shown.
const MAX_NAME_CHARS: usize = 64;

const LIST_HINT: Hint = Hint::run("", Command::Discover, " lists all tools");
