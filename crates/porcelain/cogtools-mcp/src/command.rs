//! The command line, and the run.
//!
//! The thread of `run` owns the streams and writes the output; another one has the
//! async runtime; one reads standard input; each call has its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, Parser, value_parser};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::environment::{DotEnv, PrivateVariable, PrivateVariables};
use cogtools_core::{Cancel, Code, Diagnostic, Source, Target, Tool};
use cogtools_http::Target as Origin;
use cogtools_http::http::Uri;
use cogtools_log::Mask;
use cogtools_program::args::{self, FilterArgs, LockedArg, RegistryArgs, SandboxArg};
use cogtools_program::budget::{self, BudgetArg};
use cogtools_program::call::VerboseArg;
use cogtools_program::project::{project, valid_config};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, exit, man, queue_stderr};
use parking_lot::Mutex;
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::auth::Store;
use crate::call::Workers;
use crate::catalogue::Catalogue;
use crate::code::CodeMode;
use crate::daemon;
use crate::link::StatelessClients;
use crate::manage::{self, ServersCommand};
use crate::observe::{Collector, Log, Metrics, Observers};
use crate::questions::Questions;
use crate::serve::{Address, Listen, MAX_QUEUED, SHUTDOWN_GRACE, serve, write_loop};
use crate::server::AppState;
use crate::workspace::Workspace;

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command: McpArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Program::SOURCE_CODES,
        &[Code::Unavailable, Code::ToolNotFound],
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

pub(crate) const NAME: &str = "cogtools-mcp";

/// The variable with the token of `--http`.
const TOKEN_VAR: &str = "MCP_SERVER_TOKEN";
/// The variable with the sources of tools.
const SOURCES_VAR: &str = "COGTOOLS_TOOL_SOURCES";
/// The APIs of `--api`.
const APIS: [Target; 3] = [Target::Gemini, Target::OpenAi, Target::Anthropic];
/// The time that a client may take to read the rest of the output after a signal.
const FLUSH_GRACE: Duration = Duration::from_secs(1);

const DRAIN_HELP: &str = "How long calls may continue after a signal; 2 by default";
const DAEMON_HELP: &str = "Serve from a process that all clients of the user share; it ends after \
                           this time without one, 900 by default";
const TRACES_HELP: &str =
    "Send a span of OpenTelemetry for each call to the collector of OTEL_EXPORTER_OTLP_ENDPOINT";

/// Serve the project's tools over the Model Context Protocol
#[derive(Parser)]
#[command(
    long_about = "Serve the tools of the project that contains the current directory to a client \
        of the Model Context Protocol, over standard input and output or over HTTP on this \
        machine. The client starts the server, and the server exits with it. With a command, \
        manage the MCP servers that are sources of tools instead.",
    args_conflicts_with_subcommands = true
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
struct McpArgs {
    #[command(subcommand)]
    command: Option<ServersCommand>,
    /// Project directory; the project that contains the current directory by default
    #[arg(long, value_name = "DIR")]
    project: Option<OsString>,
    /// Serve over HTTP on this loopback address, such as 127.0.0.1:8765, and print the URL
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,
    /// Let pages of this origin, such as `http://localhost:5173`, use the server; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http", value_parser = origin)]
    allow_origin: Vec<Origin>,
    /// Count calls, and show them to Prometheus under /metrics
    #[arg(long, requires = "http")]
    metrics: bool,
    #[arg(long, requires = "http", help = TRACES_HELP)]
    traces: bool,
    /// Write a line of JSON for each call to standard error
    #[arg(long)]
    log: bool,
    /// Write the arguments of each call, too, with secrets masked
    #[arg(long, requires = "log")]
    log_arguments: bool,
    #[arg(long, value_name = "SECONDS", requires = "http", help = DRAIN_HELP)]
    #[arg(value_parser = value_parser!(u64).range(..=3_600))]
    drain: Option<u64>,
    #[arg(long, value_name = "SECONDS", conflicts_with = "http", help = DAEMON_HELP)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "900")]
    #[arg(value_parser = value_parser!(u64).range(1..))]
    daemon: Option<u64>,
    #[command(flatten)]
    verbose: VerboseArg,
    /// API that the client passes the tools to; by default, the strictest is assumed
    #[arg(long, value_name = "API", value_parser = api())]
    api: Option<Target>,
    /// Serve three tools instead of all: to search them, to describe them, and to run a program
    /// that calls them
    #[arg(long, conflicts_with_all = ["budget", "max_tools"])]
    code: bool,
    /// With --code, run calls of these tools without a question
    #[arg(long, value_name = "PATTERN", requires = "code")]
    allow: Vec<String>,
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

/// Reads the origin of a page: a URL without a path.
fn origin(text: &str) -> Result<Origin, String> {
    let url = text.parse::<Uri>().ok();
    let is_origin = |url: &Uri| matches!(url.path(), "" | "/") && url.query().is_none();
    let target = url.filter(is_origin).and_then(|url| Origin::new(&url).ok());
    target
        .filter(|target| target.authorization.is_none())
        .ok_or_else(|| "expected an origin, such as http://localhost:5173".to_owned())
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: McpArgs = args::parse(matches)?;
    if let Some(command) = args.command {
        return manage::run(&command, io);
    }
    if io.stdin.is_terminal() && args.http.is_none() {
        io.note(TERMINAL);
    }
    queue_stderr(NAME);
    if let Some(idle) = args.daemon {
        match daemon::serve_through(&arguments_of_daemon(matches), Duration::from_secs(idle), io) {
            Ok(served) => return served,
            Err(reason) if args.verbose.verbose => {
                io.note(&format!("the daemon does not serve this client: {reason}"));
            }
            Err(_) => {}
        }
    }
    let is_named = args.project.is_some();
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
    // Where a variable names the tools, as for a plugin, the directory may not be the user's.
    let has_tools = io.vars.contains_key(OsStr::new(SOURCES_VAR));
    let workspace = Workspace::new(has_tools && !is_named && args.http.is_none());
    let catalogue = Catalogue::new(registry, args.budget, args.api, workspace, io);
    let catalogue = Arc::new(catalogue);
    // An invalid configuration is reported before any client waits.
    for diagnostic in &catalogue.registry()?.config_errors {
        io.report(Severity::Error, diagnostic);
    }
    let listen = match args.http {
        Some(socket) => Listen::Http(Address {
            socket,
            token: token(io)?,
            origins: args.allow_origin,
            drain: args.drain.map_or(SHUTDOWN_GRACE, Duration::from_secs),
        }),
        None => Listen::Stdio(io.stdin.take()),
    };
    let (outgoing, queue) = mpsc::channel(MAX_QUEUED);
    let stop = CancellationToken::new();
    let collector = args.traces.then(|| Collector::of(io));
    let observers = Observers {
        metrics: args.metrics.then(Metrics::new),
        log: args.log.then(|| Log {
            output: outgoing.clone(),
            arguments: args.log_arguments.then(|| LoggedSecrets::new(&catalogue)),
        }),
        traces: None,
    };
    let code = args
        .code
        .then(|| CodeMode::new(args.allow, args.http.is_some()));
    let state = AppState {
        code: code.transpose()?.map(Arc::new),
        catalogue,
        workers: Workers::new(),
        questions: Questions::default(),
        clients: StatelessClients::default(),
        list_changed: tokio::sync::watch::Sender::default(),
        paged: Mutex::default(),
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

/// Returns the options on the command line for a daemon: without those for this process alone.
fn arguments_of_daemon(matches: &ArgMatches) -> Vec<OsString> {
    let mut words = Vec::new();
    for arg in PROGRAM.command().get_arguments() {
        let id = arg.get_id().as_str();
        let is_ours = matches!(id, "daemon" | "verbose" | "directory");
        let is_known = matches.ids().any(|known| known == id);
        let (Some(long), true) = (arg.get_long(), is_known && !is_ours) else {
            continue;
        };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if !arg.get_action().takes_values() {
            words.push(format!("--{long}").into());
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let mut word = OsString::from(format!("--{long}="));
            word.push(value);
            words.push(word);
        }
    }
    words
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

/// The secrets that the log leaves out of arguments. They are read for each call: `.env` and the
/// sources may change while the server runs.
pub(crate) struct LoggedSecrets {
    catalogue: Arc<Catalogue>,
    /// The values in the keyring by their entry, as far as they can be read: that takes a program.
    in_keyring: Mutex<HashMap<String, Option<BTreeMap<String, String>>>>,
}

impl LoggedSecrets {
    fn new(catalogue: &Arc<Catalogue>) -> Self {
        let secrets = Self {
            catalogue: Arc::clone(catalogue),
            in_keyring: Mutex::default(),
        };
        // No call waits for the keyring.
        drop(secrets.mask());
        secrets
    }

    /// Masks the secrets of the environment, every value of the project's `.env`, and those that the
    /// user has given to sources; `None` if some of them cannot be read.
    pub(crate) fn mask(&self) -> Option<Mask> {
        let cx = self.catalogue.context(Cancel::default()).ok()?;
        let file = cx.environment.file().ok().flatten();
        let variables = file.iter().flat_map(DotEnv::variables);
        let mut secrets = self.catalogue.with_io(|io: &Io<'_>| Io::secrets(io));
        secrets.extend(variables.map(|it| (it.name.clone(), it.value.clone())));
        let config = self.catalogue.with_io(|io| valid_config(&project(io), io));
        let sources = config.ok()?.sources;
        for source in sources.iter().filter_map(Source::provider) {
            let kept = source.private_variables(&cx);
            for (name, value) in kept.iter().flat_map(PrivateVariables::read) {
                match (value, &kept) {
                    (PrivateVariable::Keyring { changed }, Some(kept)) => {
                        secrets.extend(self.kept(kept.key(), &changed)?);
                    }
                    (PrivateVariable::Value(value), _) => secrets.push((name, value)),
                    _ => {}
                }
            }
        }
        Some(Mask::new(secrets))
    }

    /// Reads the values of one entry of the keyring, once after each change.
    fn kept(&self, key: &str, changed: &str) -> Option<BTreeMap<String, String>> {
        let read = || {
            let store = self.catalogue.with_io(Store::of);
            store.and_then(|store| store.secrets(key))
        };
        let mut known = self.in_keyring.lock();
        let entry = known.entry(format!("{key} {changed}"));
        entry.or_insert_with(read).clone()
    }
}

/// The arguments, by the request that contains them.
#[derive(Debug)]
pub(crate) enum ClientArguments {
    /// Arguments of `tools/call`.
    OfCall(RawArguments),
    /// Arguments of `prompts/get`, which are all strings.
    OfPrompt(JsonObject),
}

/// The text of the arguments of a call, as the client wrote them.
///
/// The parser of the protocol accepts duplicate keys: the last one wins. To reject
/// them, as `cogtools-call` does, the server parses the same text with the same
/// parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawArguments(Box<str>);

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl ClientArguments {
    /// Returns the arguments as JSON, as the client wrote them; nothing, if there are none.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::OfCall(arguments) => arguments.text().into(),
            Self::OfPrompt(arguments) => Value::Object(arguments.clone()).to_string().into(),
        }
    }

    /// Reads the arguments for a call of `tool`.
    pub(crate) fn parse(self, tool: &Tool) -> Result<Arguments, Vec<Diagnostic>> {
        match self {
            Self::OfCall(arguments) => arguments.parse(),
            Self::OfPrompt(arguments) => {
                let arguments = arguments.into_iter().map(|(name, value)| {
                    let value = of_prompt(tool, &name, value);
                    (name, value)
                });
                Ok(Arguments::from(arguments.collect::<JsonObject>()))
            }
        }
    }
}

/// Returns the value of an argument of a prompt: if its type is not a string, the text is JSON.
fn of_prompt(tool: &Tool, name: &str, value: Value) -> Value {
    let schema = tool.schema.at(std::iter::once(name));
    let kind = schema.and_then(|schema| schema.get("type")?.as_str());
    match (&value, kind) {
        (Value::String(text), Some(kind)) if kind != "string" => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    }
}

impl RawArguments {
    /// Returns the arguments as the client wrote them.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Returns the arguments in a request, if it has some.
    pub(crate) fn from_request(request: &[u8]) -> Option<Self> {
        let request: Request<'_> = serde_json::from_slice(request).ok()?;
        Some(Self(request.params?.arguments?.get().into()))
    }

    /// Returns the arguments as JSON that was already parsed.
    pub(crate) fn from_object(object: Option<JsonObject>) -> Self {
        let text = object.map(|object| Value::Object(object).to_string());
        Self(text.unwrap_or_default().into())
    }

    pub(crate) fn parse(self) -> Result<Arguments, Vec<Diagnostic>> {
        let parsed = Arguments::read(self.0.into_string().into_bytes(), Syntax::Json);
        parsed.map_err(|error| {
            let mut diagnostic = error.diagnostic();
            // The general hint is about standard input.
            diagnostic.hints = vec![HINT.into()];
            diagnostic.location = None;
            vec![diagnostic]
        })
    }
}

const HINT: &str =
    r#"send `arguments` as one JSON object with each key once, such as {"name": "value"}"#;

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "PROTOCOL",
        "The server supports stateful MCP, for clients that send initialize (revisions up to 2025-11-25), and stateless MCP, for other clients (revision 2026-07-28 and later). It lists tools and, with `hosts: {mcp: {menus: [prompts, resources]}}` in the configuration, prompts and the documentation of each tool as a resource, cogtools://tools/NAME. It also lists the prompts, resources and templates of MCP servers among the sources, see SOURCES. Lists have pages of 200 entries; Gemini CLI, Qwen Code and clients that do not say their name get all tools in one, because these hosts read no second page. A cursor that is not one of the server is invalid (-32602).\n\nA tool's inputSchema is JSON Schema 2020-12, and includes the tool's examples. The tool file supplies title, annotations and, if output declares the schema of an object, outputSchema. A tool of another MCP server keeps the values of that server, including its icons and _meta. Calls are validated as by `cogtools-call(1)`. Where a flow asks a person, a client that declares elicitation shows a form: over standard streams by a request of the server, and for stateless clients, also over HTTP, by a result that asks for input. The person has ten minutes, and without an answer the call fails. An error that the model can fix is a result with isError and the text described in `cogtools-errors(7)`; an unknown tool or an invalid request is a protocol error. The server reloads the tools for each call and each list. When a change to files affects the list, it notifies its clients: always over standard streams, and over HTTP if they subscribe.\n\nA tool that is implemented by a template and has an example is a prompt of the same name. If a parameter is not a string, the prompt argument is parsed as JSON. The server completes enumerations and booleans.",
    ),
    (
        "WHERE TOOLS WORK",
        "Tools work in the project: the one of --project, or else of the current directory. If COGTOOLS_TOOL_SOURCES names the tools and --project no project, as for a plugin, a stateful client that has roots is asked for them, over standard streams: the project is then the one of the first folder that exists, also after the client has changed its roots. The tools stay the same; their approval does not depend on the client.",
    ),
    (
        "REJECTED TOOLS",
        "One tool can make an API reject a whole request, for example a tool with the parameter `who?`. Over standard streams, the server knows the API behind Claude Code, Claude Desktop and Codex by the name of the client, and applies its rules. For other clients it leaves out every tool with a parameter or property whose name the Gemini API rejects, because that API is the strictest. Each such tool is named on standard error. With --api, the server applies the rules of that API instead. Calls are not affected.",
    ),
    (
        "LIFE",
        "Over standard streams, the server exits when standard input ends, after completing pending requests for at most one second. It exits at once on SIGTERM, SIGINT or SIGHUP, or when its parent process exits. In each case, and when a call is cancelled or times out, the programs that tools have started are terminated first.\n\nStandard output carries protocol messages only. Standard error is for the client's log: it names, for example, tools that are left out because they are invalid.",
    ),
    (
        "SOURCES",
        "A list waits 1.5 seconds for a source that is a program, or for the time that wait of the source sets. A slower source is represented by its previous declarations. If it has none, the source is left out, and a message names it. The server continues to wait for it, and announces a changed list if there are new declarations; if it exits earlier, another process continues. The first list for Gemini CLI, Qwen Code, opencode and Codex waits up to 20 seconds for a source that has neither declared tools nor failed before. A source that failed slowly is not queried again for a minute.\n\nEach MCP server among the sources has one session. The session is kept until the server exits, until its approval is revoked, or until it has had no request for the time that idle of the source sets (900 seconds by default). If an MCP server has ended, the next call starts it again. The server forwards cancellations to it, and its progress to clients that ask for it. Over HTTP, a client that sends initialize has a session if a source is an MCP server, for up to an hour without a message, and with it its own session with each server that it uses. A stateless client, which its token, URL, name and abilities tell from others, has its own sessions, too; a question of a server during its call is the result of the call, which continues when it is repeated with the answer. If shared of the source is true, all clients over HTTP and of the daemon use one session, if the source sees the same variables for each; such a source learns of no abilities of clients, and its log messages reach a client while only its calls run.\n\nWhat an MCP server has besides tools reaches the client: prompts, named by the rules of tools, with the name of the source in front of a name that is taken; resources, templates and completions; updates of the resources that the client has subscribed to; and instructions, up to 4 KiB of all servers. A URI is kept; if an earlier source has it, it is cogtools://sources/NAME/URI, with the percent-encoded name of the source. A resource is read from the source that lists its URI, that has the most specific template for it, or whose result has linked to it; else from the first that has it, of those that list URIs of its scheme. A server learns of the abilities of the client (elicitation, sampling, roots, MCP Apps), and its requests are passed to it; if the client lacks the ability, sampling and roots are answered with the error -32601, and elicitation is declined.",
    ),
    (
        "DAEMON",
        "With --daemon, the process that the client starts passes its standard streams to a daemon, which the first client starts, and which ends after the given time without a client, or on SIGTERM. In the daemon, each client has a server with its own project, options, environment and sessions; sources with shared: true have one session for all. The daemon has the socket in $XDG_RUNTIME_DIR/cogtools/mcp, a folder that only the user can enter, and serves the same user, program and home directory. If it cannot be reached, the server runs without it, which --verbose reports; if it ends, so do its clients, with status 74. There is none on Windows.",
    ),
    (
        "HTTP",
        "With --http, the server listens on a loopback address and prints its URL, which ends in /mcp. Port 0 selects a free port. A request that names another host, or comes from a page whose origin --allow-origin does not name, is rejected with status 403. If MCP_SERVER_TOKEN is set, a request without that token as Authorization: Bearer is rejected with status 401. Closing the connection cancels the call, except in a session, in which the client cancels it.\n\n/healthz answers while the server runs, and /readyz while it accepts requests; neither needs the token. With --metrics, /metrics reports the number and duration of calls for each tool, in the format of Prometheus.\n\nAfter SIGTERM or SIGINT, the server accepts no further connections, and lets running calls continue for --drain seconds; a second signal ends them. On Linux, a server that was started with SIGHUP ignored, as by nohup(1), outlives its terminal and its parent process.",
    ),
    (
        "LIMITS",
        "A message may have up to 16 MiB. Up to 6 templates and 22 other tools run at the same time. Up to 1,000 requests are in progress, of which up to 32 call the same tool, and 8 MiB of further ones wait; pings, responses and cancellations behind them are recognised. The server does not read further requests until one completes. Over HTTP there are up to 512 connections; a connection that sends nothing for 10 seconds is closed. Each tool is limited by its timeout.",
    ),
    (
        "ENVIRONMENT",
        "MCP_SERVER_TOKEN\n  The token that clients must send over HTTP.",
    ),
    ("BUDGET", budget::MANUAL),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "In the configuration of a client:\n\n    {\"mcpServers\": {\"cogtools\": {\"command\": \"cogtools\", \"args\": [\"mcp\"]}}}\n\nOver HTTP:\n\n    cogtools mcp --project ~/project --http 127.0.0.1:8765",
    ),
];

#[cfg(test)]
mod arguments_tests {
    use cogtools_core::Hint;

    use super::*;

    #[test]
    fn arguments_are_taken_verbatim() {
        let check = |request: &str, expected: Option<&str>| {
            let found = RawArguments::from_request(request.as_bytes());
            assert_eq!(found.as_ref().map(|raw| &*raw.0), expected, "{request}");
        };
        check(
            r#"{"params":{"arguments":{"a":1,"a": 2}}}"#,
            Some(r#"{"a":1,"a": 2}"#),
        );
        check(r#"{"params":{"arguments":"x"},"id":1}"#, Some(r#""x""#));
        check(r#"{"params":{"name":"x"}}"#, None);
        check(r#"{"id":1}"#, None);
        check("[]", None);
    }

    #[test]
    fn a_duplicate_key_is_rejected() {
        let arguments = RawArguments(r#"{"a":1,"a":2}"#.into());
        let diagnostics = arguments.parse().expect_err("`a` is a duplicate key");
        assert_eq!(diagnostics[0].hints, [Hint::from(HINT)]);
    }
}
