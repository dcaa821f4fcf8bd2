//! Words after `cogtools` that are not programs: what their user probably wants.

use std::ffi::OsStr;

use cogtools_core::hint::Command;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, Hint};
use cogtools_program::Io;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::cached_registry;

use crate::locate::ProgramPath;

/// The error for `cogtools NAME ARGS`, where no program has that name.
pub(crate) fn unknown(
    name: &str,
    args: &[&OsStr],
    program_path: &ProgramPath,
    io: &Io<'_>,
) -> Diagnostic {
    let message = format!("there is no program `{name}`");
    let mut diagnostic = Diagnostic::new(Code::UnknownProgram, message);
    if is_tool(name, io) {
        let words = args.iter().map(|arg| arg.display().to_string()).collect();
        let command = Command::Run(name.to_owned(), words);
        let hint = Hint::run("a tool has this name: ", command, " calls it");
        return diagnostic.hint(hint);
    }
    let answers = answers(name);
    if answers.is_empty() {
        let programs = program_path.all();
        let suggestion = did_you_mean(name, programs.keys().map(String::as_str));
        diagnostic.hints.extend(suggestion.map(Hint::from));
    }
    diagnostic.hints.extend(answers);
    diagnostic.hint(Hint::run("", Command::HelpAll, " lists every program"))
}

/// What to run instead of a word that other tools use for what cogtools does.
fn answers(word: &str) -> Vec<Hint> {
    let run = |command, after| Hint::run("", command, after);
    match word {
        "check" | "validate" | "verify" => vec![
            run(Command::Lint, " checks the tool files"),
            run(Command::Test, " checks what the tools answer"),
            run(Command::Doctor, " checks the installation"),
        ],
        "show" | "ls" | "tools" => vec![run(Command::List, " lists the tools")],
        "create" => vec![run(Command::New, " creates a tool")],
        "setup" => vec![run(Command::Init, " sets up the project")],
        _ => Vec::new(),
    }
}

/// Whether the project has the tool `name`, as far as its files and caches say. Nothing is started to find out.
fn is_tool(name: &str, io: &Io<'_>) -> bool {
    let args = RegistryArgs {
        lenient: true,
        ..RegistryArgs::default()
    };
    cached_registry(&args, io).is_ok_and(|registry| registry.locate(name).is_ok())
}
