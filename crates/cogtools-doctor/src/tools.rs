//! The tool files of the project, each loaded once for all checks.

use std::borrow::Cow;
use std::path::PathBuf;

use cogtools_core::tool::ToolError;
use cogtools_core::{Diagnostic, SourceError, Target, Tool};
use cogtools_program::Io;
use cogtools_program::project::{config_warnings, unfiltered_registry};
use serde_json::Value;

/// The tool files, and errors found while loading them.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// Every tool file, in the order of sources and names.
    pub(crate) files: Vec<ToolFile>,
    /// Shadowed files, each with the file that shadows it.
    pub(crate) shadowed: Vec<(PathBuf, PathBuf)>,
    /// Errors of the configuration or of a source.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What the configuration contains without effect.
    pub(crate) unmatched: Vec<Diagnostic>,
}

/// A tool file, valid or not.
#[derive(Debug)]
pub(crate) struct ToolFile {
    /// Its stem.
    pub(crate) name: String,
    /// The tool, or why it is not declared to Gemini CLI.
    pub(crate) tool: Result<Tool, Vec<Diagnostic>>,
    /// Whether it is valid, and only the Gemini API rejects it.
    pub(crate) is_rejected: bool,
}

impl ToolFile {
    fn new(name: Cow<'_, str>, loaded: Result<Tool, ToolError>) -> Self {
        let tool = loaded.map_err(ToolError::diagnostics);
        let rejections = tool.as_ref().map(|tool| Target::Gemini.rejections(tool));
        let rejections = rejections.unwrap_or_default();
        let is_rejected = !rejections.is_empty();
        Self {
            name: name.into_owned(),
            tool: if is_rejected { Err(rejections) } else { tool },
            is_rejected,
        }
    }
}

impl Tools {
    /// Loads the tools of the project that contains `io`'s working directory, as
    /// they are declared to Gemini CLI.
    pub(crate) fn load(io: &Io<'_>) -> Self {
        let registry = match unfiltered_registry(io, Some(Target::Gemini)) {
            Ok(registry) => registry,
            Err(failure) => {
                return Self {
                    diagnostics: failure.diagnostics().to_vec(),
                    ..Self::default()
                };
            }
        };
        let loaded =
            registry.map_files(|entry, tool| ToolFile::new(entry.name.to_string_lossy(), tool));
        Self {
            files: loaded.items,
            shadowed: loaded.shadowed,
            unmatched: loaded
                .unmatched
                .into_iter()
                .chain(config_warnings(io))
                .collect(),
            diagnostics: loaded
                .source_errors
                .iter()
                .map(SourceError::diagnostic)
                .collect(),
        }
    }

    /// The tools that can be declared.
    pub(crate) fn valid(&self) -> impl Iterator<Item = &Tool> {
        self.files.iter().filter_map(|file| file.tool.as_ref().ok())
    }

    /// The first of `names` that has no side effects because it runs no program, and
    /// arguments for it. A tool with an example is preferred.
    pub(crate) fn pure_template(&self, names: &[String]) -> Option<(&Tool, String)> {
        let pure: Vec<&Tool> = self
            .valid()
            .filter(|tool| names.iter().any(|name| name == tool.name().as_str()))
            .filter(|tool| !tool.runs_programs())
            .collect();
        let example = |tool: &Tool| Some(Value::Object(tool.examples().next()?).to_string());
        let with_example = pure.iter().find_map(|tool| Some((*tool, example(tool)?)));
        with_example.or_else(|| pure.iter().find_map(|tool| Some((*tool, tool.skeleton()?))))
    }
}
