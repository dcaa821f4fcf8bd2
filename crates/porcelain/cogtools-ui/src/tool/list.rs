//! The list of tools: what each costs, whether it may run, and what is wrong with it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use cogtools_core::approval::verdict;
use cogtools_core::source::RemoteTool;
use cogtools_core::tool::ToolError;
use cogtools_core::trust::Verdict;
use cogtools_core::{Candidate, Context, Diagnostic, Tool};
use serde_json::{Value, json};

use super::catalogue::with_registry;
use super::child;
use super::tests::TestRuns;
use crate::app::App;
use crate::respond::{Answer, PageError, failure};

/// The page, with the tools whose name or description has `search` in it.
pub(super) fn list(app: &App, search: &str) -> Result<Answer, PageError> {
    let findings = child::findings(app);
    let (mut rows, errors) = with_registry(app, |registry, cx| {
        let found = registry.map_files(|file, tool| row(file, tool, &app.tests, cx));
        let mut shadowed: HashMap<PathBuf, Vec<String>> = HashMap::new();
        for hidden in &found.shadowed {
            let files = shadowed.entry(hidden.winner.clone()).or_default();
            files.push(hidden.file.display().to_string());
        }
        let mut rows = found.items;
        for row in &mut rows {
            let file = row["file"].as_str().unwrap_or_default();
            let shadows = json!(shadowed.get(Path::new(file)));
            let count = json!(findings.get(file).map(Vec::len));
            row["shadows"] = shadows;
            row["findings"] = count;
        }
        let errors = found
            .source_errors
            .iter()
            .map(|error| failure(&error.diagnostic()));
        (rows, errors.collect::<Vec<Value>>())
    })?;
    let total = rows.len();
    let tokens: u64 = rows.iter().filter_map(|row| row["tokens"].as_u64()).sum();
    let wanted = search.trim().to_lowercase();
    rows.retain(|row| {
        let texts = ["name", "description", "toolset"].map(|key| row[key].as_str());
        let mut texts = texts.into_iter().flatten();
        texts.any(|text| text.to_lowercase().contains(&wanted))
    });
    let context = json!({
        "page": "tools",
        "tools": rows,
        "total": total,
        "tokens": tokens,
        "search": search,
        "errors": errors,
    });
    app.pages.answer("tools.njk", context, app)
}

fn row(file: &Candidate, tool: Result<Tool, ToolError>, runs: &TestRuns, cx: &Context) -> Value {
    let mut row = json!({
        "name": file.name.to_string_lossy(),
        "toolset": file.provenance.toolset,
        "source": file.provenance.source,
        "file": file.display_path.display().to_string(),
    });
    let repairs = file.remote().map(RemoteTool::repairs);
    let repairs = repairs.filter(|repairs| !repairs.is_empty());
    row["repaired"] = json!(repairs.map(|repairs| repairs.to_string()));
    match tool {
        Ok(tool) => {
            row["description"] = tool.description().into();
            row["tokens"] = tool.tokens().into();
            row["tests"] = json!(runs.tests(&tool, &file.path));
            row["approval"] = approval(&tool, cx).into();
        }
        Err(error) => {
            let first = error.diagnostics().into_iter().next();
            row["failures"] = first.iter().map(failure).collect();
        }
    }
    row
}

/// Whether a tool may run, in words.
pub(super) fn approval(tool: &Tool, cx: &Context) -> &'static str {
    if !tool.runs_programs() {
        return "needs none";
    }
    let verdict: Result<Verdict, Box<Diagnostic>> = verdict(tool, cx);
    verdict.unwrap_or(Verdict::NotApproved).label()
}
