//! The question whether a call may run, at a terminal.

use cogtools_agent::{Answer, Question};
use cogtools_program::Io;
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::{sanitize, truncate};

/// How much of the arguments a question shows, in characters.
const MAX_SHOWN_CHARS: usize = 500;

/// Asks at a terminal. `None` if the user wants neither answer: by Ctrl-C or Escape.
pub(crate) fn ask(prompt: &Prompt, question: &Question<'_>, io: &Io<'_>) -> Option<Answer> {
    // What was typed before cannot be an answer.
    io.stdin.discard_typed();
    let arguments = question.arguments.to_string();
    let arguments = truncate(&arguments, MAX_SHOWN_CHARS);
    let text = format!("Run {} {arguments}?", question.tool);
    let answers = [
        (Answer::Yes, "yes, once"),
        (
            Answer::Always,
            "yes, and further calls of this tool in this run",
        ),
        (Answer::No, "no"),
    ];
    let options = answers.map(|(_, label)| label.to_owned());
    let index = prompt.select(&sanitize(&text), &options).ok()?;
    let answer = answers.get(index);
    Some(answer.map_or(Answer::No, |(answer, _)| *answer))
}
