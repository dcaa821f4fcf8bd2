//! The command line, and the run: who does what in which thread.
//!
//! The thread of `run` owns the streams and writes what is said; another one has
//! the runtime; one reads standard input; each call has its own.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::{FilterArgs, RegistryArgs, filter_args};
use cogtools_program::budget::{self, BudgetArg};
use cogtools_program::{Failure, Io, Program, Stdin, exit, man};
use tokio_util::sync::CancellationToken;

use crate::call::Workers;
use crate::catalogue::{Catalogue, CatalogueArgs};
use crate::change::Changes;
use crate::http::Address;
use crate::manual::MANUAL;
use crate::serve::{Door, serve};
use crate::server::House;
use crate::speech::{speak, speech};

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::InvalidConfig],
    variables: man::SOURCES,
    manual: MANUAL,
};

pub(crate) const NAME: &str = "cogtools-mcp";

/// The variable with the token of `--http`.
const TOKEN: &str = "MCP_SERVER_TOKEN";
/// How long a client that does not read has, once a signal has come.
const LAST: Duration = Duration::from_secs(1);

fn command() -> Command {
    Command::new(NAME)
        .about("Serve the project's tools over the Model Context Protocol")
        .long_about(
            "Serve the tools of the project that contains the current directory to a client of the \
             Model Context Protocol, over standard input and output or over HTTP on this machine. \
             The client starts the server, and the server exits with it.",
        )
        .arg(
            Arg::new("project")
                .long("project")
                .value_name("DIR")
                .value_parser(value_parser!(OsString))
                .help("Project directory; the project that contains the current directory by default"),
        )
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDRESS")
                .value_parser(address)
                .help("Serve over HTTP on this loopback address, such as 127.0.0.1:8765, and print the URL"),
        )
        .arg(budget::arg())
        .args(filter_args())
}

/// A socket on this machine; `localhost` is its IPv4 address.
fn address(text: &str) -> Result<SocketAddr, String> {
    let socket = match text.strip_prefix("localhost:") {
        Some(port) => port
            .parse()
            .map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
            .ok(),
        None => text.parse().ok(),
    };
    match socket {
        Some(socket) if socket.ip().is_loopback() => Ok(socket),
        Some(_) => Err("only addresses of this machine are served".to_owned()),
        None => Err("write an address and a port, such as 127.0.0.1:8765".to_owned()),
    }
}

/// The command line.
struct McpArgs {
    project: Option<OsString>,
    http: Option<SocketAddr>,
    tools: CatalogueArgs,
}

impl McpArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            project: matches.get_one::<OsString>("project").cloned(),
            http: matches.get_one::<SocketAddr>("http").copied(),
            tools: CatalogueArgs {
                registry: RegistryArgs {
                    filter: FilterArgs::from_matches(matches),
                    ..RegistryArgs::default()
                },
                budget: BudgetArg::from_matches(matches),
            },
        }
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = McpArgs::from_matches(matches);
    if let Some(directory) = args.project {
        let cwd = io.cwd.join(&directory);
        if !cwd.is_dir() {
            let message = format!("`{}` is not a directory", directory.display());
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject("--project");
            return Err(diagnostic.hint("name the directory of a project").into());
        }
        io.cwd = cwd;
    }
    let catalogue = Arc::new(Catalogue::new(args.tools, io));
    // What is wrong from the start is said before any client waits.
    catalogue.registry()?;
    let door = match args.http {
        Some(socket) => Door::Http(Address {
            socket,
            token: token(io)?,
        }),
        None => Door::Streams(io.stdin.take()),
    };
    let (speeches, heard) = speech();
    if io.stdin.is_terminal() && matches!(door, Door::Streams(_)) {
        io.note(TERMINAL);
    }
    let stop = CancellationToken::new();
    let house = House {
        catalogue,
        workers: Workers::new(),
        changes: Changes::new(),
        speeches,
        stop: stop.clone(),
    };
    let (speaking, spoken) = channel::<()>();
    let serving = thread::Builder::new()
        .name("mcp".into())
        .spawn(move || end(serve(house, door), &spoken))
        .map_err(|error| {
            Diagnostic::new(Code::Internal, format!("no thread can be started: {error}"))
        })?;
    let said = speak(io, heard, || stop.cancel());
    drop(speaking);
    // A panic has been reported where it happened.
    let ended = serving.join().unwrap_or(Ok(Code::Internal.status()));
    said?;
    match ended? {
        0 => Ok(()),
        status => Err(Failure::Status(status)),
    }
}

const TERMINAL: &str = "this speaks MCP with the client that starts it, and waits for one on \
                        standard input; `cogtools help mcp` tells how to configure clients";

/// The token that clients must send, if there is one to send.
fn token(io: &Io<'_>) -> Result<Option<String>, Failure> {
    let Some(token) = io.var(TOKEN) else {
        return Ok(None);
    };
    match token.to_str() {
        Some(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(Some(token.to_owned()))
        }
        _ => {
            let message = "a token has visible ASCII characters only";
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(TOKEN);
            Err(diagnostic.hint("choose another one").into())
        }
    }
}

/// Sees to it that a signal ends the process even when the streams' own thread
/// is held up by a client that does not read.
fn end(served: Result<u8, Failure>, spoken: &Receiver<()>) -> Result<u8, Failure> {
    if let Ok(status @ 1..) = served
        && spoken.recv_timeout(LAST) == Err(RecvTimeoutError::Timeout)
    {
        exit(status);
    }
    served
}
