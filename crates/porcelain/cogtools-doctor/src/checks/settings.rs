//! The settings files: whether Gemini CLI can read them, and the commands in them.

use cogtools_edit::host::settings::{File, Scope};
use cogtools_edit::host::{CALL, Connection, DISCOVER, Generation, Paths};
use cogtools_edit::{Change, Existing, jsonc};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::finding::Finding;
use crate::program::program_name;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings: Vec<Finding> = cx
        .gemini
        .settings
        .files
        .iter()
        .map(|file| file_finding(file, cx))
        .collect();
    let is_connected = cx.gemini.discovery_command().is_some() || cx.gemini.uses_server();
    if cx.gemini.settings.file(Scope::Project).is_none() {
        let message = "there is no .gemini/settings.json in the project";
        findings.push(if is_connected {
            Finding::ok(message)
        } else {
            auto_fixable(Finding::problem(message), cx)
        });
        if !is_connected {
            return findings;
        }
    }
    if let Some((name, file)) = cx.gemini.server().filter(|_| cx.gemini.uses_server()) {
        let shown = cx.gemini.paths.display_path(&file.path);
        let message = format!("the MCP server `{name}` in `{shown}` is cogtools");
        findings.push(Finding::ok(message));
        return findings;
    }
    let mut seen: Vec<Generation> = Vec::new();
    for version in cx.gemini.versions() {
        let generation = version.generation();
        if !seen.contains(&generation) {
            seen.push(generation);
            let host = format!("Gemini CLI {version}");
            let [discovery, call] = generation.keys();
            findings.extend(command_finding(&host, discovery, DISCOVER, cx));
            findings.extend(command_finding(&host, call, CALL, cx));
        }
    }
    findings
}

/// Returns true if Gemini CLI can read the file.
fn file_finding(file: &File, cx: &Context) -> Finding {
    let shown = cx.gemini.paths.display_path(&file.path);
    match &file.value {
        Ok(Value::Object(_)) => {
            Finding::ok(format!("`{shown}` ({}) can be read", file.scope.name()))
        }
        Ok(_) => Finding::problem(format!(
            "{shown}: is not an object: Gemini CLI does not start"
        ))
        .hint(format!("make {shown} an object, such as {{}}")),
        Err(diagnostic) => {
            let message = format!("{}: Gemini CLI does not start", diagnostic.summary());
            let advice = format!("correct {shown}");
            Finding::problem(message).fixable_or(is_repairable(file), advice)
        }
    }
}

/// Returns true if `--fix` makes the file readable.
fn is_repairable(file: &File) -> bool {
    let text = file.text.as_deref();
    let repaired = text.and_then(|text| jsonc::repair(&file.path, text));
    repaired.is_some() && file.scope == Scope::Project
}

/// Returns true if the key that this generation reads names our program.
fn command_finding(host: &str, key: &str, program: &str, cx: &Context) -> Option<Finding> {
    let Some((value, file)) = cx.gemini.settings.get(key) else {
        // What a file sets that cannot be read is unknown; its own finding says so.
        let mut files = cx.gemini.settings.files.iter();
        if files.any(|file| file.value.is_err() && !is_repairable(file)) {
            return None;
        }
        let message = format!("no settings file sets `{key}`, so {host} has no tools");
        return Some(auto_fixable(Finding::problem(message), cx));
    };
    let shown = cx.gemini.paths.display_path(&file.path);
    let words = value.as_str().and_then(shlex::split).unwrap_or_default();
    if words.iter().any(|word| program_name(word) == program) {
        return Some(Finding::ok(format!("`{key}` in `{shown}` is {value}")));
    }
    let message = format!("`{key}` in `{shown}` is {value}, so {host} does not use cogtools");
    let fix = format!("set `{key}` in {shown} to \"{program}\"");
    Some(Finding::problem(message).hint(fix))
}

/// Marks `finding` as fixable if `--fix` can fix it.
fn auto_fixable(finding: Finding, cx: &Context) -> Finding {
    let advice = "cogtools init --dry-run shows what prevents the fix";
    finding.fixable_or(planned_change(cx).is_some(), advice)
}

/// The project's settings as Gemini CLI can read them, with our commands as
/// `cogtools init` puts them there; `None` if there is nothing to change, or it
/// cannot be changed.
pub(crate) fn planned_change(cx: &Context) -> Option<Change> {
    let file = Paths::settings();
    let root = cx.root();
    // In the home directory these are the user's settings, which are never changed.
    if cx.gemini.paths.home.as_deref() == Some(root) || !cx.is_for_gemini() {
        return None;
    }
    let existing = Existing::open(root, &file).ok()?;
    let before = existing.as_ref().map(|existing| existing.text.clone());
    let readable = cx
        .gemini
        .settings
        .file(Scope::Project)
        .is_some_and(|it| it.value.is_ok());
    let text = match &before {
        Some(text) if !readable => jsonc::repair(&file, text)?,
        Some(text) => text.clone(),
        None => String::new(),
    };
    // Commands of other programs stay; the rest is fixed.
    let after = jsonc::merge(&file, &text, &wanted(cx, &text)).unwrap_or(text);
    if before.as_deref() == Some(after.as_str()) {
        return None;
    }
    if let Some(existing) = &existing {
        existing.writable().ok()?;
    }
    Some(Change::new(root, file, before, after))
}

/// The change that the settings need: the rest of a connection, or else the best for the Gemini
/// CLI that starts here. `text` is the project's settings, which may have been repaired.
fn wanted(cx: &Context, text: &str) -> Map<String, Value> {
    let mut present = Connection::of_settings(&cx.gemini.settings);
    if let Ok(settings) = jsonc::read(&Paths::settings(), text) {
        present.extend(Connection::of_value(&settings));
    }
    if present.contains(&Connection::Commands) {
        return Connection::Commands.edit().wanted;
    }
    if present.contains(&Connection::Server) {
        return Map::new();
    }
    Connection::recommended(cx.gemini.version()).edit().wanted
}
