//! The run: from the description of a server to its response.

use std::ffi::OsStr;
use std::sync::Mutex;
use std::time::Duration;

use clap::ArgMatches;
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::process::Confinement;
use cogtools_core::source::Server as Source;
use cogtools_core::{Cancel, Code, Diagnostic, Tool};
use cogtools_program::call::{input_diagnostic, quote};
use cogtools_program::{Failure, Io, Program, SignalGuard, Stdin};
use serde_json::{Map, Value};
use tokio::runtime::Builder;

use crate::auth::{self, Store};
use crate::client::exchange::{Exchange, Request, Response};
use crate::client::manual::MANUAL;
use crate::client::options::{ClientArgs, RequestArgs, command};
use crate::client::process::ServerProcess;
use crate::client::server::{Server, Transport};

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::ToolFailed,
        Code::InvalidArgumentsSyntax,
        Code::Unavailable,
        Code::IoFailed,
        Code::Denied,
        Code::InvalidConfig,
        Code::Timeout,
        Code::ToolNotFound,
    ],
    variables: &[],
    manual: MANUAL,
};

pub(crate) const NAME: &str = Source::PROGRAM;
/// The variable with the description of the server.
pub(crate) const SERVER_VAR: &str = Source::VARIABLE;
/// The default limits of the two subcommands.
pub(crate) const LIST_TIMEOUT: Duration = Source::LIST_TIMEOUT;
pub(crate) const CALL_TIMEOUT: Duration = Tool::TIMEOUT;
fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    // Without a subcommand clap has already reported the error.
    let Some(args) = ClientArgs::from_matches(matches)? else {
        return Ok(());
    };
    let variable = io
        .var(SERVER_VAR)
        .map(|text| text.to_string_lossy().into_owned());
    let described = args.server.or(variable);
    let (request, default_timeout) = match args.request {
        RequestArgs::Login(args) => return auth::login(&args, described, io),
        RequestArgs::Logout(args) => return auth::logout(&args, described, io),
        RequestArgs::Call {
            tool,
            json,
            expected,
        } => {
            let arguments = read_arguments(&tool, io)?;
            let request = Request::CallTool {
                name: tool,
                arguments,
                json,
                expected,
            };
            (request, CALL_TIMEOUT)
        }
        RequestArgs::Discover => (Request::ListTools, LIST_TIMEOUT),
    };
    let server = read_server(described)?;
    let timeout = server.timeout_or(default_timeout);
    let response = send(&server, &request, timeout, io)?;
    if response.is_error {
        // The tool's own text, for the program that runs this one.
        let mut diagnostic = Diagnostic::new(Code::ToolFailed, "the tool reported an error");
        diagnostic.details = response.text;
        return Err(diagnostic.into());
    }
    io.print(response.text.as_bytes())
}

fn read_server(described: Option<String>) -> Result<Server, Failure> {
    let Some(description) = described else {
        let diagnostic = Diagnostic::new(Code::Usage, "no server given");
        return Err(diagnostic
            .hint(format!("describe it with --server or in {SERVER_VAR}"))
            .into());
    };
    let server = Server::read(&description);
    server.map_err(|error| error.diagnostic(String::new()).into())
}

/// Reads the arguments for `tool` from stdin.
fn read_arguments(tool: &str, io: &mut Io<'_>) -> Result<Map<String, Value>, Failure> {
    let bytes = io.stdin.read().map_err(|error| {
        let line = format!("{NAME} call {}", quote(tool));
        input_diagnostic(&error, tool, || None, &line)
    })?;
    let arguments = Arguments::read(bytes, Syntax::Json).map_err(|error| error.diagnostic())?;
    Ok(arguments.into_object())
}

/// Sends the request to the server, and stops the server if this program started it.
fn send(
    server: &Server,
    request: &Request,
    timeout: Duration,
    io: &Io<'_>,
) -> Result<Response, Failure> {
    let mut vars = io.vars.clone();
    vars.remove(OsStr::new(SERVER_VAR));
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            let message = format!("cannot start the async runtime: {error}");
            Diagnostic::new(Code::Internal, message)
        })?;
    let cancel = Cancel::default();
    let signals = SignalGuard::begin(&cancel);
    let phase = Mutex::new("initialize");
    let exchange = Exchange {
        server,
        request,
        timeout,
        cancel: &cancel,
        phase: &phase,
    };
    let transport = server
        .transport()
        .map_err(|error| error.diagnostic(String::new()))?;
    let result = match transport {
        Transport::Command(program, args) => {
            // Its limits are those of this process.
            let confinement = server.confine(Confinement::new(io.program.parent()));
            ServerProcess::start(&server.name, program, args, &vars, &io.cwd, confinement)
                .map_err(|error| Box::new(error.diagnostic(String::new())))
                .and_then(|process| runtime.block_on(exchange.run_stdio(process)))
        }
        Transport::Url(url) => runtime.block_on(exchange.run_http(url, &vars, Store::of(io))),
    };
    runtime.shutdown_background();
    match signals.status() {
        Some(status) => Err(Failure::Reported(status)),
        None => result.map_err(|diagnostic| Failure::from(*diagnostic)),
    }
}
