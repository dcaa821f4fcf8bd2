//! One tool file of the list.

use std::path::PathBuf;

use cogtools_core::tool::ToolError;
use cogtools_core::{Candidate, Code, Diagnostic, Tool};
use cogtools_program::render_hints;
use serde_json::{Map, Value, json};

use crate::shown;

/// A tool file, whether it is a tool or not.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) toolset: Option<String>,
    pub(crate) source: String,
    pub(crate) file: PathBuf,
    /// The files that nobody gets to because of this one.
    pub(crate) shadows: Vec<PathBuf>,
    /// What it costs the model, in tokens, or the first thing that is wrong.
    pub(crate) cost: Result<usize, Box<Diagnostic>>,
}

/// What all tools together cost the model, in tokens.
pub(crate) fn total(rows: &[Row]) -> usize {
    rows.iter().filter_map(|row| row.cost.as_ref().ok()).sum()
}

impl Row {
    pub(crate) fn new(file: &Candidate, tool: Result<Tool, ToolError>) -> Self {
        let cost = tool.map(|tool| tool.tokens()).map_err(|error| {
            let first = error.diagnostics().into_iter().next();
            Box::new(first.unwrap_or_else(|| Diagnostic::new(Code::InvalidTool, "not a tool")))
        });
        Self {
            name: file.name.to_string_lossy().into_owned(),
            toolset: file.provenance.toolset.clone(),
            source: file.provenance.source.clone(),
            file: file.display_path.clone(),
            shadows: Vec::new(),
            cost,
        }
    }

    /// A tool that comes with cogtools.
    pub(crate) fn built_in(tool: &Tool) -> Self {
        const PLACE: &str = "(built in)";
        Self {
            name: tool.name().to_string(),
            toolset: None,
            source: PLACE.to_owned(),
            file: PathBuf::from(PLACE),
            shadows: Vec::new(),
            cost: Ok(tool.tokens()),
        }
    }

    /// What else there is to say, on one line.
    pub(crate) fn notes(&self) -> String {
        let mut notes = Vec::new();
        if let Err(diagnostic) = &self.cost {
            let place = diagnostic
                .location
                .as_ref()
                .map(|place| format!("{}:{}: ", place.line, place.column));
            let place = place.unwrap_or_default();
            notes.push(format!("broken: {place}{}", diagnostic.message));
        }
        if !self.shadows.is_empty() {
            let files: Vec<String> = self.shadows.iter().map(|file| shown(file)).collect();
            notes.push(format!("shadows {}", files.join(", ")));
        }
        notes.join("; ")
    }

    pub(crate) fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("name".into(), self.name.clone().into());
        object.insert("toolset".into(), self.toolset.clone().into());
        object.insert("source".into(), self.source.clone().into());
        object.insert("file".into(), shown(&self.file).into());
        match &self.cost {
            Ok(tokens) => object.insert("tokens".into(), (*tokens).into()),
            Err(diagnostic) => object.insert("fault".into(), said(diagnostic)),
        };
        let shadows: Vec<String> = self.shadows.iter().map(|file| shown(file)).collect();
        object.insert("shadows".into(), shadows.into());
        Value::Object(object)
    }
}

fn said(diagnostic: &Diagnostic) -> Value {
    let mut said = json!({"code": diagnostic.code.name(), "message": diagnostic.message});
    if let Some(place) = &diagnostic.location {
        said["line"] = place.line.into();
        said["column"] = place.column.into();
    }
    said["hints"] = render_hints(&diagnostic.hints).into();
    said
}
