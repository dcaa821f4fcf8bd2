//! One tool file of the list.

use std::path::PathBuf;

use cogtools_core::approval::verdict;
use cogtools_core::source::RemoteTool;
use cogtools_core::tool::ToolError;
use cogtools_core::trust::Verdict;
use cogtools_core::{Candidate, Code, Context, Diagnostic, Target, Tool};
use cogtools_program::render_hints;
use serde_json::{Map, Value, json};

use crate::list::shown;

/// A tool file, valid or not.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) toolset: Option<String>,
    pub(crate) source: String,
    pub(crate) file: PathBuf,
    /// The files that this one shadows.
    pub(crate) shadows: Vec<PathBuf>,
    /// Whether it may run programs; `None` if it runs none.
    pub(crate) approval: Option<Verdict>,
    /// What is repaired in the declaration, if anything is.
    pub(crate) repaired: Option<String>,
    /// Its cost in tokens, or its first error.
    pub(crate) cost: Result<usize, Box<Diagnostic>>,
}

/// The cost of all tools together, in tokens.
pub(crate) fn total(rows: &[Row]) -> usize {
    rows.iter().filter_map(|row| row.cost.as_ref().ok()).sum()
}

impl Row {
    pub(crate) fn new(file: &Candidate, tool: Result<Tool, ToolError>, cx: &Context) -> Self {
        let runs_programs = tool.as_ref().ok().filter(|tool| tool.runs_programs());
        // What prevents an answer also prevents the approval.
        let approval = runs_programs.map(|tool| verdict(tool, cx).unwrap_or(Verdict::NotApproved));
        let repaired = repaired(file, tool.as_ref().ok());
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
            approval,
            repaired,
            cost,
        }
    }

    /// A built-in tool.
    pub(crate) fn built_in(tool: &Tool) -> Self {
        const BUILT_IN: &str = "(built in)";
        Self {
            name: tool.name().to_string(),
            toolset: None,
            source: BUILT_IN.to_owned(),
            file: PathBuf::from(BUILT_IN),
            shadows: Vec::new(),
            approval: None,
            repaired: None,
            cost: Ok(tool.tokens()),
        }
    }

    /// The notes, on one line.
    pub(crate) fn notes(&self) -> String {
        let mut notes = Vec::new();
        if let Err(diagnostic) = &self.cost {
            let position = diagnostic
                .location
                .as_ref()
                .map(|location| format!("{}:{}: ", location.line, location.column))
                .unwrap_or_default();
            notes.push(format!("invalid: {position}{}", diagnostic.message));
        }
        match self.approval {
            Some(Verdict::NotApproved) => notes.push("not approved".to_owned()),
            Some(Verdict::Changed) => notes.push("changed since its approval".to_owned()),
            Some(Verdict::Approved) | None => {}
        }
        if let Some(repaired) = &self.repaired {
            notes.push(format!("repaired: {repaired}"));
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
            Err(diagnostic) => object.insert("fault".into(), diagnostic_json(diagnostic)),
        };
        if let Some(verdict) = self.approval {
            object.insert("approval".into(), verdict.label().into());
        }
        if let Some(repaired) = &self.repaired {
            object.insert("repaired".into(), repaired.clone().into());
        }
        let shadows: Vec<String> = self.shadows.iter().map(|file| shown(file)).collect();
        object.insert("shadows".into(), shadows.into());
        Value::Object(object)
    }
}

/// How many names are noted, and how much of each: their author is a stranger.
const MAX_NAMES: usize = 20;
const MAX_NAME_CHARS: usize = 40;

/// What is repaired in the declaration of a provider's tool, and what some hosts do not get of it.
fn repaired(file: &Candidate, tool: Option<&Tool>) -> Option<String> {
    let repairs = file.remote().map(RemoteTool::repairs);
    let repairs = repairs.filter(|repairs| !repairs.is_empty());
    let mut parts: Vec<String> = repairs.iter().map(ToString::to_string).collect();
    let names = tool.map(|tool| Target::Gemini.left_out(tool));
    let names: Vec<String> = names
        .into_iter()
        .flatten()
        .take(MAX_NAMES)
        .map(|name| name.chars().take(MAX_NAME_CHARS).collect())
        .collect();
    if !names.is_empty() {
        parts.push(format!("left out for gemini {}", names.join(", ")));
    }
    if tool.is_some_and(|tool| Target::OpenAi.cuts_description(tool)) {
        parts.push("cut for openai description".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let mut json = json!({"code": diagnostic.code.name(), "message": diagnostic.message});
    if let Some(location) = &diagnostic.location {
        json["line"] = location.line.into();
        json["column"] = location.column.into();
    }
    json["hints"] = render_hints(&diagnostic.hints).into();
    json
}
