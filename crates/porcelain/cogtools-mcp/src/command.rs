//! The command line, and the run.
//!
//! The thread of `run` owns the streams and writes the output; another one has the
//! async runtime; one reads standard input; each call has its own.

use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cogtools_core::{Code, Diagnostic, Target};
use cogtools_program::args::{
    EnvArgs, FilterArgs, RegistryArgs, filter_args, locked_arg, locked_from_matches, sandbox_arg,
};
use cogtools_program::budget::{self, BudgetArg};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, exit, man};
use tokio_util::sync::CancellationToken;

use crate::call::Workers;
use crate::catalogue::{Catalogue, CatalogueArgs};
use crate::change::ListChanged;
use crate::http::Address;
use crate::manual::MANUAL;
use crate::metrics::Metrics;
use crate::observe::Observers;
use crate::output::{outgoing, write_loop};
use crate::request_log::RequestLog;
use crate::serve::{Listen, SHUTDOWN_GRACE, serve};
use crate::server::AppState;
use crate::traces::Collector;

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::Denied, Code::InvalidConfig],
    variables: man::SOURCES,
    manual: MANUAL,
};

pub(crate) const NAME: &str = "cogtools-mcp";

/// The variable with the token of `--http`.
const TOKEN_VAR: &str = "MCP_SERVER_TOKEN";
/// The APIs of `--api`.
const APIS: [Target; 3] = [Target::Gemini, Target::OpenAi, Target::Anthropic];
/// How long a client may take to read the rest of the output after a signal.
const FLUSH_GRACE: Duration = Duration::from_secs(1);

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
        .args(service_args())
        .arg(
            Arg::new("api")
                .long("api")
                .value_name("API")
                .value_parser(PossibleValuesParser::new(APIS.map(Target::name)))
                .help("API that the client passes the tools to; by default, the strictest is assumed"),
        )
        .arg(locked_arg())
        .arg(sandbox_arg())
        .arg(budget::arg())
        .args(filter_args())
}

/// The options of a server over HTTP, for those who run one.
fn service_args() -> [Arg; 4] {
    [
        Arg::new("metrics")
            .long("metrics")
            .requires("http")
            .action(ArgAction::SetTrue)
            .help("Count calls, and show them to Prometheus under /metrics"),
        Arg::new("traces")
            .long("traces")
            .requires("http")
            .action(ArgAction::SetTrue)
            .help("Send a span of OpenTelemetry for each call to the collector of OTEL_EXPORTER_OTLP_ENDPOINT"),
        Arg::new("log")
            .long("log")
            .requires("http")
            .action(ArgAction::SetTrue)
            .help("Write a line of JSON for each call to standard error"),
        Arg::new("drain")
            .long("drain")
            .value_name("SECONDS")
            .requires("http")
            .value_parser(value_parser!(u64).range(..=3_600))
            .help("How long calls may continue after a signal; 2 by default"),
    ]
}

/// A loopback address and port; `localhost` is the IPv4 one.
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
        Some(_) => Err("not a loopback address".to_owned()),
        None => Err("expected an address and a port, such as 127.0.0.1:8765".to_owned()),
    }
}

/// The command line.
struct McpArgs {
    project: Option<OsString>,
    http: Option<SocketAddr>,
    metrics: bool,
    traces: bool,
    log: bool,
    drain: Duration,
    tools: CatalogueArgs,
}

impl McpArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        Self {
            project: matches.get_one::<OsString>("project").cloned(),
            http: matches.get_one::<SocketAddr>("http").copied(),
            metrics: matches.get_flag("metrics"),
            traces: matches.get_flag("traces"),
            log: matches.get_flag("log"),
            drain: matches
                .get_one::<u64>("drain")
                .map_or(SHUTDOWN_GRACE, |seconds| Duration::from_secs(*seconds)),
            tools: CatalogueArgs {
                registry: RegistryArgs {
                    filter: FilterArgs::from_matches(matches),
                    env: EnvArgs::sandbox_from_matches(matches),
                    locked: locked_from_matches(matches),
                    lenient: true,
                    ..RegistryArgs::default()
                },
                budget: BudgetArg::from_matches(matches),
                api: matches
                    .get_one::<String>("api")
                    .and_then(|name| Target::parse(name)),
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
            return Err(diagnostic.hint("pass the directory of a project").into());
        }
        io.cwd = cwd;
    }
    let catalogue = Arc::new(Catalogue::new(args.tools, io));
    // An invalid configuration is reported before any client waits.
    for diagnostic in catalogue.registry()?.config_errors() {
        io.report(Severity::Error, diagnostic);
    }
    let listen = match args.http {
        Some(socket) => Listen::Http(Address {
            socket,
            token: token(io)?,
            drain: args.drain,
        }),
        None => Listen::Stdio(io.stdin.take()),
    };
    let (outgoing, queue) = outgoing();
    if io.stdin.is_terminal() && matches!(listen, Listen::Stdio(_)) {
        io.note(TERMINAL);
    }
    let stop = CancellationToken::new();
    let collector = args.traces.then(|| Collector::of(io));
    let collector = collector.transpose().map_err(|error| *error)?;
    let observers = Observers {
        metrics: args.metrics.then(Metrics::new),
        log: args.log.then(|| RequestLog::new(outgoing.clone())),
        traces: None,
    };
    let state = AppState {
        catalogue,
        workers: Workers::new(),
        list_changed: ListChanged::new(),
        outgoing,
        observers,
        closing: CancellationToken::new(),
        stop: stop.clone(),
    };
    let (writing, written) = channel::<()>();
    let server = thread::Builder::new()
        .name("mcp".into())
        .spawn(move || exit_after_signal(serve(state, listen, collector), &written))
        .map_err(|error| {
            Diagnostic::new(Code::Internal, format!("cannot start a thread: {error}"))
        })?;
    let write_result = write_loop(io, queue, || stop.cancel());
    drop(writing);
    // A panic was already reported.
    let served = server.join().unwrap_or(Ok(Code::Internal.status()));
    write_result?;
    match served? {
        0 => Ok(()),
        status => Err(Failure::Reported(status)),
    }
}

const TERMINAL: &str = "this is an MCP server, waiting for a client on standard input; see \
                        `cogtools help mcp` for how to configure clients";

/// The token that clients must send, if there is one.
fn token(io: &Io<'_>) -> Result<Option<String>, Failure> {
    let Some(token) = io.vars.get(OsStr::new(TOKEN_VAR)) else {
        return Ok(None);
    };
    match token.to_str() {
        Some("") => {
            let diagnostic = Diagnostic::new(Code::Usage, "the token is empty");
            let diagnostic = diagnostic.with_subject(TOKEN_VAR);
            Err(diagnostic.hint("set a token, or unset the variable").into())
        }
        Some(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(Some(token.to_owned()))
        }
        _ => {
            let message = "a token can only have visible ASCII characters";
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(TOKEN_VAR);
            Err(diagnostic.hint("choose another token").into())
        }
    }
}

/// Exits after a signal even if a client that does not read blocks the thread that
/// writes the output.
fn exit_after_signal(served: Result<u8, Failure>, written: &Receiver<()>) -> Result<u8, Failure> {
    if let Ok(status @ 1..) = served
        && written.recv_timeout(FLUSH_GRACE) == Err(RecvTimeoutError::Timeout)
    {
        exit(status);
    }
    served
}
