//! The question about a program at a terminal.

use cogtools_agent::{ProgramAnswer, ProgramQuestion};
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::{Stream, pluralize};
use cogtools_program::{EACH, Failure, Io};

use crate::highlight::highlight;

/// Shows a program with the calls that need a yes, and asks about it.
///
/// # Errors
/// The user wants no answer: by Ctrl-C or Escape.
pub fn ask(
    prompt: &Prompt,
    question: &ProgramQuestion,
    io: &mut Io<'_>,
) -> Result<ProgramAnswer, Failure> {
    let code = question.code.trim_end();
    let shown = highlight(code, io.colour(Stream::Stderr));
    // It has been sanitized.
    let _ = io.stderr.write_all(format!("{shown}\n").as_bytes());
    for line in question.problem.iter().chain(&question.calls) {
        io.quote_lines(line);
    }
    let text = match (&question.problem, question.calls.len()) {
        (Some(_), _) => "This program cannot run.".to_owned(),
        (None, 0) => "Run this program?".to_owned(),
        (None, calls) => {
            let calls = pluralize(calls, "call");
            format!("Run this program, in which {calls} may change something?")
        }
    };
    let labels = [
        "run",
        "run, and ask at each of them",
        "edit",
        "no, because …",
    ];
    let labels = match question.problem {
        Some(_) => &labels[2..],
        None => &labels[..],
    };
    let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    loop {
        // Keys that were typed before cannot be an answer.
        io.stdin.discard_typed();
        let index = prompt.select(&text, &labels)?;
        match index + 4 - labels.len() {
            0 => return Ok(ProgramAnswer::Run),
            1 => return Ok(ProgramAnswer::Ask),
            2 => match io.edit(&question.code, ".ts") {
                Ok(code) => return Ok(ProgramAnswer::Edit(code)),
                Err(failure) => io.warn(failure.diagnostics(), &EACH),
            },
            _ => {
                let reason = prompt.text("Why not?", "", "the model reads it")?;
                let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
                return Ok(ProgramAnswer::No(reason));
            }
        }
    }
}
