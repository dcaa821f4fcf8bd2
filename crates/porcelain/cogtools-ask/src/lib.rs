//! `cogtools ask`: a model that can call the tools of the project.
//!
//! This crate brings together what a run consists of; the loop itself is `cogtools-agent`.

mod answer_schema;
mod args;
mod conversation;
mod decisions;
mod display;
mod dry_run;
mod history;
mod manual;
mod markdown;
mod prompt;
mod run;
mod slash;
mod summary;
mod tools;
mod worker;

use clap::{ArgMatches, CommandFactory as _};
use cogtools_core::Code;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use args::AskArgs;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-ask",
    command: AskArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Program::PROJECT_CODES,
        Program::MODEL_CODES,
        Program::SESSION_CODES,
        &[
            Code::InvalidAnswer,
            Code::Repetition,
            Code::AnswerCut,
            Code::InvalidRecording,
            Code::TemplateFailed,
            Code::ApprovalWanted,
            Code::CodeInterrupted,
            Code::CodeTypes,
            Code::SchemaViolation,
            Code::Timeout,
        ],
    ],
    variables: man::SOURCES,
    manual: manual::MANUAL,
};

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    io.keep_sessions();
    run::run(AskArgs::from_matches(matches)?, io)
}
