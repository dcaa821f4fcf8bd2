//! The tool files of the project, each loaded once for all checks.

use std::path::PathBuf;

use cogtools_core::{Diagnostic, SourceError, Target, Tool};
use cogtools_program::Io;
use cogtools_program::project::unfiltered_registry;
use serde_json::Value;

/// What the project's own files say.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// Every file that wants to be a tool, in the order of sources and names.
    pub(crate) files: Vec<ToolFile>,
    /// Files that an earlier source hides, and what hides them.
    pub(crate) shadowed: Vec<(PathBuf, PathBuf)>,
    /// What is wrong with the configuration, or with a source.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A file that wants to be a tool.
#[derive(Debug)]
pub(crate) struct ToolFile {
    /// Its stem.
    pub(crate) name: String,
    /// The tool, or all that is wrong.
    pub(crate) tool: Result<Tool, Vec<Diagnostic>>,
}

impl Tools {
    /// Loads the tools of the project around `io`'s working directory, as Gemini CLI
    /// is told of them.
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
        let found = registry.map_files(|listed, tool| ToolFile {
            name: listed.name.to_string_lossy().into_owned(),
            tool: tool.map_err(cogtools_core::tool::ToolError::diagnostics),
        });
        Self {
            files: found.items,
            shadowed: found.shadowed,
            diagnostics: found
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

    /// The first of `names` that can be called without harm, and arguments for it:
    /// what runs no program does nothing but answer. One with an example is preferred.
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
