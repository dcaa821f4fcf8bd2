//! The commands that the settings name, found and started as Gemini CLI does it.

use cogtools_program::call::quote;

use crate::context::Context;
use crate::finding::Finding;
use crate::process::first_line;
use crate::program::Program;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    match cx.gemini.discovery_command() {
        None => findings.push(Finding::ok("no discovery command to look for")),
        Some(command) => match Program::discovery(command, &cx.host) {
            None => {
                let message = format!("`{command}` is no command line: Gemini CLI does not start");
                findings.push(Finding::problem(message).fix("close the quotes in the settings"));
            }
            Some(program) => {
                let end = "Gemini CLI does not start";
                findings.push(describe_found(&program, end, cx));
                if !program.dropped.is_empty() {
                    let message = format!(
                        "`{}` in the discovery command is dropped: Gemini CLI starts no shell",
                        program.dropped.join(" ")
                    );
                    let fix = "put the command line into a script, and name the script";
                    findings.push(Finding::warning(message).fix(fix));
                }
            }
        },
    }
    match cx.gemini.call_command() {
        None => findings.push(Finding::ok("no call command to look for")),
        Some(command) => {
            let program = Program::call(command, &cx.host);
            findings.push(describe_found(&program, "every call of a tool fails", cx));
        }
    }
    findings
}

/// Whether the program is there and is of this version; without it, `end`.
fn describe_found(program: &Program, end: &str, cx: &Context) -> Finding {
    let word = &program.word;
    let Some(file) = &program.file else {
        return missing(word, end, cx);
    };
    let shown = cx.gemini.places.shown(file);
    if !program.is_ours() || !program.may_run(&cx.gemini.trust) {
        return Finding::ok(format!("`{word}` is `{shown}`, not started here"));
    }
    // Its arguments are not for this question.
    let bare = Program {
        args: Vec::new(),
        ..program.clone()
    };
    match bare.run(&["--version"], b"", &cx.host) {
        Some(Ok(output)) => {
            let said = first_line(&output.stdout);
            if said.split(' ').next_back() == Some(VERSION) {
                return Finding::ok(format!("`{word}` is `{shown}`, version {VERSION}"));
            }
            let message =
                format!("`{word}` is `{shown}`, which says {said}; this is version {VERSION}");
            Finding::warning(message).fix(path_hint(cx))
        }
        Some(Err(error)) => {
            Finding::problem(format!("`{shown}` {error}: {end}")).fix(path_hint(cx))
        }
        None => missing(word, end, cx),
    }
}

fn missing(word: &str, end: &str, cx: &Context) -> Finding {
    if word.contains(char::is_whitespace) {
        let message = format!(
            "`{word}` is one name to Gemini CLI, blanks and all, and no program has it: {end}"
        );
        return Finding::problem(message).fix("set the call command to \"cogtools-call\"");
    }
    let message = format!("`{word}` is not on PATH in the project: {end}");
    Finding::problem(message).fix(path_hint(cx))
}

/// What puts our programs before all others.
fn path_hint(cx: &Context) -> String {
    let folder = cx.host.programs.display().to_string();
    if folder.is_empty() {
        return "cargo install cogtools".into();
    }
    format!("export PATH={}:\"$PATH\"", quote(&folder))
}
