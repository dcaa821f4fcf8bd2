//! The commands in the settings, found and started as Gemini CLI does.

use cogtools_program::call::quote;

use crate::context::Context;
use crate::finding::{Finding, Remedy};
use crate::program::{Program, first_line, run};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    match cx.gemini.discovery_command() {
        None if cx.gemini.uses_server() => {
            return vec![Finding::ok(
                "no commands are set: the MCP server has the tools",
            )];
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
    findings
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
    // Its arguments may not go with `--version`.
    match run(file, ["--version"], b"", &cx.host) {
        Ok(output) => {
            let line = first_line(&output.stdout.bytes);
            if line.split(' ').next_back() == Some(VERSION) {
                return Finding::ok(format!("`{name}` is `{path}`, version {VERSION}"));
            }
            let message =
                format!("`{name}` is `{path}`, which reports `{line}`; this is version {VERSION}");
            Finding::warning(message).remedy(path_remedy(cx))
        }
        Err(error) => {
            Finding::problem(format!("`{path}` {error}: {consequence}")).remedy(path_remedy(cx))
        }
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

pub(crate) fn check_call(cx: &Context) -> Finding {
    const RERUN: &str = "this is checked when the problems above are fixed";
    if cx.gemini.uses_server() {
        return Finding::ok("not needed: Gemini CLI calls the MCP server");
    }
    let Some(command) = cx.gemini.call_command() else {
        return Finding::warning("skipped: no settings file sets a call command").hint(RERUN);
    };
    let program = Program::call(command, &cx.host);
    let Some(file) = &program.file else {
        let message = format!("skipped: `{command}` is not on PATH");
        return Finding::warning(message).hint(RERUN);
    };
    if !program.is_cogtools() || !program.may_run(&cx.gemini.trust) {
        return Finding::ok(format!(
            "skipped: `{command}` is not cogtools-call from PATH"
        ));
    }
    let Some((tool, arguments)) = cx.tools.pure_template(&cx.names()) else {
        return Finding::ok("skipped: there is no template to call");
    };
    let name = tool.name().as_str();
    let command_line = format!("{command} {name}");
    let failed = |what: &str, line: &str| {
        let hint = format!("to see it, run: {line}");
        Finding::problem(format!("`{command_line}` {what}")).hint(hint)
    };
    let output = match run(file, [name], arguments.as_bytes(), &cx.host) {
        Err(error) => return failed(&error.to_string(), &command_line),
        Ok(output) => output,
    };
    let quoted = quote(&arguments);
    let retry = format!("echo {quoted} | {command_line}");
    if !output.exit.is_success() {
        let line = first_line(&output.stderr.bytes);
        return failed(&format!("{}: {line}", output.exit.describe()), &retry);
    }
    if !output.stderr.bytes.is_empty() {
        let line = first_line(&output.stderr.bytes);
        let what = format!("writes to stderr, which Gemini CLI treats as a failure: {line}");
        return failed(&what, &retry);
    }
    let bytes = output.stdout.bytes.len();
    Finding::ok(format!("`{command_line}` answers with {bytes} bytes"))
}
