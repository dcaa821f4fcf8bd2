//! `cogtools` alone: the project's tools, and what to do next.

use cogtools_core::hint::{Command, Hint};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::{project, registry};
use cogtools_program::{Failure, Io, render_hint};

/// Lists the tools, followed by the next steps.
pub(crate) fn run(io: &mut Io<'_>) -> Result<(), Failure> {
    let is_empty = registry(&RegistryArgs::default(), io, None)?.is_empty();
    if is_empty {
        let place = if project(io).is_marked() {
            "this project has no tools yet"
        } else {
            "this folder is not in a project, and has no tools"
        };
        let steps = [
            (Command::Init, "set the project up, with an example"),
            (Command::New, "create a tool"),
            (Command::Help("cogtools"), "read about all programs"),
        ];
        return io.show(&format!("{place}\n\n{}", next(steps)));
    }
    let list = &crate::list::PROGRAM;
    let matches = list.command().try_get_matches_from([list.name]);
    let matches = matches.map_err(|error| Diagnostic::new(Code::Internal, error.to_string()))?;
    (list.run)(&matches, io)?;
    let words = vec!["KEY=VALUE".to_owned()];
    let steps = [
        (Command::Run("NAME".to_owned(), words), "call a tool"),
        (Command::New, "create a tool"),
        (Command::Help("cogtools"), "read about all programs"),
    ];
    io.show(&format!("\n{}", next(steps)))
}

/// The commands, one per line, each with what it does.
fn next(steps: [(Command, &str); 3]) -> String {
    let line = |(command, purpose): (Command, &str)| {
        let command = render_hint(&Hint::run("", command, "")).into_owned();
        format!("  {command:<31}{purpose}\n")
    };
    let lines: String = steps.into_iter().map(line).collect();
    format!("Next:\n{lines}")
}
