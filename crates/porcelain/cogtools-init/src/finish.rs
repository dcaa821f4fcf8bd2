//! The end of a run: the confirmation, the files, and what comes next.

use cogtools_edit::{ApplyError, Plan};
use cogtools_program::project::{REVIEW, trust_created_project};
use cogtools_program::questions::Prompt;
use cogtools_program::{Failure, Io};

use crate::command::plan;
use crate::interview::Answers;
use crate::setup_context::SetupContext;
use crate::survey::Survey;
use crate::{gemini, guidance, server, starter};

/// Asks at a terminal what to do, shows it, and does it.
pub(crate) fn interview(
    prompt: &Prompt,
    cx: &SetupContext,
    survey: &Survey,
    defaults: Answers,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let answers = defaults.ask(prompt, survey, &cx.root)?;
    let line = answers.command(cx.name.as_deref());
    let answers = answers.resolve(cx, io)?;
    let plan = plan(cx, survey, &answers, io)?;
    io.show(&format!("{}\n", plan.diff()))?;
    if !prompt.confirm("Write these files?")? {
        return io.print(b"nothing was written\n");
    }
    write(&plan, cx, survey, &answers, io)?;
    io.show(&format!("\nthe same without questions:\n    {line}\n"))
}

/// Writes the files, and prints what was done and what comes next.
pub(crate) fn write(
    plan: &Plan,
    cx: &SetupContext,
    survey: &Survey,
    answers: &Answers,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    plan.apply().map_err(ApplyError::diagnostic)?;
    let server = cx.name.as_deref().unwrap_or(server::NAME);
    let example = plan
        .changes()
        .any(|change| starter::is_example(&change.file));
    let unused = survey.unused.as_ref().filter(|_| !answers.packages);
    let text = format!(
        "{}{}{}{}{}{}",
        plan.summary(),
        guidance::next_steps(example, &answers.hosts, server),
        gemini::assumption(cx, &answers.hosts, &io.vars),
        unused.map_or_else(String::new, guidance::packages),
        table_advice(survey, answers),
        review_advice(cx, io)
    );
    io.show(&text)
}

/// Trusts the project if all of it is new, or else returns the advice to review it.
pub(crate) fn review_advice(cx: &SetupContext, io: &mut Io<'_>) -> &'static str {
    if trust_created_project(io, cx.is_new) {
        ""
    } else {
        REVIEW
    }
}

/// The advice on the table of tools, if a document has none.
pub(crate) fn table_advice(survey: &Survey, answers: &Answers) -> String {
    if answers.docs {
        return String::new();
    }
    let documents = survey.documents.iter();
    let documents = documents.filter(|document| !document.has_table);
    guidance::table(&documents.map(|document| document.name).collect::<Vec<_>>())
}

/// Shows `plan` and asks for confirmation.
pub(crate) fn confirm(plan: &Plan, io: &mut Io<'_>) -> Result<bool, Failure> {
    io.show(&plan.diff())?;
    let answer = io.ask(
        "\nwrite these files? [Y/n] ",
        "accept the default answers with --defaults",
    )?;
    Ok(answer.is_some_and(|answer| matches!(answer.as_str(), "" | "y" | "yes")))
}
