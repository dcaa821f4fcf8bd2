//! `cogtools-mcp-client`: lists the tools of one MCP server, or calls one of them.
//!
//! Discovery and single calls run it for sources of the kind `mcp`: it is a provider like any
//! other, so no other program has to link the protocol. It starts the server, or contacts its
//! URL, and stops the process that it started. `cogtools mcp` uses the same client in process.

pub(crate) mod connector;
pub(crate) mod http;
pub(crate) mod process;
pub(crate) mod server;
pub(crate) mod session;

use std::ffi::OsStr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::process::Confinement;
use cogtools_core::source::Server as Source;
use cogtools_core::{Cancel, Code, Diagnostic, Tool, ToolOutput};
use cogtools_program::call::{input_diagnostic, quote};
use cogtools_program::{Failure, Io, Program, SignalGuard, Stdin, args};
use connector::{Connector, cancelled};
use serde_json::{Map, Value};
use server::Server;
use session::{Listener, Session, SessionError, Watch};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::auth::{self, LoginArgs, SERVER_HELP, SourceArg, Store};

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command: ClientArgs::command,
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
    manual: connector::MANUAL,
};

const NAME: &str = Source::PROGRAM;
/// The variable with the description of the server.
const SERVER_VAR: &str = Source::VARIABLE;
/// The default limit for a list of tools.
pub(crate) const LIST_TIMEOUT: Duration = Source::LIST_TIMEOUT;
/// The default limit for a call.
pub(crate) const CALL_TIMEOUT: Duration = Tool::TIMEOUT;
/// The limit for closing the session.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

const EXPECT_HELP: &str = "Fail unless the server declares the tool with this digest, that of \
    its declaration by discover as compact JSON with sorted keys";

/// List or call the tools of an MCP server
#[derive(Parser)]
#[command(
    name = NAME,
    arg_required_else_help = false,
    long_about = "List the tools of a Model Context Protocol server or call one of them, as \
        sources of the kind mcp do. The server is started, or contacted over HTTP, for this one \
        request."
)]
struct ClientArgs {
    #[command(subcommand)]
    request: Request,
}

#[derive(Subcommand)]
enum Request {
    /// Print the declarations of the server's tools
    Discover {
        #[arg(long, value_name = "JSON", help = SERVER_HELP)]
        server: Option<String>,
    },
    /// Call a tool with arguments from stdin, and print its result
    Call {
        #[arg(long, value_name = "JSON", help = SERVER_HELP)]
        server: Option<String>,
        /// Print the result as the server returned it, including content that is not text
        #[arg(long)]
        json: bool,
        #[arg(id = "expect", long = "expect", value_name = "SHA256", help = EXPECT_HELP)]
        expected: Option<String>,
        #[arg(value_name = "TOOL")]
        tool: String,
    },
    /// Log in to a server that requires OAuth, and keep its token
    Login(LoginArgs),
    /// Revoke the token of a server, and forget it
    Logout(SourceArg),
}

/// A call of a tool.
struct Call {
    tool: String,
    arguments: Map<String, Value>,
    /// True if the result is printed as the server returned it.
    json: bool,
    /// The digest of the declaration that the caller knows.
    expected: Option<String>,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let variable = io
        .var(SERVER_VAR)
        .map(|text| text.to_string_lossy().into_owned());
    let (server, call) = match args::parse::<ClientArgs>(matches)?.request {
        Request::Login(args) => {
            let described = args.server.server.clone().or(variable);
            return auth::login(&args, described, io);
        }
        Request::Logout(args) => {
            let described = args.server.clone().or(variable);
            return auth::logout(&args, described, io);
        }
        Request::Discover { server } => (server, None),
        Request::Call {
            server,
            json,
            expected,
            tool,
        } => {
            let call = Call {
                arguments: read_arguments(&tool, io)?,
                tool,
                json,
                expected,
            };
            (server, Some(call))
        }
    };
    let Some(description) = server.or(variable) else {
        let diagnostic = Diagnostic::new(Code::Usage, "no server given");
        let hint = format!("describe it with --server or in {SERVER_VAR}");
        return Err(diagnostic.hint(hint).into());
    };
    let server = Server::read(&description).map_err(|error| error.diagnostic(String::new()))?;
    let text = send(&server, call, io)?;
    io.print(text.as_bytes())
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

/// Sends the call, or a request for the list of tools, within the limit of the run; returns the
/// text of the answer.
fn send(server: &Server, call: Option<Call>, io: &Io<'_>) -> Result<String, Failure> {
    let default = call.as_ref().map_or(LIST_TIMEOUT, |_| CALL_TIMEOUT);
    let limit = server.timeout_or(default);
    let mut vars = io.vars.clone();
    vars.remove(OsStr::new(SERVER_VAR));
    let cancel = Cancel::default();
    let signals = SignalGuard::begin(&cancel);
    let connector = Connector {
        server,
        vars: &vars,
        directory: &io.cwd,
        // The limits of the server are the limits of this process.
        confinement: Confinement::new(io.program.parent()),
        store: Store::of(io),
        timeout: limit,
        listens: false,
    };
    let phase = Mutex::new(session::INITIALIZE);
    let listener = Arc::<Listener>::default();
    let sent = connector.run(&phase, &listener, async |opening| {
        let work = async {
            let session = opening.await?;
            let answer = answer(&session, call, limit, server).await?;
            let _ = timeout(CLOSE_TIMEOUT, session.close()).await;
            Ok(answer)
        };
        let first = async {
            tokio::select! {
                answer = work => Some(answer),
                () = cancelled(&cancel) => None,
            }
        };
        let timed_out = || session::timed_out(&server.name, &phase, limit);
        let answer = timeout(limit, first).await.ok().flatten();
        answer.unwrap_or_else(|| Err(timed_out()))
    });
    if let Some(status) = signals.status() {
        return Err(Failure::Reported(status));
    }
    match sent.map_err(|diagnostic| *diagnostic)? {
        Ok(text) => Ok(text),
        Err(text) => Err(connector::tool_error(text).into()),
    }
}

/// Returns the text of the answer; the text of the tool's error as `Err`.
async fn answer(
    session: &Session<'_>,
    call: Option<Call>,
    limit: Duration,
    server: &Server,
) -> Result<Result<String, String>, SessionError> {
    let Some(call) = call else {
        let tools = session.list_tools().await?;
        let declarations: Value = tools.iter().map(connector::from_mcp).collect();
        return Ok(Ok(declarations.to_string()));
    };
    // Over stateless HTTP a server may require arguments as headers, too; its list of tools says
    // which.
    if call.expected.is_some() || session.is_stateless() && server.url.is_some() {
        let tools = session.list_tools().await?;
        connector::check(&tools, &call.tool, call.expected.as_deref(), &server.name)?;
    }
    let watch = Watch {
        progress: None,
        cancelled: &Notify::new(),
        timeout: limit,
    };
    let result = session.call_tool(&call.tool, call.arguments, &watch);
    let result = result.await?;
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    if call.json && !is_error {
        return Ok(Ok(Value::Object(result).to_string()));
    }
    let text = ToolOutput::from_mcp(result).text;
    Ok(if is_error { Err(text) } else { Ok(text) })
}
