//! The questions about a program: once before it starts, and about calls when they come.

use cogtools_agent::{Activity, Answer, Observer, Question};
use cogtools_code::{Consent, Explanation, Scope};
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::{pluralize, sanitize};
use cogtools_program::{Failure, Io};

/// The person at the terminal, if there is one.
pub(super) struct Terminal<'t, 'io> {
    pub(super) io: &'t mut Io<'io>,
    /// The calls that the person agreed to before the start.
    pub(super) consent: Option<Consent>,
    /// True if calls wait in the session.
    pauses: bool,
}

/// The answer before a program starts.
pub(super) enum Agreement {
    /// It runs, with the consent of the terminal.
    Go,
    /// It does not run.
    No(Option<String>),
}

impl<'t, 'io> Terminal<'t, 'io> {
    pub(super) const fn new(io: &'t mut Io<'io>, pauses: bool) -> Self {
        Self {
            io,
            consent: None,
            pauses,
        }
    }
}

/// Shows the program with the calls that need a yes, and asks. Without a terminal, and if no call
/// needs one, it runs.
pub(super) fn agree(
    code: &str,
    explanation: &Explanation,
    scope: &Scope,
    terminal: &mut Terminal<'_, '_>,
) -> Result<Agreement, Failure> {
    let asked: Vec<_> = explanation.asked().collect();
    let prompt = Prompt::of(terminal.io).filter(|_| !asked.is_empty() && !terminal.pauses);
    let Some(prompt) = prompt else {
        return Ok(Agreement::Go);
    };
    terminal.io.quote_lines(code.trim_end());
    for call in &asked {
        terminal.io.quote_lines(&call.to_string());
    }
    // Keys that were typed before cannot be an answer.
    terminal.io.stdin.discard_typed();
    let question = format!(
        "Run this program, in which {} may change something?",
        pluralize(asked.len(), "call")
    );
    let options = ["run", "ask at each of them", "no", "no, because …"];
    match prompt.select(&question, &options.map(str::to_owned))? {
        0 => {
            terminal.consent = Some(explanation.consent(scope));
            Ok(Agreement::Go)
        }
        1 => Ok(Agreement::Go),
        2 => Ok(Agreement::No(None)),
        _ => {
            let reason = prompt.text("Why not?", "", "the model reads it")?;
            Ok(Agreement::No(
                Some(reason).filter(|it| !it.trim().is_empty()),
            ))
        }
    }
}

impl Observer for Terminal<'_, '_> {
    fn on(&mut self, _: &Activity<'_>) {}

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        if self.pauses {
            return Answer::Pause;
        }
        let Some(prompt) = Prompt::of(self.io) else {
            return Answer::NoTerminal;
        };
        self.io.quote_lines(question.approval.why.in_words());
        self.io.stdin.discard_typed();
        let text = format!("Run {} {}?", question.tool, question.arguments);
        let options = ["yes", "no", "no, because …"].map(str::to_owned);
        match prompt.select(&sanitize(&text), &options) {
            Ok(0) => Answer::Yes,
            Ok(2) => match prompt.text("Why not?", "", "the program reads it") {
                Ok(reason) if !reason.trim().is_empty() => Answer::NoBecause(reason),
                _ => Answer::No,
            },
            _ => Answer::No,
        }
    }
}
