//! `cogtools code call`: the code of a tool that calls tools, for the programs that run tools.

use clap::Args;
use cogtools_agent::{Journal, begin_tool_session};
use cogtools_code::{Lines, Program, Scope};
use cogtools_core::tool::{CodeReport, CodeTask};
use cogtools_core::{Code, Diagnostic, json};
use cogtools_log::ProgramStatus;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::{self, registry_and_context};
use cogtools_program::{Failure, Io, Severity, SignalGuard, text_input};

use crate::inputs::TapeArgs;

/// Run the code of a tool on standard input, for cogtools-call
#[derive(Args)]
#[group(skip)]
pub(super) struct CallArgs {
    #[command(flatten)]
    registry: RegistryArgs,
    #[command(flatten)]
    tape: TapeArgs,
}

impl CallArgs {
    /// Runs the code, and prints its end as JSON.
    pub(super) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let bytes = text_input::read_bytes(io, "cogtools-call")?;
        let task: CodeTask = json::read_own(&bytes).map_err(|error| {
            let message = format!("standard input is not a call of a tool: {error}");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            Failure::from(diagnostic.hint("this is for cogtools-call; use `cogtools code run`"))
        })?;
        let config = project::config(&project::project(io), io)?;
        let (registry, context) = registry_and_context(&self.registry, io, None)?;
        let mut cx = context.context(io);
        cx.call.tape = self.tape.tape(io);
        let scope = Scope::of_task(registry, cx, &config.ask, &task);
        let log = begin_tool_session(io)?;
        let mut journal = log.map(Journal::new);
        let signals = SignalGuard::begin(scope.cancel());
        let lines = journal.as_mut().map(|it| it as &mut dyn Lines);
        let report = Program::of_task(task).run_unasked(&scope, lines);
        if let Some(status) = signals.status() {
            return Err(Failure::Reported(status));
        }
        let (value, logs) = report.value_and_log();
        let is_completed = report.status == ProgramStatus::Completed;
        let error = report.error().filter(|_| !is_completed);
        let place = error.and_then(|error| error.location.as_ref());
        let report = CodeReport {
            value: is_completed.then_some(value),
            logs,
            position: place.map(|place| (place.line, place.column)),
            error: error.map(|error| io.reporter.json(Severity::Error, error)),
        };
        // Text and JSON can always be serialized.
        io.print(&serde_json::to_vec(&report).unwrap_or_default())
    }
}
