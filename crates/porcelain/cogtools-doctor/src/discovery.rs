//! Runs the discovery command as Gemini CLI does, and parses its output.

use serde_json::Value;

use crate::gemini::Gemini;
use crate::host::Host;
use crate::process::{RunError, first_line};
use crate::program::Program;

/// The outcome of discovery.
#[derive(Debug)]
pub(crate) enum Discovery {
    /// It was not run, for this reason.
    NotRun(String),
    /// Gemini CLI would not start, or would see no tools, for this reason.
    Failed(String),
    /// The names of the tools that it would see, and the text on standard error.
    Done { names: Vec<String>, stderr: Vec<u8> },
}

/// Runs the discovery command of `gemini` on `host`.
pub(crate) fn discover(gemini: &Gemini, host: &Host) -> Discovery {
    let Some(command) = gemini.discovery_command() else {
        return Discovery::NotRun("no settings file sets a discovery command".into());
    };
    let Some(program) = Program::discovery(command, host) else {
        return Discovery::NotRun(format!("`{command}` is not a valid command line"));
    };
    if program.file.is_none() {
        return Discovery::NotRun(format!("`{}` is not on PATH", program.name));
    }
    if !program.may_run(&gemini.trust) {
        let why = "is not a cogtools program, and the folder is not trusted";
        return Discovery::NotRun(format!("`{}` {why}", program.name));
    }
    let output = match program.run(&[], b"", host) {
        None => return Discovery::NotRun(format!("`{}` is not on PATH", program.name)),
        Some(Err(error @ RunError::Untrusted)) => {
            return Discovery::NotRun(format!("`{}` {error}", program.name));
        }
        Some(Err(error)) => return Discovery::Failed(error.to_string()),
        Some(Ok(output)) => output,
    };
    if !output.exit.is_success() {
        let line = first_line(&output.stderr);
        return Discovery::Failed(format!("{}: {line}", output.exit.describe()));
    }
    match parse_names(&output.stdout) {
        Ok(names) => Discovery::Done {
            names,
            stderr: output.stderr,
        },
        Err(why) => Discovery::Failed(why),
    }
}

/// The names in a list of declarations, parsed as Gemini CLI does.
fn parse_names(stdout: &[u8]) -> Result<Vec<String>, String> {
    let text = String::from_utf8_lossy(stdout);
    let value: Value = serde_json::from_str(text.trim())
        .map_err(|error| format!("printed invalid JSON: {error}"))?;
    let Value::Array(items) = value else {
        return Err("printed JSON that is not an array".into());
    };
    let mut names = Vec::new();
    for item in &items {
        let wrapped = ["function_declarations", "functionDeclarations"]
            .iter()
            .find_map(|key| item.get(*key)?.as_array());
        let declarations = wrapped.map_or(std::slice::from_ref(item), Vec::as_slice);
        let declared = declarations.iter().filter_map(|it| it["name"].as_str());
        names.extend(declared.map(str::to_owned));
    }
    Ok(names)
}
