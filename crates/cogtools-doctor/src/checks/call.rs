//! One call of one tool, made as Gemini CLI makes it: the tool's name as the only
//! argument, the arguments as JSON on standard input.
//!
//! Only a template is called: it can do nothing but answer.

use crate::finding::Finding;
use crate::process::first_line;
use crate::program::Program;
use crate::scene::Scene;

pub(crate) fn check(scene: &Scene) -> Vec<Finding> {
    vec![called(scene)]
}

fn called(scene: &Scene) -> Finding {
    const AGAIN: &str = "mend what is named above, then run cogtools doctor again";
    let Some(command) = scene.call_command() else {
        return Finding::warning("was not made: no settings name a call command").fix(AGAIN);
    };
    let program = Program::call(command, scene);
    if program.file.is_none() {
        let message = format!("was not made: `{command}` is not on PATH");
        return Finding::warning(message).fix(AGAIN);
    }
    if !program.is_ours() || !program.may_run(scene) {
        return Finding::ok(format!(
            "was not made: `{command}` is not cogtools-call from PATH"
        ));
    }
    let Some((tool, arguments)) = scene.tools.harmless(&scene.names()) else {
        return Finding::ok("was not made: no tool here is a template with arguments to try");
    };
    let name = tool.name().as_str();
    let again = format!("{command} {name}");
    let ran = match program.run(&[name], arguments.as_bytes(), scene) {
        None => return Finding::warning(format!("was not made: `{command}` is gone")).fix(AGAIN),
        Some(Err(error)) => {
            return Finding::problem(format!("`{again}` {error}")).fix(again);
        }
        Some(Ok(ran)) => ran,
    };
    let quoted = cogtools_program::call::quote(&arguments);
    let again = format!("echo {quoted} | {again}");
    if !ran.end.is_success() {
        let said = first_line(&ran.stderr);
        let message = format!("`{command} {name}` {}: {said}", ran.end.words());
        return Finding::problem(message).fix(again);
    }
    if !ran.stderr.is_empty() {
        let said = first_line(&ran.stderr);
        let message =
            format!("`{command} {name}` writes to stderr, a failure to Gemini CLI: {said}");
        return Finding::problem(message).fix(again);
    }
    let bytes = ran.stdout.len();
    Finding::ok(format!("`{command} {name}` answers with {bytes} bytes"))
}
