//! The commands in the settings, found and started as Gemini CLI does.

use std::path::Path;

use cogtools_core::process::Confinement;
use cogtools_program::call::quote;

use crate::context::Context;
use crate::finding::Finding;
use crate::process::first_line;
use crate::program::Program;
use crate::remedy::Remedy;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    match cx.gemini.discovery_command() {
        None if cx.gemini.uses_server() => {
            findings.push(Finding::ok(
                "no commands are set: the MCP server has the tools",
            ));
            findings.extend(unconfined(&cx.host.programs));
            return findings;
        }
        None => findings.push(Finding::ok("no discovery command is set")),
        Some(command) => match Program::discovery(command, &cx.host) {
            None => {
                let message =
                    format!("`{command}` is not a valid command line: Gemini CLI does not start");
                findings.push(Finding::problem(message).hint("close the quotes in the settings"));
            }
            Some(program) => {
                let consequence = "Gemini CLI does not start";
                findings.push(check_program(&program, consequence, cx));
                if !program.dropped.is_empty() {
                    let message = format!(
                        "`{}` in the discovery command is dropped: Gemini CLI does not start a shell",
                        program.dropped.join(" ")
                    );
                    let fix = "put the command line into a script, and name the script";
                    findings.push(Finding::warning(message).hint(fix));
                }
            }
        },
    }
    match cx.gemini.call_command() {
        None => findings.push(Finding::ok("no call command is set")),
        Some(command) => {
            let program = Program::call(command, &cx.host);
            findings.push(check_program(&program, "every tool call fails", cx));
        }
    }
    findings.extend(unconfined(&cx.host.programs));
    findings
}

/// A warning if the programs of tools run without limits.
fn unconfined(programs: &Path) -> Option<Finding> {
    let is_missing = cfg!(unix) && !Confinement::new(Some(programs)).is_active();
    is_missing.then(|| {
        let name = Confinement::PROGRAM;
        let message = format!(
            "`{name}` is not installed beside cogtools: programs of tools run without limits"
        );
        Finding::warning(message).hint("install all programs of cogtools in one folder")
    })
}

/// Checks that the program exists in this version; `consequence` is what happens if not.
fn check_program(program: &Program, consequence: &str, cx: &Context) -> Finding {
    let name = &program.name;
    let Some(file) = &program.file else {
        return missing(name, consequence, cx);
    };
    let path = cx.gemini.paths.display_path(file);
    let may_run = program.may_run(&cx.gemini.trust) && cx.host.may_start(file);
    if !program.is_cogtools() || !may_run {
        return Finding::ok(format!("`{name}` is `{path}`, not started here"));
    }
    // Without its arguments, which may not go with `--version`.
    let bare = Program {
        args: Vec::new(),
        ..program.clone()
    };
    match bare.run(&["--version"], b"", &cx.host) {
        Some(Ok(output)) => {
            let line = first_line(&output.stdout);
            if line.split(' ').next_back() == Some(VERSION) {
                return Finding::ok(format!("`{name}` is `{path}`, version {VERSION}"));
            }
            let message =
                format!("`{name}` is `{path}`, which reports `{line}`; this is version {VERSION}");
            Finding::warning(message).remedy(path_remedy(cx))
        }
        Some(Err(error)) => {
            Finding::problem(format!("`{path}` {error}: {consequence}")).remedy(path_remedy(cx))
        }
        None => missing(name, consequence, cx),
    }
}

fn missing(name: &str, consequence: &str, cx: &Context) -> Finding {
    if name.contains(char::is_whitespace) {
        let message = format!(
            "`{name}` is a single name to Gemini CLI, spaces included, and no program has it: {consequence}"
        );
        return Finding::problem(message).hint("set the call command to \"cogtools-call\"");
    }
    let message = format!("`{name}` is not on PATH in the project: {consequence}");
    Finding::problem(message).remedy(path_remedy(cx))
}

/// The command that puts the folder of this program first on PATH.
pub(super) fn path_remedy(cx: &Context) -> Remedy {
    let folder = cx.host.programs.display().to_string();
    if folder.is_empty() {
        return Remedy::Advice("add the folder of the programs of cogtools to PATH".to_owned());
    }
    Remedy::Command(format!("export PATH={}:\"$PATH\"", quote(&folder)))
}
