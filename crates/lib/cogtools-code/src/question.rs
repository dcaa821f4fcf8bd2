//! The questions at a terminal: about a program, and about a call when it comes.

use std::fmt::Write as _;

use cogtools_agent::{Activity, Answer, Observer, ProgramAnswer, ProgramQuestion, Question};
use cogtools_log::Approval;
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
    show(question, io);
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
    loop {
        let index = prompt.decide("", &text, labels)?;
        match index + 4 - labels.len() {
            0 => return Ok(ProgramAnswer::Run),
            1 => return Ok(ProgramAnswer::Ask),
            2 => match io.edit(&question.code, ".ts") {
                Ok(code) => return Ok(ProgramAnswer::Edit(code)),
                Err(failure) => io.warn(failure.diagnostics(), &EACH),
            },
            _ => return Ok(ProgramAnswer::No(prompt.reason("the model")?)),
        }
    }
}

/// Shows a program, why it cannot run, and the calls that need a yes.
pub fn show(question: &ProgramQuestion, io: &mut Io<'_>) {
    let code = question.code.trim_end();
    let shown = highlight(code, io.colour(Stream::Stderr));
    // It has been sanitized.
    let _ = io.stderr.write_all(format!("{shown}\n").as_bytes());
    for line in question.problem.iter().chain(&question.calls) {
        io.say(line);
    }
}

/// The longest arguments that are a part of the question, in bytes; longer ones stand above it.
const MAX_QUESTION_BYTES: usize = 200;

/// The question about a call, and the lines above it, which show all that is decided about.
pub fn about(question: &Question<'_>) -> (String, String) {
    let mut lines = question_lines(Some(question.approval), question.runs) + "\n";
    let mut arguments = question.arguments.to_string();
    if arguments.len() > MAX_QUESTION_BYTES {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "arguments: {:#}", question.arguments);
        "with these arguments".clone_into(&mut arguments);
    }
    let text = format!("Run {} {arguments}?", question.tool);
    (text, lines.trim_start().to_owned())
}

/// The reason for a question, and what the call runs, each on a line that follows.
pub fn question_lines(approval: Option<&Approval>, runs: Option<&str>) -> String {
    let asked = approval.map(|approval| {
        let rule = approval.rule.as_ref().map(|rule| format!(" {rule}"));
        let why = approval.why.in_words();
        format!("\nasked: {why}{}", rule.unwrap_or_default())
    });
    let runs = runs.map(|runs| format!("\nruns: {runs}"));
    [asked, runs].into_iter().flatten().collect()
}

/// The person at the terminal, who decides about each call when it comes.
#[derive(Clone, Debug, Default)]
pub struct Person {
    /// The terminal, if there is one.
    pub prompt: Option<Prompt>,
    /// True if calls wait in the session instead.
    pub pauses: bool,
}

impl Observer for Person {
    fn on(&mut self, _: &Activity<'_>) {}

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        if self.pauses {
            return Answer::Pause;
        }
        let Some(prompt) = &self.prompt else {
            return Answer::NoTerminal;
        };
        let (text, lines) = about(question);
        match prompt.decide(&lines, &text, &["yes", "no", "no, because …"]) {
            Ok(0) => Answer::Yes,
            Ok(2) => match prompt.reason("the program") {
                Ok(Some(reason)) => Answer::NoBecause(reason),
                _ => Answer::No,
            },
            _ => Answer::No,
        }
    }
}
