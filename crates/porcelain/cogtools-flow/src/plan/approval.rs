//! The question about a plan: it shows each call that needs a yes, and programs whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cogtools_agent::{ProgramQuestion, ToolTraits};
use cogtools_code::{CodeTools, show};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Decision, EndStatus, Why};
use cogtools_program::questions::Prompt;
use cogtools_program::{EACH, Failure, Io};
use serde_json::Value;

use super::contract::Step;
use super::program::CODE;
use super::show::table;
use super::steps::{PlanRun, violations};

/// Facts about a tool that decide whether it may run, and that a user reads.
pub(super) struct KnownTool {
    pub(super) traits: ToolTraits,
    /// The command of its program.
    pub(super) command: Option<String>,
}

/// A part of the question.
enum Shown {
    /// A call, with all of its arguments.
    Call(String),
    /// The program of the step with this index.
    Program(usize, ProgramQuestion),
}

/// The answer.
enum Answer {
    Run,
    AskAtEach,
    Edit(usize),
    No(Option<String>),
}

/// Returns if the user agrees with every call of the plan, or has agreed before. At a terminal, the
/// user may edit its programs, and can be asked at each of their calls. Calls of the `known` tools are
/// decided about in a plan of a model; the user's own knows none.
///
/// # Errors
/// The user does not agree, a rule denies a tool, or the plan waits in its session.
pub(super) fn agree(
    run: &mut PlanRun,
    known: Option<&BTreeMap<String, KnownTool>>,
    is_agreed: bool,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let agreed = decide(run, known, is_agreed, io);
    if let Err(failure) = &agreed {
        run.recorder.end(match failure.status() {
            75 => EndStatus::ApprovalWanted,
            _ => EndStatus::Cancelled,
        })?;
    }
    agreed
}

fn decide(
    run: &mut PlanRun,
    known: Option<&BTreeMap<String, KnownTool>>,
    is_agreed: bool,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let prompt = Prompt::of(io);
    run.programs.person.prompt.clone_from(&prompt);
    if prompt.is_some() && (known.is_some() || run.has_programs()) {
        io.say(&table(&run.contract, None, false));
    }
    let mut edited = BTreeSet::new();
    loop {
        let (tools, shown) = wanted(run, known, &edited)?;
        if is_agreed || shown.is_empty() {
            run.programs.agree(&run.contract);
            return Ok(());
        }
        let Some(prompt) = &prompt else {
            return Err(waits(&tools, &run.resume).into());
        };
        for shown in &shown {
            match shown {
                Shown::Call(text) => io.say(text),
                Shown::Program(index, question) => {
                    let name = &run.contract.steps[*index].save_as;
                    io.say(&format!("{name}: {}", CodeTools::RUN));
                    show(question, io);
                }
            }
        }
        let problems = if edited.is_empty() {
            Vec::new()
        } else {
            violations(&run.contract, &run.programs)
        };
        for problem in &problems {
            io.say(&problem.summary());
        }
        match ask(run, prompt, (&tools, &shown), problems.is_empty())? {
            Answer::Edit(index) => {
                let args = run.contract.steps[index].args.get_or_insert_default();
                let code = args.get(CODE).and_then(Value::as_str).unwrap_or_default();
                match io.edit(code, ".ts") {
                    Ok(code) => {
                        args.insert(CODE.to_owned(), code.into());
                        edited.insert(index);
                    }
                    Err(failure) => io.warn(failure.diagnostics(), &EACH),
                }
                continue;
            }
            Answer::No(reason) => {
                let reason = reason.map(|reason| format!(": {reason}"));
                let message = format!("the plan does not run{}", reason.unwrap_or_default());
                let hint = format!("`{}` runs it, should you change your mind", run.resume);
                return Err(Diagnostic::new(Code::Denied, message).hint(hint).into());
            }
            Answer::AskAtEach => run.recorder.plan(&run.contract, true, &run.programs.deny)?,
            Answer::Run => {
                run.programs.agree(&run.contract);
                if !edited.is_empty() {
                    run.recorder
                        .plan(&run.contract, false, &run.programs.deny)?;
                }
            }
        }
        return Ok(());
    }
}

/// The tools that the plan calls and that need a yes, and what a question shows: their calls, and
/// programs, also those that the user has `edited`.
fn wanted(
    run: &PlanRun,
    known: Option<&BTreeMap<String, KnownTool>>,
    edited: &BTreeSet<usize>,
) -> Result<(Vec<String>, Vec<Shown>), Failure> {
    let (mut tools, mut shown) = (Vec::new(), Vec::new());
    let mut add = |tool: &str, part| {
        if !tools.iter().any(|known| known == tool) {
            tools.push(tool.to_owned());
        }
        shown.push(part);
    };
    for (index, step) in run.contract.steps.iter().enumerate() {
        if run.programs.has(step) {
            let approval = run.programs.decide();
            if approval.decision == Decision::Denied {
                return Err(denied(CodeTools::RUN).into());
            }
            let is_asked = approval.decision == Decision::Asked || edited.contains(&index);
            match run.programs.question(step) {
                Some(question) if is_asked || !question.calls.is_empty() => {
                    add(CodeTools::RUN, Shown::Program(index, question));
                }
                None if edited.contains(&index) => {
                    let name = &step.save_as;
                    let text = format!(
                        "{name}: {}\n  another step writes its program",
                        CodeTools::RUN
                    );
                    add(CodeTools::RUN, Shown::Call(text));
                }
                _ => {}
            }
            continue;
        }
        let called = known.zip(step.called());
        let Some((tool, facts)) = called.and_then(|(known, tool)| known.get_key_value(tool)) else {
            continue;
        };
        let approval = run.programs.decide_call(tool, &facts.traits);
        match approval.decision {
            Decision::Denied => return Err(denied(tool).into()),
            Decision::Asked => add(tool, Shown::Call(call(step, facts, &approval.why))),
            Decision::Allowed | Decision::Granted => {}
        }
    }
    Ok((tools, shown))
}

/// A call with everything that is decided about.
fn call(step: &Step, known: &KnownTool, asked: &Why) -> String {
    let (name, tool) = (&step.save_as, step.called().unwrap_or_default());
    let args = Value::Object(step.args.clone().unwrap_or_default());
    let mut text = format!("{name}: {tool} {args:#}\n  {}", why(asked));
    if let Some(command) = &known.command {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  runs {command}");
    }
    text
}

/// Asks about a plan, which can run if it `is_valid`.
fn ask(
    run: &PlanRun,
    prompt: &Prompt,
    (tools, shown): (&[String], &[Shown]),
    is_valid: bool,
) -> Result<Answer, Failure> {
    let programs = shown.iter().filter_map(|shown| match shown {
        Shown::Program(index, question) => Some((*index, !question.calls.is_empty())),
        Shown::Call(_) => None,
    });
    let programs: Vec<(usize, bool)> = programs.collect();
    let mut options = Vec::new();
    if is_valid {
        options.push((Answer::Run, "yes".to_owned()));
        if programs.iter().any(|(_, calls)| *calls) {
            let label = "yes, and ask at each call of its programs";
            options.push((Answer::AskAtEach, label.to_owned()));
        }
    }
    options.extend(programs.into_iter().map(|(index, _)| {
        let name = &run.contract.steps[index].save_as;
        (Answer::Edit(index), format!("edit the program of {name}"))
    }));
    options.push((Answer::No(None), "no".to_owned()));
    options.push((Answer::No(Some(String::new())), "no, because …".to_owned()));
    let question = if is_valid {
        format!("Run this plan, which calls {}?", tools.join(", "))
    } else {
        "This plan cannot run.".to_owned()
    };
    let labels: Vec<&str> = options.iter().map(|(_, label)| label.as_str()).collect();
    let index = prompt.decide("", &question, &labels)?;
    match options.into_iter().nth(index) {
        Some((Answer::No(Some(_)), _)) => Ok(Answer::No(prompt.reason("the caller")?)),
        Some((answer, _)) => Ok(answer),
        None => Ok(Answer::No(None)),
    }
}

/// The reason for a question, in words.
fn why(why: &Why) -> &str {
    match why {
        Why::Rule => "asked by a rule of yours",
        Why::Destructive => "asked because it may destroy something",
        Why::OpenWorld => "asked because it reaches an open world",
        Why::Foreign => "asked because it is a program of others",
        Why::Other(other) => other,
        _ => "asked because it runs a program",
    }
}

/// The failure of a plan that waits in its session.
fn waits(tools: &[String], resume: &str) -> Diagnostic {
    let message = format!("the plan waits for an approval of {}", tools.join(", "));
    let show = resume.replacen("resume", "show", 1);
    Diagnostic::new(Code::ApprovalWanted, message)
        .hint(format!("`{show}` shows it, and `{resume}` runs it"))
        .hint("--yes and --allow TOOL approve in advance")
}

/// The failure of a plan with a tool that a rule denies.
pub(super) fn denied(tool: &str) -> Diagnostic {
    let message = "a rule of yours denies this tool, so the plan does not run";
    Diagnostic::new(Code::Denied, message).with_subject(tool)
}
