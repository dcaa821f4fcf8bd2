//! The run: from the description of a server to its response.

use std::ffi::OsStr;
use std::sync::Mutex;
use std::time::Duration;

use clap::ArgMatches;
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::process::Confinement;
use cogtools_core::source::Server as Source;
use cogtools_core::{Cancel, Code, Diagnostic, Tool, ToolOutput};
use cogtools_http::Reason;
use cogtools_program::call::{input_diagnostic, quote};
use cogtools_program::{Failure, Io, Program, SignalGuard, Stdin, Vars};
use serde_json::{Map, Value, json};
use tokio::runtime::Builder;

use crate::declaration;
use crate::error::ClientError;
use crate::http::Http;
use crate::http_error::HttpError;
use crate::manual::MANUAL;
use crate::options::{ClientArgs, RequestArgs, command};
use crate::process::{ServerProcess, Stop};
use crate::server::{Server, Transport};
use crate::session::{Phase, Session, SessionError};

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command,
    run,
    stdin: Stdin::Read,
    codes: &[
        Code::ToolFailed,
        Code::InvalidArgumentsSyntax,
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
const SERVER_VAR: &str = Source::VARIABLE;
/// The default limits of the two subcommands.
const LIST_TIMEOUT: Duration = Source::LIST_TIMEOUT;
const CALL_TIMEOUT: Duration = Tool::TIMEOUT;
/// How often the run checks whether a signal has cancelled it.
const CANCEL_POLL: Duration = Duration::from_millis(20);
/// The limit for closing the session.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// A request to a server.
enum Request {
    ListTools,
    CallTool {
        name: String,
        arguments: Map<String, Value>,
        /// Whether to print the result as the server returned it.
        json: bool,
        /// The digest of the declaration that the caller knows.
        expected: Option<String>,
    },
}

/// The server's response: text, and whether it reports an error.
struct Response {
    text: String,
    is_error: bool,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    // Without a subcommand clap has already reported the error.
    let Some(args) = ClientArgs::from_matches(matches)? else {
        return Ok(());
    };
    let variable = io
        .var(SERVER_VAR)
        .map(|text| text.to_string_lossy().into_owned());
    let Some(description) = args.server.or(variable) else {
        let diagnostic = Diagnostic::new(Code::Usage, "no server given");
        return Err(diagnostic
            .hint(format!("describe it with --server or in {SERVER_VAR}"))
            .into());
    };
    let server = Server::read(&description).map_err(|error| error.diagnostic(String::new()))?;
    let (request, default_timeout) = match args.request {
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
        Transport::Url(url) => runtime.block_on(exchange.run_http(url, &vars)),
    };
    runtime.shutdown_background();
    match signals.status() {
        Some(status) => Err(Failure::Reported(status)),
        None => result.map_err(|diagnostic| Failure::from(*diagnostic)),
    }
}

/// One request to one server.
struct Exchange<'t> {
    server: &'t Server,
    request: &'t Request,
    timeout: Duration,
    cancel: &'t Cancel,
    phase: &'t Phase,
}

impl Exchange<'_> {
    async fn run_stdio(&self, mut process: ServerProcess) -> Result<Response, Box<Diagnostic>> {
        let transport = process.transport();
        let result = self.with_timeout(self.run(|| transport.clone())).await;
        let error = match result {
            Ok(response) => {
                let _ = process.stop(Stop::Gracefully);
                return Ok(response);
            }
            Err(SessionError::Disconnected(phase)) => process.exit_error(phase),
            Err(SessionError::Server(error)) => match (error, process.stray_output()) {
                (ClientError::TimedOut(name, ..), Some(output)) => {
                    ClientError::StrayOutput(name, output)
                }
                (error, _) => error,
            },
        };
        let _ = process.stop(Stop::Immediately);
        // A server whose stdout is no longer read complains about that: misleading here.
        let stderr = match error {
            ClientError::StrayOutput(..) | ClientError::TooLarge(_) => String::new(),
            _ => process.stderr(),
        };
        Err(Box::new(error.diagnostic(stderr)))
    }

    async fn run_http(&self, url: &str, vars: &Vars) -> Result<Response, Box<Diagnostic>> {
        let name = &self.server.name;
        let redacted = |error: ClientError| {
            let mut diagnostic = error.diagnostic(String::new());
            diagnostic.message = self.server.redact(&diagnostic.message, vars);
            Box::new(diagnostic)
        };
        let headers = self.server.headers(vars).map_err(redacted)?;
        let http = Http::new(vars, self.timeout)
            .map_err(|error| redacted(ClientError::Http(name.clone(), error)))?;
        let result = self
            .with_timeout(self.run(|| http.transport(url, &headers)))
            .await;
        result.map_err(|error| match error {
            SessionError::Server(error) => redacted(error),
            SessionError::Disconnected(_) => {
                let truncated = HttpError::Request(Reason::Truncated);
                let error = match http.last_error().unwrap_or(truncated) {
                    HttpError::Request(Reason::TooLarge(_)) => ClientError::TooLarge(name.clone()),
                    error => ClientError::Http(name.clone(), error),
                };
                redacted(error)
            }
        })
    }

    /// Ends `work` when it times out or a signal cancels it.
    async fn with_timeout(
        &self,
        work: impl Future<Output = Result<Response, SessionError>>,
    ) -> Result<Response, SessionError> {
        let cancelled = async {
            while !self.cancel.is_cancelled() {
                tokio::time::sleep(CANCEL_POLL).await;
            }
        };
        let timed_out = || {
            let phase = self.phase.lock().map_or("initialize", |phase| *phase);
            let name = self.server.name.clone();
            SessionError::Server(ClientError::TimedOut(name, phase, self.timeout))
        };
        let first = futures::future::select(Box::pin(work), Box::pin(cancelled));
        match tokio::time::timeout(self.timeout, first).await {
            Ok(futures::future::Either::Left((result, _))) => result,
            _ => Err(timed_out()),
        }
    }

    async fn run<T: rmcp::transport::Transport<rmcp::RoleClient> + 'static>(
        &self,
        transport: impl Fn() -> T,
    ) -> Result<Response, SessionError> {
        let session = Session::start(&self.server.name, self.phase, transport).await?;
        let response = match self.request {
            Request::ListTools => {
                let tools = session.list_tools().await?;
                let declarations: Vec<Value> = tools.iter().map(declaration::from_mcp).collect();
                Response {
                    text: json!(declarations).to_string(),
                    is_error: false,
                }
            }
            Request::CallTool {
                name,
                arguments,
                json,
                expected,
            } => {
                // Over stateless HTTP a server may require arguments as headers, too;
                // its list of tools says which.
                let needs_headers = session.is_stateless() && self.server.url.is_some();
                if expected.is_some() || needs_headers {
                    let tools = session.list_tools().await?;
                    declaration::check(&tools, name, expected.as_deref(), &self.server.name)
                        .map_err(SessionError::Server)?;
                }
                let result = session.call_tool(name, arguments.clone()).await?;
                let is_error = result.get("isError") == Some(&Value::Bool(true));
                let text = if *json && !is_error {
                    json!(result).to_string()
                } else {
                    ToolOutput::from_mcp(result).text
                };
                Response { text, is_error }
            }
        };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, session.close()).await;
        Ok(response)
    }
}
