//! The settings files: whether Gemini CLI can read them, and what it finds there.

use cogtools_edit::jsonc;
use cogtools_gemini_cli::settings::{File, Scope};
use cogtools_gemini_cli::{Generation, command};
use serde_json::Value;

use crate::finding::Finding;
use crate::fix;
use crate::program::stem;
use crate::scene::Scene;

pub(crate) fn check(scene: &Scene) -> Vec<Finding> {
    let mut findings: Vec<Finding> = scene
        .settings
        .files
        .iter()
        .map(|file| readable(file, scene))
        .collect();
    if scene.settings.file(Scope::Project).is_none() {
        let message = "there is no .gemini/settings.json in the project";
        let ours = scene.discovery_command().is_some();
        findings.push(if ours {
            Finding::ok(message)
        } else {
            mendable(Finding::problem(message), scene)
        });
        if !ours {
            return findings;
        }
    }
    let mut seen: Vec<Generation> = Vec::new();
    for version in scene.versions() {
        let generation = version.generation();
        if !seen.contains(&generation) {
            seen.push(generation);
            let host = format!("Gemini CLI {version}");
            let [discovery, call] = generation.keys();
            findings.push(names_ours(&host, discovery, command::DISCOVER, scene));
            findings.push(names_ours(&host, call, command::CALL, scene));
        }
    }
    findings
}

/// Whether Gemini CLI can read the file.
fn readable(file: &File, scene: &Scene) -> Finding {
    let shown = scene.places.shown(&file.path);
    match &file.value {
        Ok(Value::Object(_)) => {
            Finding::ok(format!("`{shown}` ({}) can be read", file.scope.name()))
        }
        Ok(_) => Finding::problem(format!(
            "{shown}: is not an object: Gemini CLI does not start"
        ))
        .fix(format!("make {shown} an object, such as {{}}")),
        Err(fault) => {
            let message = format!("{}: Gemini CLI does not start", fault.line());
            let problem = Finding::problem(message);
            let text = file.text.as_deref().unwrap_or_default();
            let mended = jsonc::mend(&file.path, text).is_some() && file.text.is_some();
            if mended && file.scope == Scope::Project {
                problem.fixable()
            } else {
                problem.fix(format!("edit {shown}"))
            }
        }
    }
}

/// Whether the key that this generation reads names our program.
fn names_ours(host: &str, key: &str, program: &str, scene: &Scene) -> Finding {
    let Some((value, file)) = scene.settings.get(key) else {
        let message = format!("no settings have `{key}`, so {host} has no tools");
        return mendable(Finding::problem(message), scene);
    };
    let shown = scene.places.shown(&file.path);
    let words = value.as_str().and_then(shlex::split).unwrap_or_default();
    if words.iter().any(|word| stem(word) == program) {
        return Finding::ok(format!("`{key}` in `{shown}` is {value}"));
    }
    Finding::problem(format!(
        "`{key}` in `{shown}` is {value}, so {host} does not ask cogtools"
    ))
    .fix(format!("set `{key}` in {shown} to \"{program}\""))
}

/// What `--fix` mends, if nothing stands in its way.
fn mendable(finding: Finding, scene: &Scene) -> Finding {
    if fix::settings(scene).is_some() {
        finding.fixable()
    } else {
        finding.fix("cogtools init --dry-run, which names what stands in the way")
    }
}
