//! The pages about tools: the list of them, and what each declares.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use cogtools_core::approval::verdict;
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::source::{RemoteTool, code_points};
use cogtools_core::tool::ToolError;
use cogtools_core::trust::Verdict;
use cogtools_core::{Candidate, Context, Diagnostic, Registry, Target, Tool};
use cogtools_program::Failure;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::{ProjectContext, cached_registry};
use cogtools_program::terminal::{sanitize_json, sanitize_lines};
use serde_json::{Value, json};

use crate::cut;
use crate::graph::graph;
use crate::markdown::Html;
use crate::respond::{Answer, App, PageError, failure};
use crate::tool::child;
use crate::tool::child::{TestRuns, golden_files};

/// The maximum size of a golden file: 16 MiB.
const MAX_GOLDEN_BYTES: u64 = 16 << 20;

/// The page of the tool `name`.
pub(super) fn page(app: &App, name: &str) -> Result<Answer, PageError> {
    let findings = child::findings(app);
    let made = with_file(app, name, |tool, path, cx| {
        let declarations = Target::NAMES.into_iter().filter_map(|name| {
            let declared = Target::parse(name)?.declare(tool);
            Some(json!({"host": name, "text": cut::text(&format!("{declared:#}"))}))
        });
        let annotations = tool.annotations.set();
        let annotations = annotations.map(|(name, set)| json!({"name": name, "set": set}));
        json!({
            "page": "tools",
            "name": tool.name().as_str(),
            "title": tool.title.as_deref(),
            "description": Html::markdown(&tool.description, "description"),
            "file": tool.file().display().to_string(),
            "source": tool.provenance.source,
            "toolset": tool.provenance.toolset,
            "tokens": tool.tokens(),
            "approval": approval(tool, cx),
            "hidden": hidden(tool),
            "annotations": annotations.collect::<Vec<Value>>(),
            "capabilities": tool.capabilities(),
            "declarations": declarations.collect::<Vec<Value>>(),
            "examples": examples(tool, path),
            "tests": app.tests.tests(tool, path),
            "findings": findings.get(&tool.file().display().to_string()),
            "graph": tool.flow().and_then(|flow| graph(flow, &BTreeMap::new())),
            "text": cut::text(tool.source()),
        })
    });
    match made {
        Ok(context) => app.pages.answer("tool.njk", context, app),
        Err(PageError::Failed(diagnostics)) => broken(app, name, diagnostics, findings),
        Err(error) => Err(error),
    }
}

/// The number of lines of the file of a broken tool that are shown.
const MAX_BROKEN_LINES: usize = 500;

/// The page of a tool whose file is wrong: its faults, what else the linter finds, and the file
/// with the places of the faults marked.
fn broken(
    app: &App,
    name: &str,
    diagnostics: Vec<Diagnostic>,
    mut findings: BTreeMap<String, Vec<Value>>,
) -> Result<Answer, PageError> {
    let place = diagnostics.iter().find_map(|one| one.location.as_ref());
    // The text of a file that is neither the project's nor the user's own is not shown.
    let file = with_registry(app, |registry, _| {
        registry.locate(name).map(|file| file.path)
    })?;
    let (Some(place), Ok(path)) = (place.filter(|place| place.text.is_some()), file) else {
        return Err(PageError::Failed(diagnostics));
    };
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_GOLDEN_BYTES).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let is_same = |one: &&Diagnostic, line: usize| {
        let location = one.location.as_ref();
        location.is_some_and(|one| one.file == place.file && one.line == line)
    };
    let lines = text
        .lines()
        .zip(1..)
        .take(MAX_BROKEN_LINES)
        .map(|(line, number)| {
            let found = diagnostics.iter().find(|one| is_same(one, number));
            let Some(place) = found.and_then(|one| one.location.as_ref()) else {
                return json!({"number": number, "before": line});
            };
            let at = |count: usize| {
                let place = line.char_indices().nth(count);
                place.map_or(line.len(), |(index, _)| index)
            };
            let start = at(place.column.saturating_sub(1));
            let end = at(place.column.saturating_sub(1).saturating_add(place.width));
            let (before, marked, after) = (&line[..start], &line[start..end], &line[end..]);
            json!({"number": number, "before": before, "marked": marked, "after": after})
        });
    let lines: Vec<Value> = lines.filter(|_| read.is_ok()).collect();
    let mut findings = findings.remove(&place.file.display().to_string());
    if let Some(findings) = &mut findings {
        // The loader's faults are on the page.
        findings.retain(|it| it["rule"] != "invalid-tool");
    }
    let context = json!({
        "page": "tools",
        "name": name,
        "findings": findings,
        "file": place.file.display().to_string(),
        "line": place.line,
        "failures": diagnostics.iter().map(failure).collect::<Vec<Value>>(),
        "lines": lines,
    });
    let page = app.pages.render("broken.njk", context, app)?;
    Ok(Answer::Html(StatusCode::UNPROCESSABLE_ENTITY, page))
}

fn examples(tool: &Tool, path: &Path) -> Vec<Value> {
    let examples = tool.tests().iter().zip(golden_files(tool, path));
    let example = examples.enumerate().map(|(index, (example, golden))| {
        let name = example.name.as_ref().map(ToString::to_string);
        json!({
            "number": index + 1,
            "name": name.unwrap_or_else(|| format!("Example {}", index + 1)),
            "golden": golden_text(&golden),
            "fails": example.fails.map(cogtools_core::Code::name),
            "text": cut::text(&format!("{:#}", Value::from(example.arguments()))),
        })
    });
    example.collect()
}

/// The text of a golden file, as far as a page shows it.
fn golden_text(path: &Path) -> Option<String> {
    path.symlink_metadata().ok().filter(Metadata::is_file)?;
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_GOLDEN_BYTES).read_to_end(&mut bytes).ok()?;
    Some(cut::text(&String::from_utf8_lossy(&bytes)))
}

/// The data of the form of a tool: its schema and the arguments of its examples.
pub(super) fn form(app: &App, name: &str) -> Result<Answer, PageError> {
    let form = with_tool(app, name, |tool, _| {
        let examples: Vec<Value> = tool
            .tests()
            .iter()
            .map(|example| example.arguments().into())
            .collect();
        json!({"schema": tool.schema.to_json_schema(), "examples": examples})
    })?;
    Ok(Answer::Json(form))
}

/// The faults of arguments, as a call would report them.
pub(super) fn check(app: &App, name: &str, body: Vec<u8>) -> Result<Answer, PageError> {
    let command = command(name, &body);
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
        json!({"failures": failures, "command": command}),
    )))
}

/// The command that makes the call of a form, for a shell.
fn command(name: &str, body: &[u8]) -> String {
    let arguments: BTreeMap<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let words = arguments.iter().map(|(key, value)| {
        // Text that would be read as something else, or cannot be seen, is passed as JSON.
        let is_plain = |text: &&str| {
            !text.is_empty() && !text.starts_with('@') && sanitize_lines(text) == *text
        };
        match value.as_str().filter(is_plain) {
            Some(text) => quoted(&format!("{key}={text}")),
            None => quoted(&format!("{key}:={}", sanitize_json(&value.to_string()))),
        }
    });
    let words: Vec<String> = words.collect();
    format!("cogtools run {} {}", quoted(name), words.join(" "))
        .trim_end()
        .to_owned()
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-.,:=/@%+".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

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
            row["description"] = tool.description.as_str().into();
            row["tokens"] = tool.tokens().into();
            row["tests"] = json!(runs.tests(&tool, &file.path));
            row["approval"] = approval(&tool, cx).into();
            row["hidden"] = hidden(&tool).into();
        }
        Err(error) => {
            let first = error.diagnostics().into_iter().next();
            row["failures"] = first.iter().map(failure).collect();
        }
    }
    row
}

/// The code points of invisible characters that were removed from the texts of a tool.
fn hidden(tool: &Tool) -> Option<String> {
    let hidden = &tool.hidden;
    (!hidden.is_empty()).then(|| code_points(hidden))
}

/// Returns true if a tool may run, in words.
pub(super) fn approval(tool: &Tool, cx: &Context) -> &'static str {
    if !tool.runs_programs() {
        return "needs none";
    }
    let verdict: Result<Verdict, Box<Diagnostic>> = verdict(tool, cx);
    verdict.unwrap_or(Verdict::NotApproved).label()
}

/// Calls `work` with the registry and the context of its tools. Sources that are programs have
/// what they declared before: looking at a page starts nothing.
pub(super) fn with_registry<T>(
    app: &App,
    work: impl FnOnce(&Registry, &Context) -> T,
) -> Result<T, PageError> {
    let done = app.project.with_io(|io| {
        let registry = cached_registry(&RegistryArgs::default(), io)?;
        let context = ProjectContext::load(&RegistryArgs::default(), io)?;
        Ok(work(&registry, &context.context(io)))
    });
    done.map_err(|failure: Failure| PageError::Failed(failure.diagnostics().to_vec()))
}

/// Calls `work` with the tool `name`.
pub(crate) fn with_tool<T>(
    app: &App,
    name: &str,
    work: impl FnOnce(&Tool, &Context) -> T,
) -> Result<T, PageError> {
    with_file(app, name, |tool, _, cx| work(tool, cx))
}

/// Calls `work` with the tool `name` and the path of its file.
pub(super) fn with_file<T>(
    app: &App,
    name: &str,
    work: impl FnOnce(&Tool, &Path, &Context) -> T,
) -> Result<T, PageError> {
    with_registry(app, |registry, cx| {
        let found = registry.find(name);
        let found = found.and_then(|tool| Ok((tool, registry.locate(name)?)));
        match found {
            Ok((tool, file)) => Ok(work(&tool, &file.path, cx)),
            Err(error) => Err(PageError::Failed(error.diagnostics())),
        }
    })?
}

/// A hash of what the tools are: their files, and when these were written.
pub(crate) fn fingerprint(app: &App) -> u64 {
    let mut hasher = DefaultHasher::new();
    let hashed = with_registry(app, |registry, _| {
        for file in registry.files().items {
            file.display_path.hash(&mut hasher);
            let meta = file.path.metadata();
            let written = meta.and_then(|meta| Ok((meta.modified()?, meta.len())));
            written.ok().hash(&mut hasher);
        }
    });
    if let Err(PageError::Failed(diagnostics)) = hashed {
        for diagnostic in diagnostics {
            diagnostic.message.hash(&mut hasher);
        }
    }
    hasher.finish()
}
