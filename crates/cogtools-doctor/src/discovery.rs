//! What Gemini CLI learns from the discovery command, by running it the same way.

use serde_json::Value;

use crate::gemini::Gemini;
use crate::host::Host;
use crate::process::first_line;
use crate::program::Program;

/// What came of it.
#[derive(Debug)]
pub(crate) enum Discovery {
    /// It was not run, for this reason.
    NotRun(String),
    /// Gemini CLI would not start, or see no tools, for this reason.
    Failed(String),
    /// The names of the tools that it would know, and what standard error said.
    Done { names: Vec<String>, stderr: Vec<u8> },
}

/// Runs the discovery command that `gemini` knows on `host`.
pub(crate) fn discover(gemini: &Gemini, host: &Host) -> Discovery {
    let Some(command) = gemini.discovery_command() else {
        return Discovery::NotRun("no settings name a discovery command".into());
    };
    let Some(program) = Program::discovery(command, host) else {
        return Discovery::NotRun(format!("`{command}` is no command line"));
    };
    if program.file.is_none() {
        return Discovery::NotRun(format!("`{}` is not on PATH", program.word));
    }
    if !program.may_run(&gemini.trust) {
        let why = "is not a program of cogtools, and the folder is not trusted";
        return Discovery::NotRun(format!("`{}` {why}", program.word));
    }
    let output = match program.run(&[], b"", host) {
        None => return Discovery::NotRun(format!("`{}` is not on PATH", program.word)),
        Some(Err(error)) => return Discovery::Failed(error.to_string()),
        Some(Ok(output)) => output,
    };
    if !output.end.is_success() {
        let said = first_line(&output.stderr);
        return Discovery::Failed(format!("{}: {said}", output.end.describe()));
    }
    match names(&output.stdout) {
        Ok(names) => Discovery::Done {
            names,
            stderr: output.stderr,
        },
        Err(why) => Discovery::Failed(why),
    }
}

/// The names in a list of declarations, as Gemini CLI takes it apart.
fn names(stdout: &[u8]) -> Result<Vec<String>, String> {
    let text = String::from_utf8_lossy(stdout);
    let value: Value = serde_json::from_str(text.trim())
        .map_err(|error| format!("printed what is not JSON: {error}"))?;
    let Value::Array(items) = value else {
        return Err("printed JSON that is not a list".into());
    };
    let mut names = Vec::new();
    for item in &items {
        let wrapped = ["function_declarations", "functionDeclarations"]
            .iter()
            .find_map(|key| item.get(*key)?.as_array());
        let declarations = wrapped.map_or(std::slice::from_ref(item), Vec::as_slice);
        let named = declarations.iter().filter_map(|one| one["name"].as_str());
        names.extend(named.map(str::to_owned));
    }
    Ok(names)
}
