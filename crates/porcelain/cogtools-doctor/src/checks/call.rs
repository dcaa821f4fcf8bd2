//! One call of one tool, made as Gemini CLI makes it: the tool's name as the only
//! argument, the arguments as JSON on standard input.
//!
//! Only a template is called, since templates have no side effects.

use crate::context::Context;
use crate::finding::Finding;
use crate::process::first_line;
use crate::program::Program;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    vec![call(cx)]
}

fn call(cx: &Context) -> Finding {
    const RERUN: &str = "this is checked when the problems above are fixed";
    if cx.gemini.uses_server() {
        return Finding::ok("skipped: Gemini CLI calls the MCP server, which is not started here");
    }
    let Some(command) = cx.gemini.call_command() else {
        return Finding::warning("skipped: no settings file sets a call command").hint(RERUN);
    };
    let program = Program::call(command, &cx.host);
    if program.file.is_none() {
        let message = format!("skipped: `{command}` is not on PATH");
        return Finding::warning(message).hint(RERUN);
    }
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
    let output = match program.run(&[name], arguments.as_bytes(), &cx.host) {
        None => {
            return Finding::warning(format!("skipped: `{command}` no longer exists")).hint(RERUN);
        }
        Some(Err(error)) => {
            return Finding::problem(format!("`{command_line}` {error}"))
                .hint(format!("to see it, run: {command_line}"));
        }
        Some(Ok(output)) => output,
    };
    let quoted = cogtools_program::call::quote(&arguments);
    let retry = format!("echo {quoted} | {command_line}");
    if !output.exit.is_success() {
        let line = first_line(&output.stderr);
        let message = format!("`{command_line}` {}: {line}", output.exit.describe());
        return Finding::problem(message).hint(format!("to see it, run: {retry}"));
    }
    if !output.stderr.is_empty() {
        let line = first_line(&output.stderr);
        let message = format!(
            "`{command_line}` writes to stderr, which Gemini CLI treats as a failure: {line}"
        );
        return Finding::problem(message).hint(format!("to see it, run: {retry}"));
    }
    let bytes = output.stdout.len();
    Finding::ok(format!("`{command_line}` answers with {bytes} bytes"))
}
