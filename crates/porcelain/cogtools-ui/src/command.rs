//! The command line.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_program::args::all;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::manual::MANUAL;
use crate::server::serve;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-ui",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[],
    variables: man::SOURCES,
    manual: MANUAL,
};

/// The command line.
pub(crate) struct UiArgs {
    /// Where to listen; port 0 selects a free one.
    pub(crate) address: SocketAddr,
    /// True if the browser of the user is started.
    pub(crate) open: bool,
    /// Sessions in files of their own.
    pub(crate) files: Vec<PathBuf>,
}

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Look at tools and sessions in a browser")
        .long_about(
            "Serve pages about the tools and the sessions of the project that contains the \
             current directory, only to a browser on this machine, and print their URL. The \
             pages show what is in the files, follow a session while it runs, and call tools \
             as `cogtools call` does.",
        )
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("Also show the session in this file"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .default_value("0")
                .help("Listen on this port; 0 selects a free one"),
        )
        .arg(
            Arg::new("open")
                .long("open")
                .action(ArgAction::SetTrue)
                .help("Open the page in the browser"),
        )
}

impl UiArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let port = matches.get_one("port").copied().unwrap_or_default();
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            open: matches.get_flag("open"),
            files: all(matches, "session"),
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    serve(&UiArgs::from_matches(matches), io)
}
