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

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, CommandFactory as _, Parser, value_parser};
use cogtools_core::{Code, Diagnostic, Target};
use cogtools_program::args::{self, FilterArgs, LockedArg, RegistryArgs, SandboxArg};
use cogtools_program::budget::BudgetArg;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, exit, man};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::call::Workers;
use crate::catalogue::Catalogue;
use crate::http::Address;
use crate::manual::MANUAL;
use crate::observe::{Metrics, Observers};
use crate::serve::{Listen, MAX_QUEUED, SHUTDOWN_GRACE, serve, write_loop};
use crate::server::AppState;
use crate::traces::Collector;

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command: McpArgs::command,
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
/// The time that a client may take to read the rest of the output after a signal.
const FLUSH_GRACE: Duration = Duration::from_secs(1);

const DRAIN_HELP: &str = "How long calls may continue after a signal; 2 by default";
const TRACES_HELP: &str =
    "Send a span of OpenTelemetry for each call to the collector of OTEL_EXPORTER_OTLP_ENDPOINT";

/// Serve the project's tools over the Model Context Protocol
#[derive(Parser)]
#[command(
    long_about = "Serve the tools of the project that contains the current directory to a client \
        of the Model Context Protocol, over standard input and output or over HTTP on this \
        machine. The client starts the server, and the server exits with it."
)]
struct McpArgs {
    /// Project directory; the project that contains the current directory by default
    #[arg(long, value_name = "DIR")]
    project: Option<OsString>,
    /// Serve over HTTP on this loopback address, such as 127.0.0.1:8765, and print the URL
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,
    /// Count calls, and show them to Prometheus under /metrics
    #[arg(long, requires = "http")]
    metrics: bool,
    #[arg(long, requires = "http", help = TRACES_HELP)]
    traces: bool,
    /// Write a line of JSON for each call to standard error
    #[arg(long, requires = "http")]
    log: bool,
    #[arg(long, value_name = "SECONDS", requires = "http", help = DRAIN_HELP)]
    #[arg(value_parser = value_parser!(u64).range(..=3_600))]
    drain: Option<u64>,
    /// API that the client passes the tools to; by default, the strictest is assumed
    #[arg(long, value_name = "API", value_parser = api())]
    api: Option<Target>,
    #[command(flatten)]
    locked: LockedArg,
    #[command(flatten)]
    sandbox: SandboxArg,
    #[command(flatten)]
    budget: BudgetArg,
    #[command(flatten)]
    filter: FilterArgs,
}

fn api() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(APIS.map(Target::name))
        .try_map(|name| Target::parse(&name).ok_or("unknown API"))
}

/// Reads a loopback address and port; `localhost` is the IPv4 one.
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

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: McpArgs = args::parse(matches)?;
    if let Some(directory) = args.project {
        let cwd = io.cwd.join(&directory);
        if !cwd.is_dir() {
            let message = format!("`{}` is not a directory", directory.display());
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject("--project");
            return Err(diagnostic.hint("pass the directory of a project").into());
        }
        io.cwd = cwd;
    }
    let registry = RegistryArgs {
        filter: args.filter,
        env: args.sandbox.into(),
        locked: args.locked,
        lenient: true,
        ..RegistryArgs::default()
    };
    let catalogue = Arc::new(Catalogue::new(registry, args.budget, args.api, io));
    // An invalid configuration is reported before any client waits.
    for diagnostic in catalogue.registry()?.config_errors() {
        io.report(Severity::Error, diagnostic);
    }
    let listen = match args.http {
        Some(socket) => Listen::Http(Address {
            socket,
            token: token(io)?,
            drain: args.drain.map_or(SHUTDOWN_GRACE, Duration::from_secs),
        }),
        None => Listen::Stdio(io.stdin.take()),
    };
    if io.stdin.is_terminal() && args.http.is_none() {
        io.note(TERMINAL);
    }
    let (outgoing, queue) = mpsc::channel(MAX_QUEUED);
    let stop = CancellationToken::new();
    let collector = args.traces.then(|| Collector::of(io));
    let collector = collector.transpose().map_err(|error| *error)?;
    let observers = Observers {
        metrics: args.metrics.then(Metrics::new),
        log: args.log.then(|| outgoing.clone()),
        traces: None,
    };
    let state = AppState {
        catalogue,
        workers: Workers::new(),
        list_changed: tokio::sync::watch::Sender::new(()),
        outgoing,
        observers,
        introduced: CancellationToken::new(),
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

/// Reads the token that clients must send, if there is one.
fn token(io: &Io<'_>) -> Result<Option<String>, Failure> {
    let Some(token) = io.vars.get(OsStr::new(TOKEN_VAR)) else {
        return Ok(None);
    };
    let (message, hint) = match token.to_str() {
        Some("") => ("the token is empty", "set a token, or unset the variable"),
        Some(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            return Ok(Some(token.to_owned()));
        }
        _ => (
            "a token can only have visible ASCII characters",
            "choose another token",
        ),
    };
    let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(TOKEN_VAR);
    Err(diagnostic.hint(hint).into())
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
