//! The question about a program before it starts.

use cogtools_agent::ProgramAnswer;
use cogtools_code::{Consent, Explanation, Person, Program, Scope, ask};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Io};

/// Shows the program with the calls that need a yes, and asks. Without a terminal, and if no call
/// needs one, it runs. Returns it as the user has edited it, what is known about it, and the calls
/// that the user has agreed to.
///
/// # Errors
/// The user does not want it.
pub(super) fn agree(
    code: String,
    scope: &Scope,
    person: &Person,
    io: &mut Io<'_>,
) -> Result<(String, Explanation, Consent), Failure> {
    let mut explanation = Explanation::of(&code, scope);
    let mut question = explanation.question(&code, scope);
    let needs_yes = !question.calls.is_empty() && explanation.mistakes.is_empty();
    let prompt = person.prompt.as_ref();
    let Some(prompt) = prompt.filter(|_| needs_yes && !person.pauses) else {
        return Ok((code, explanation, Consent::default()));
    };
    loop {
        let consent = match ask(prompt, &question, io)? {
            ProgramAnswer::Run => explanation.consent(scope),
            ProgramAnswer::Ask | ProgramAnswer::Pause => Consent::default(),
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
        };
        return Ok((question.code, explanation, consent));
    }
}
