//! Tool files that are invalid or shadowed, and references to missing tools.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::environment::refusal;
use cogtools_core::file::{ReadScope, WritePath};
use cogtools_core::process::Exit;
use cogtools_core::source::Skills;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::text::Text;
use cogtools_core::{Diagnostic, Name, Tool};
use cogtools_program::call::quote;
use cogtools_program::documents::{DOCUMENTS, Document};
use cogtools_program::render_hint;
use serde_json::Value;

use super::selection::texts;
use crate::context::Context;
use crate::finding::{Finding, Remedy};
use crate::host::Host;
use crate::program::{install_command, run};
use crate::tools::{StrayKind, ToolFile};

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut valid = 0;
    for file in &cx.tools.files {
        let (diagnostics, consequence) = match &file.tool {
            Ok(tool) => {
                let diagnostics: Vec<Diagnostic> =
                    tool.check_implementation().into_iter().collect();
                (diagnostics, "every call of the tool fails")
            }
            Err(diagnostics) if file.is_rejected => {
                (diagnostics.clone(), "Gemini CLI does not see the tool")
            }
            Err(diagnostics) => (diagnostics.clone(), "no host sees the tool"),
        };
        valid += usize::from(diagnostics.is_empty());
        if file.is_dangling {
            let path = file.display_path.display().to_string();
            let message = format!("{path} is a link to a file that does not exist: {consequence}");
            findings.push(Finding::problem(message).fix(format!("rm {}", quote(&path))));
            continue;
        }
        if let [first, more @ ..] = diagnostics.as_slice() {
            findings.push(invalid_tool(first, more.len(), consequence, cx));
        }
    }
    for file in &cx.tools.files {
        findings.extend(uncallable(file, cx));
    }
    let strays = cx.tools.stray_files.iter();
    for file in strays.filter(|file| file.kind != StrayKind::Configuration) {
        findings.push(Finding::warning(file.message()).remedy(file.remedy()));
    }
    findings.extend(cx.tools.valid().filter_map(invalid_example));
    for shadowed in &cx.tools.shadowed {
        let (hidden, winner) = (shadowed.file.display(), shadowed.winner.display());
        let message = format!("{hidden} is shadowed by {winner}, which has the same name");
        let finding = Finding::warning(message).hint(format!("rename or remove {hidden}"));
        findings.push(finding.omitting(shadowed.omission.as_ref()));
    }
    findings.extend(missing_tools(cx));
    findings.extend(documents(cx));
    findings.extend(skills(cx));
    let count = match valid {
        1 => "1 tool is valid".to_owned(),
        valid => format!("{valid} tools are valid"),
    };
    findings.insert(0, Finding::ok(count));
    findings
}

/// Why calls of a valid tool fail, or fail in one way.
fn uncallable(file: &ToolFile, cx: &Context) -> Option<Finding> {
    const CONSEQUENCE: &str = "every call of the tool fails";
    let path = file.display_path.display().to_string();
    if !file.unset_variables.is_empty() {
        let names = file.unset_variables.join(", ");
        let message = format!("{path} needs what is not set: {names}: {CONSEQUENCE}");
        return Some(Finding::problem(message).hint(assignment(&file.unset_variables)));
    }
    if let Some(diagnostic) = &file.unstartable {
        let message = format!("{path}: {}: {CONSEQUENCE}", diagnostic.message);
        let problem = Finding::problem(message).remedy(Remedy::of(diagnostic));
        let program = file.tool.as_ref().ok().and_then(program_of);
        let command = program.and_then(|name| install_command(&name, &cx.host));
        return Some(problem.remedy(command.map(Remedy::Command)));
    }
    file.lacks_permission.then(|| {
        let message = format!("{path} begins with `#!` but is not executable");
        Finding::warning(message).fix(format!("chmod +x {}", quote(&path)))
    })
}

/// The program that `tool` starts, if it is the same in every call.
fn program_of(tool: &Tool) -> Option<String> {
    tool.command_line()?.words.into_iter().next()?.literal
}

/// The template of a command that sets `names`, whose values only the user knows: in the
/// project's `.env` unless that may not.
fn assignment(names: &[String]) -> String {
    let is_refused = names.iter().any(|name| refusal(name).is_some());
    let values = names.iter().map(|name| format!("{name}=…"));
    let values: Vec<String> = values.collect();
    if is_refused {
        format!("set them: export {}", values.join(" "))
    } else {
        // The file may end without a line end.
        format!("set them: printf '\\n{}\\n' >> .env", values.join("\\n"))
    }
}

/// The first error of a file, and the number of `more`, which the linter reports.
fn invalid_tool(diagnostic: &Diagnostic, more: usize, consequence: &str, cx: &Context) -> Finding {
    let line = diagnostic.summary();
    let message = match more {
        0 => format!("{line}: {consequence}"),
        more => format!("{line} (and {more} more): {consequence}"),
    };
    let file = diagnostic.location.as_ref().map_or_else(
        || diagnostic.subject.clone(),
        |location| location.file.display().to_string(),
    );
    let problem = Finding::problem(message).omitting(diagnostic.omission.as_deref());
    // A tool of a provider has no file to lint.
    let is_file = cx.host.cwd.join(&file).is_file();
    if is_file && fixes_all(&file, &cx.host) {
        return problem.fix(format!("cogtools lint --fix {}", quote(&file)));
    }
    let lint = is_file.then(|| format!("cogtools lint {} shows all of it", quote(&file)));
    let hint = diagnostic
        .hints
        .first()
        .map(|it| render_hint(it).into_owned());
    let advice: Vec<String> = hint.into_iter().chain(lint).collect();
    problem.hint(advice.join("; "))
}

/// An example that the tool itself rejects; models copy it all the same.
fn invalid_example(tool: &Tool) -> Option<Finding> {
    let diagnostics = tool.check_examples();
    let line = diagnostics.first()?.summary();
    let file = tool.file().display();
    Some(Finding::warning(line).hint(format!("correct the example in {file}")))
}

/// The settings lists that name tools.
const LISTS: [&str; 4] = [
    "tools.allowed",
    "tools.exclude",
    "allowedTools",
    "excludeTools",
];
/// The documents that models and people read first.
const READ_FIRST: [&str; 5] = [
    "README.md",
    "GEMINI.md",
    "AGENTS.md",
    "CLAUDE.md",
    "tools/README.md",
];

fn missing_tools(cx: &Context) -> Vec<Finding> {
    let file_names = cx.tools.files.iter().map(|file| file.name.clone());
    let mut names: Vec<String> = file_names.chain(cx.names()).collect();
    names.sort_unstable();
    names.dedup();
    let mut findings = in_lists(&names, cx);
    for document in READ_FIRST {
        let file: PathBuf = document.split('/').collect();
        findings.extend(in_document(&file, &names, cx.root()));
    }
    findings
}

/// Names in lists. A user's list may cover many projects, so a list that names none
/// of this project's tools is ignored.
fn in_lists(names: &[String], cx: &Context) -> Vec<Finding> {
    let prefix = cx.gemini.prefix();
    let mut lists: Vec<(String, Vec<&str>)> = Vec::new();
    for file in &cx.gemini.settings.files {
        for key in LISTS {
            let entries = file.get(key).map(texts).unwrap_or_default();
            lists.push((cx.gemini.paths.display_path(&file.path), entries));
        }
    }
    let mut previous = None;
    for rule in &cx.gemini.policies.rules {
        let position = Some((&rule.file, rule.index));
        match lists.last_mut() {
            Some((_, entries)) if position == previous => entries.push(&rule.tool),
            _ => lists.push((cx.gemini.paths.display_path(&rule.file), vec![&rule.tool])),
        }
        previous = position;
    }
    let mut findings = Vec::new();
    for (file, entries) in lists {
        let tools: Vec<&str> = entries
            .iter()
            .filter_map(|entry| entry.strip_prefix(prefix.as_str()))
            .filter(|name| !prefix.is_empty() && Name::new(name).is_ok())
            .collect();
        let exists = |tool: &&str| names.iter().any(|name| name == tool);
        if tools.iter().any(exists) {
            let missing = tools.into_iter().filter(|tool| !exists(tool));
            findings.extend(missing.map(|tool| missing_tool(tool, &file, names)));
        }
    }
    findings
}

/// Names in the first column of tables with the header `Tool`.
fn in_document(file: &Path, names: &[String], root: &Path) -> Vec<Finding> {
    let Ok(text) = Text::read(&root.join(file), file, &ReadScope::project(root)) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut in_tool_table = false;
    for line in text.as_str().lines() {
        let Some(row) = line.trim().strip_prefix('|') else {
            in_tool_table = false;
            continue;
        };
        let cell = row.split('|').next().unwrap_or_default().trim();
        if matches!(cell.to_lowercase().as_str(), "tool" | "tools") {
            in_tool_table = true;
            continue;
        }
        let quoted = cell.split('`').nth(1).filter(|_| in_tool_table);
        let missing = quoted.filter(|name| !names.iter().any(|known| known == name));
        if let Some(tool) = missing.filter(|name| Name::new(name).is_ok()) {
            findings.push(missing_tool(tool, &file.display().to_string(), names));
        }
    }
    findings
}

fn missing_tool(tool: &str, file: &str, names: &[String]) -> Finding {
    let suggestion = did_you_mean(tool, names.iter().map(String::as_str));
    let message = format!("{file} names the tool `{tool}`, which does not exist");
    let fix = suggestion.map_or_else(
        || format!("remove `{tool}` from {file}"),
        |suggestion| format!("correct {file}: {suggestion}"),
    );
    Finding::warning(message).hint(fix)
}

/// The state of the tables of tools, if there are some.
fn documents(cx: &Context) -> Option<Finding> {
    let files = DOCUMENTS.map(PathBuf::from).into_iter();
    current(cx, "the table of tools is", "docs", files)
}

/// The state of the skills that cogtools has written, if there are some.
fn skills(cx: &Context) -> Option<Finding> {
    let entries = fs::read_dir(cx.root().join(Skills::FOLDER))
        .into_iter()
        .flatten();
    let folders = entries.flatten().filter(|entry| entry.path().is_dir());
    let folders = folders.map(|folder| Path::new(Skills::FOLDER).join(folder.file_name()));
    let mut files: Vec<PathBuf> = folders.map(|folder| folder.join("SKILL.md")).collect();
    files.sort();
    current(cx, "skills are", "skill", files.into_iter())
}

/// Reports by `cogtools COMMAND --check` if what cogtools has written into `files` is current.
fn current(
    cx: &Context,
    what: &str,
    command: &str,
    files: impl Iterator<Item = PathBuf>,
) -> Option<Finding> {
    let files = files.filter(|file| has_table(cx.root(), file));
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    if files.is_empty() {
        return None;
    }
    let output = run(&cx.host.cogtools(), [command, "--check"], b"", &cx.host).ok()?;
    let files = files.join(", ");
    let Exit::Status(status) = output.exit else {
        return None;
    };
    match status.code() {
        Some(0) => Some(Finding::ok(format!("{what} current: {files}"))),
        Some(1) => {
            let message = format!("{what} out of date: {files}");
            Some(Finding::warning(message).fix(format!("cogtools {command}")))
        }
        // What keeps it from running is reported elsewhere.
        _ => None,
    }
}

fn has_table(root: &Path, file: &Path) -> bool {
    let path = WritePath::in_project(root, file);
    let document = Document::open(path, file.to_path_buf());
    // Markers that are not a pair are reported by `cogtools docs`.
    document.map_or(true, |document| document.has_markers())
}

/// Returns true if `cogtools lint --fix` removes every error of `file`.
pub(super) fn fixes_all(file: &str, host: &Host) -> bool {
    let args = ["lint", "--format", "json", "--", file];
    let Ok(output) = run(&host.cogtools(), args, b"", host) else {
        return false;
    };
    let Ok(Value::Array(findings)) = serde_json::from_slice(&output.stdout.bytes) else {
        return false;
    };
    let is_error = |finding: &&Value| finding["severity"] == "error";
    let mut errors = findings.iter().filter(is_error).peekable();
    errors.peek().is_some() && errors.all(|finding| finding["fixable"] == true)
}
