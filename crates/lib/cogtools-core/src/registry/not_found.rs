//! Names of tools and patterns of filters that are not there, with suggestions.

use std::path::PathBuf;

use super::{Found, Registry};
use crate::hint::{Command, Hint};
use crate::source::{Candidate, SourceError};
use crate::suggest::{did_you_mean, nearest, suggestion};
use crate::tool::ToolError;
use crate::{Code, Diagnostic, Filter, Name, NameError};

/// The number of characters of an invalid name that are shown.
const MAX_NAME_CHARS: usize = 64;

const LIST_HINT: Hint = Hint::run("", Command::Discover, " lists all tools");

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
    /// Makes all diagnostics to show.
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
        let all = self.list_unfiltered();
        let listed = all.entries.into_iter().filter(|it| self.is_listed(it));
        let names = listed.filter_map(|it| it.name.into_string().ok());
        let mut names: Vec<String> = names.collect();
        // An error in one declaration does not affect other names.
        let errors = all.errors.into_iter().filter(|error| !error.is_partial());
        names.sort_unstable();
        names.dedup();
        let nearest = nearest(name.as_str(), names.iter().map(String::as_str));
        let sources = self.sources.iter();
        let wrong_extension = sources.filter_map(|source| source.wrong_extension(name));
        Box::new(NotFound {
            name: name.to_string(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
            wrong_extension: wrong_extension.collect(),
            filtered_out: None,
            source_errors: errors.collect(),
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

/// Reports the patterns of `filters` that match none of the tools that were found before
/// filtering, if all sources could be listed.
pub(super) fn unmatched(filters: &[Filter], found: &Found<Candidate>) -> Vec<Diagnostic> {
    let is_complete = found.source_errors.iter().all(SourceError::is_partial);
    if found.items.is_empty() || !is_complete {
        return Vec::new();
    }
    let tools = found.items.iter().filter_map(|file: &Candidate| {
        Some((file.name.to_str()?, file.provenance.toolset.as_deref()))
    });
    let tools: Vec<(&str, Option<&str>)> = tools.collect();
    let mut diagnostics = Vec::new();
    for (key, pattern) in filters.iter().flat_map(|filter| filter.unmatched(&tools)) {
        let diagnostic = unmatched_pattern(key, &pattern, &tools);
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

fn unmatched_pattern(key: &str, pattern: &str, tools: &[(&str, Option<&str>)]) -> Diagnostic {
    let (noun, mut known): (&str, Vec<&str>) = if key == "toolsets" {
        let toolsets = tools.iter().filter_map(|(_, toolset)| *toolset);
        ("toolset", toolsets.collect())
    } else {
        ("tool", tools.iter().map(|(name, _)| *name).collect())
    };
    known.sort_unstable();
    known.dedup();
    let message = format!("the pattern `{pattern}` in `{key}` of a filter matches no {noun}");
    let plain = pattern.replace(['*', '?'], "");
    let hint = did_you_mean(&plain, known)
        .unwrap_or_else(|| format!("correct it, or remove it from `{key}`"));
    Diagnostic::new(Code::InvalidConfig, message).hint(hint)
}
