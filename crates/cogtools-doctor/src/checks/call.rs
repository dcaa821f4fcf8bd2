//! One call of one tool, made as Gemini CLI makes it: the tool's name as the only
//! argument, the arguments as JSON on standard input.
//!
//! Only a template is called: it can do nothing but answer.

use crate::context::Context;
use crate::finding::Finding;
use crate::process::first_line;
use crate::program::Program;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    vec![call(cx)]
}

fn call(cx: &Context) -> Finding {
    const RERUN: &str = "mend what is named above, then run cogtools doctor again";
    let Some(command) = cx.gemini.call_command() else {
        return Finding::warning("was not made: no settings name a call command").fix(RERUN);
    };
    let program = Program::call(command, &cx.host);
    if program.file.is_none() {
        let message = format!("was not made: `{command}` is not on PATH");
        return Finding::warning(message).fix(RERUN);
    }
    if !program.is_ours() || !program.may_run(&cx.gemini.trust) {
        return Finding::ok(format!(
            "was not made: `{command}` is not cogtools-call from PATH"
        ));
    }
    let Some((tool, arguments)) = cx.tools.pure_template(&cx.names()) else {
        return Finding::ok("was not made: no tool here is a template with arguments to try");
    };
    let name = tool.name().as_str();
    let again = format!("{command} {name}");
    let output = match program.run(&[name], arguments.as_bytes(), &cx.host) {
        None => return Finding::warning(format!("was not made: `{command}` is gone")).fix(RERUN),
        Some(Err(error)) => {
            return Finding::problem(format!("`{again}` {error}")).fix(again);
        }
        Some(Ok(output)) => output,
    };
    let quoted = cogtools_program::call::quote(&arguments);
    let again = format!("echo {quoted} | {again}");
    if !output.end.is_success() {
        let said = first_line(&output.stderr);
        let message = format!("`{command} {name}` {}: {said}", output.end.describe());
        return Finding::problem(message).fix(again);
    }
    if !output.stderr.is_empty() {
        let said = first_line(&output.stderr);
        let message =
            format!("`{command} {name}` writes to stderr, a failure to Gemini CLI: {said}");
        return Finding::problem(message).fix(again);
    }
    let bytes = output.stdout.len();
    Finding::ok(format!("`{command} {name}` answers with {bytes} bytes"))
}
