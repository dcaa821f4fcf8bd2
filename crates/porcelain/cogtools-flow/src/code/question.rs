//! The questions about a program: once before it starts, and about calls when they come.

use cogtools_agent::{Activity, Answer, Observer, ProgramAnswer, Question};
use cogtools_code::{Consent, Explanation, Person, Program, Scope, ask};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::questions::Prompt;
use cogtools_program::{Failure, Io};

/// The person at the terminal, if there is one.
pub(super) struct Terminal<'t, 'io> {
    pub(super) io: &'t mut Io<'io>,
    /// The calls that the person agreed to before the start.
    pub(super) consent: Option<Consent>,
    /// True if calls wait in the session.
    pauses: bool,
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
/// needs one, it runs. Returns it as the user has edited it, and what is known about it.
///
/// # Errors
/// The user does not want it.
pub(super) fn agree(
    code: String,
    scope: &Scope,
    terminal: &mut Terminal<'_, '_>,
) -> Result<(String, Explanation), Failure> {
    let mut explanation = Explanation::of(&code, scope);
    let mut question = explanation.question(&code, scope);
    let needs_yes = !question.calls.is_empty() && explanation.mistakes.is_empty();
    let prompt = Prompt::of(terminal.io).filter(|_| needs_yes && !terminal.pauses);
    let Some(prompt) = prompt else {
        return Ok((code, explanation));
    };
    loop {
        match ask(&prompt, &question, terminal.io)? {
            ProgramAnswer::Run => terminal.consent = Some(explanation.consent(scope)),
            ProgramAnswer::Ask | ProgramAnswer::Pause => {}
            ProgramAnswer::Edit(code) => {
                explanation = Explanation::of(&code, scope);
                question = explanation.question(&code, scope);
                let length = Program::check_length(&code).err().map(|error| *error);
                let problems = length.iter().chain(&explanation.mistakes);
                let problems: Vec<String> = problems.map(Diagnostic::summary).collect();
                question.problem = (!problems.is_empty()).then(|| problems.join("\n"));
                continue;
            }
            ProgramAnswer::No(reason) => {
                let message = match reason {
                    Some(reason) => format!("the program does not run: {reason}"),
                    None => "the program does not run".to_owned(),
                };
                return Err(Diagnostic::new(Code::Denied, message).into());
            }
        }
        return Ok((question.code, explanation));
    }
}

impl Observer for Terminal<'_, '_> {
    fn on(&mut self, _: &Activity<'_>) {}

    fn ask(&mut self, question: &Question<'_>) -> Answer {
        if self.pauses {
            return Answer::Pause;
        }
        Person(Prompt::of(self.io)).ask(question)
    }
}
