//! The command line.

use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::Code;
use cogtools_program::args;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::manual::MANUAL;
use crate::server::serve;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-ui",
    command: UiArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::SESSION_CODES, &[Code::Denied]],
    variables: man::SOURCES,
    manual: MANUAL,
};

/// Look at tools and sessions in a browser
#[derive(Parser)]
#[command(
    long_about = "Serve pages about the tools and the sessions of the project that contains the \
        current directory, only to a browser on this machine, and print their URL. The pages show \
        what is in the files, follow a session while it runs, and call tools as `cogtools call` \
        does."
)]
pub(crate) struct UiArgs {
    /// Also show the session in this file
    #[arg(id = "session", long, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Listen on this port; 0 selects a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    serve(&args::parse(matches)?, io)
}
