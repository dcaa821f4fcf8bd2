//! A tool: what it declares, and to whom.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;

use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{Target, Tool};
use serde_json::{Value, json};

use super::catalogue::{with_file, with_tool};
use super::child;
use super::list::approval;
use super::tests::golden_files;
use crate::app::App;
use crate::cut;
use crate::graph::graph;
use crate::respond::{Answer, PageError, failure};

/// The maximum size of a golden file: 16 MiB.
const MAX_GOLDEN_BYTES: u64 = 16 << 20;

/// The page of the tool `name`.
pub(super) fn page(app: &App, name: &str) -> Result<Answer, PageError> {
    let findings = child::findings(app);
    let context = with_file(app, name, |tool, path, cx| {
        let declarations = Target::NAMES.into_iter().filter_map(|name| {
            let declared = Target::parse(name)?.declare(tool);
            Some(json!({"host": name, "text": cut::text(&format!("{declared:#}"))}))
        });
        let annotations = tool.annotations().set();
        let annotations = annotations.map(|(name, set)| json!({"name": name, "set": set}));
        json!({
            "page": "tools",
            "name": tool.name().as_str(),
            "title": tool.title(),
            "description": tool.description(),
            "file": tool.file().display().to_string(),
            "source": tool.provenance().source,
            "toolset": tool.provenance().toolset,
            "tokens": tool.tokens(),
            "approval": approval(tool, cx),
            "annotations": annotations.collect::<Vec<Value>>(),
            "capabilities": tool.capabilities(),
            "declarations": declarations.collect::<Vec<Value>>(),
            "examples": examples(tool, path),
            "tests": app.tests.tests(tool, path),
            "findings": findings.get(&tool.file().display().to_string()),
            "graph": tool.flow().and_then(|flow| graph(flow, &BTreeMap::new())),
            "text": cut::text(tool.source()),
        })
    })?;
    app.pages.answer("tool.njk", context, app)
}

fn examples(tool: &Tool, path: &Path) -> Vec<Value> {
    let examples = tool.tests().iter().zip(golden_files(tool, path));
    let example = examples.enumerate().map(|(index, (example, golden))| {
        let name = example.name().map(ToString::to_string);
        json!({
            "number": index + 1,
            "name": name.unwrap_or_else(|| format!("Example {}", index + 1)),
            "golden": golden_text(&golden),
            "fails": example.fails().map(cogtools_core::Code::name),
            "text": cut::text(&format!("{:#}", Value::from(example.arguments()))),
        })
    });
    example.collect()
}

/// What a golden file has, as far as a page shows it.
fn golden_text(path: &Path) -> Option<String> {
    path.symlink_metadata().ok().filter(Metadata::is_file)?;
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_GOLDEN_BYTES).read_to_end(&mut bytes).ok()?;
    Some(cut::text(&String::from_utf8_lossy(&bytes)))
}

/// What the form of a tool is made from: its schema and the arguments of its examples.
pub(super) fn form(app: &App, name: &str) -> Result<Answer, PageError> {
    let form = with_tool(app, name, |tool, _| {
        let examples: Vec<Value> = tool
            .tests()
            .iter()
            .map(|example| example.arguments().into())
            .collect();
        json!({"schema": tool.schema().to_json_schema(), "examples": examples})
    })?;
    Ok(Answer::Json(form))
}

/// What is wrong with arguments: the same as a call would say.
pub(super) fn check(app: &App, name: &str, body: Vec<u8>) -> Result<Answer, PageError> {
    let failures = with_tool(app, name, |tool, _| {
        let arguments = match Arguments::read(body, Syntax::Json) {
            Ok(arguments) => arguments,
            Err(error) => return vec![failure(&error.diagnostic())],
        };
        let accepted = tool.accept(arguments).map(drop);
        let diagnostics = accepted.map_err(|error| error.diagnostics(tool));
        let diagnostics = diagnostics.err().unwrap_or_default();
        diagnostics.iter().map(failure).collect::<Vec<Value>>()
    })?;
    Ok(Answer::Json(crate::page::visible(
        json!({"failures": failures}),
    )))
}
