//! `cogtools-mcp-client`: lists the tools of one MCP server, or calls one of them.
//!
//! Discovery and single calls run it for sources of the kind `mcp`: it is a provider like any
//! other, so no other program has to link the protocol. It starts the server, or contacts its
//! URL, and stops the process that it started. `cogtools mcp` uses the same client in process.

pub(crate) mod connector;
pub(crate) mod http;
pub(crate) mod listener;
pub(crate) mod process;
pub(crate) mod session;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, CommandFactory as _, Parser, Subcommand};
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::environment::{is_secret_name, mask, secret_texts};
use cogtools_core::process::{Confinement, Policy};
use cogtools_core::source::{Reference, Server as Source, expand, references};
use cogtools_core::{Cancel, Code, Diagnostic, ToolOutput};
use cogtools_http::cancelled;
use cogtools_http::http::{HeaderName, HeaderValue};
use cogtools_program::call::{input_diagnostic, quote};
use cogtools_program::{Failure, Io, Program, SignalGuard, Stdin, Vars, args};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::auth;
use crate::auth::{LoginArgs, SERVER_HELP, SourceArg, Store};
use crate::client::connector::ClientError;
use connector::Connector;
use listener::Listener;
use session::{Session, SessionError, Watch};

/// The program.
pub const PROGRAM: Program = Program {
    name: NAME,
    command: ClientArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[
        Code::ToolFailed,
        Code::InvalidArgumentsSyntax,
        Code::Unavailable,
        Code::Denied,
        Code::InvalidConfig,
        Code::Timeout,
        Code::ToolNotFound,
    ]],
    variables: &[],
    manual: connector::MANUAL,
};

const NAME: &str = Source::PROGRAM;
/// The variable with the description of the server.
const SERVER_VAR: &str = Source::VARIABLE;
/// The default limit for a list of tools.
pub(crate) const LIST_TIMEOUT: Duration = Source::LIST_TIMEOUT;
/// The default limit for a call.
pub(crate) const CALL_TIMEOUT: Duration = Source::CALL_TIMEOUT;
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
    let listener = Arc::<Listener>::default();
    let sent = connector.run(&listener, async |opening| {
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
        let timed_out = || listener.timed_out(&server.name, limit);
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
    let mut as_task = false;
    if call.expected.is_some() || session.is_stateless() && server.url.is_some() {
        let tools = session.list_tools().await?;
        connector::check(&tools, &call.tool, call.expected.as_deref(), &server.name)?;
        as_task = connector::requires_task(&tools, &call.tool);
    }
    let watch = Watch {
        progress: None,
        meta: &Map::new(),
        host: None,
        cancelled: &Notify::new(),
        timeout: limit,
    };
    let result = session.call_tool((&call.tool, as_task), call.arguments, &watch);
    let result = result.await?;
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    if call.json && !is_error {
        return Ok(Ok(Value::Object(result).to_string()));
    }
    let text = ToolOutput::from_mcp(result).text;
    Ok(if is_error { Err(text) } else { Ok(text) })
}

/// A server: a command that uses its standard streams, or a URL.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    /// Its name in messages.
    #[serde(default = "default_name")]
    pub(crate) name: String,
    /// The program and its arguments.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    /// Its URL, if it is reached over HTTP.
    pub(crate) url: Option<String>,
    /// Additional headers for the URL; `${NAME}` is replaced with a variable's value, as in the URL
    /// and in values of `env`.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Variables of the program.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The limit for the whole run, in seconds.
    timeout: Option<f64>,
    /// The reach of the program; everything, if there is none.
    sandbox: Option<Policy>,
    /// True if no source has it yet.
    #[serde(default)]
    candidate: bool,
    /// Variables whose values are secret, whatever their names say.
    #[serde(default)]
    secret: Vec<String>,
    /// The variables whose values are in the keyring.
    keyring: Option<InKeyring>,
    /// Texts that no message may show, besides the values of variables.
    #[serde(skip)]
    pub(crate) secrets: Secrets,
}

/// Variables whose values are in the keyring.
#[derive(Clone, Debug, Deserialize)]
struct InKeyring {
    /// The name of the entry.
    key: String,
    names: Vec<String>,
    /// Variables that only the way to the keyring needs.
    added: Vec<String>,
}

/// Texts that no message may show.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<Mutex<BTreeSet<String>>>);

/// The way to a server.
pub(crate) enum Transport<'s> {
    Command(&'s str, &'s [String]),
    Url(&'s str),
}

/// The shortest value of a variable that is redacted: shorter ones are not secrets,
/// and replacing them would garble the text.
const MIN_SECRET_BYTES: usize = 4;

fn default_name() -> String {
    "?".to_owned()
}

impl Server {
    /// Reads a description.
    pub(crate) fn read(text: &str) -> Result<Self, ClientError> {
        let server: Self = serde_json::from_str(text)
            .map_err(|error| ClientError::Description(error.to_string()))?;
        server.transport()?;
        Ok(server)
    }

    pub(crate) fn transport(&self) -> Result<Transport<'_>, ClientError> {
        match (self.command.split_first(), &self.url) {
            (Some((program, args)), None) => Ok(Transport::Command(program, args)),
            (None, Some(url)) => Ok(Transport::Url(url)),
            _ => Err(ClientError::Description(
                "specify either `command` or `url`".to_owned(),
            )),
        }
    }

    /// Returns `confinement` with the reach of the program; everything, if the caller says nothing.
    pub(crate) fn confine(&self, confinement: Confinement) -> Confinement {
        match &self.sandbox {
            Some(policy) => confinement.with_policy(policy.clone()),
            None => confinement,
        }
    }

    /// Returns the limit for the whole run; `default` if the description has none.
    pub(crate) fn timeout_or(&self, default: Duration) -> Duration {
        self.timeout
            .filter(|seconds| *seconds > 0.0)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .unwrap_or(default)
    }

    /// Returns the additional headers for the URL, with the values of `vars`.
    pub(crate) fn headers(
        &self,
        vars: &Vars,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ClientError> {
        let header = |(name, value): (&String, &String)| {
            let invalid = || ClientError::Header(self.name.clone(), name.clone());
            let value = self.expand(value, vars)?;
            let name = HeaderName::try_from(name.as_str()).map_err(|_| invalid())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| invalid())?;
            value.set_sensitive(true);
            Ok((name, value))
        };
        self.headers.iter().map(header).collect()
    }

    /// Returns `text` without the values of secret variables, and of those that a request refers to:
    /// a server may repeat both.
    pub(crate) fn redact(&self, text: &str, vars: &Vars) -> String {
        let text = self.secrets.redact(text);
        let named = vars
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let is_kept = |name: &str| self.secret.iter().any(|kept| kept == name);
        let named = named.filter(|(name, _)| is_secret_name(name) || is_kept(name));
        let text = mask(&text, &secret_texts(named)).into_owned();
        let texts = self.headers.values().chain(self.env.values());
        texts
            .chain(&self.url)
            .flat_map(|text| references(text))
            .filter_map(|reference| vars.get(OsStr::new(reference.name))?.to_str())
            .filter(|value| value.len() >= MIN_SECRET_BYTES)
            .fold(text, |text, secret| text.replace(secret, "***"))
    }

    /// Returns the arguments that name it for a login.
    pub(crate) fn login_args(&self) -> String {
        match &self.url {
            Some(url) if self.candidate => {
                let described = json!({"name": self.name, "url": url}).to_string();
                format!("--server {}", quote(&described))
            }
            _ => quote(&self.name),
        }
    }

    /// Returns true if the source itself says who the user is.
    pub(crate) fn has_own_token(&self) -> bool {
        let mut names = self.headers.keys();
        names.any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    /// Returns `vars` with the values that are in the keyring of `store`.
    pub(crate) fn with_keyring(
        &self,
        vars: &Vars,
        store: Option<&Store>,
    ) -> Result<Vars, ClientError> {
        let mut all = vars.clone();
        let Some(kept) = &self.keyring else {
            return Ok(all);
        };
        for name in &kept.added {
            all.remove(OsStr::new(name));
        }
        let secrets = store.and_then(|store| store.secrets(&kept.key));
        let secrets = secrets.ok_or_else(|| ClientError::Keyring(self.name.clone()))?;
        self.secrets.add(secrets.values().map(String::as_str));
        let given = secrets
            .into_iter()
            .filter(|(name, _)| kept.names.contains(name));
        all.extend(given.map(|(name, value)| (name.into(), value.into())));
        Ok(all)
    }

    /// Returns `vars` with the variables of the program.
    pub(crate) fn program_vars(&self, vars: &Vars) -> Result<Vars, ClientError> {
        let mut all = vars.clone();
        for (name, value) in &self.env {
            all.insert(name.into(), self.expand(value, vars)?.into());
        }
        Ok(all)
    }

    /// Returns `text` with its variables replaced by their values.
    pub(crate) fn expand(&self, text: &str, vars: &Vars) -> Result<String, ClientError> {
        let value = |reference: Reference<'_>| {
            let value = vars.get(OsStr::new(reference.name));
            reference.text(value.and_then(|value| value.to_str()))
        };
        let missing = references(text).find(|reference| value(*reference).is_none());
        match missing {
            Some(missing) => Err(ClientError::Variable(
                self.name.clone(),
                missing.name.to_owned(),
            )),
            None => Ok(expand(text, value)),
        }
    }
}

impl Secrets {
    /// Adds some.
    pub(crate) fn add<'t>(&self, texts: impl Iterator<Item = &'t str>) {
        let texts = texts.filter(|text| text.len() >= MIN_SECRET_BYTES);
        self.0.lock().extend(texts.map(str::to_owned));
    }

    fn redact(&self, text: &str) -> String {
        let secrets = self.0.lock();
        secrets
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod server_tests {
    use super::*;

    fn check(header: &str, expected: Result<&str, &str>) {
        let text = serde_json::json!({"name": "s", "url": "http://x", "headers": {"A": header}});
        let server = Server::read(&text.to_string()).expect("a server");
        let vars = Vars::from([("TOKEN".into(), "t".into()), ("EMPTY".into(), "".into())]);
        let headers = server.headers(&vars).map_err(|error| error.to_string());
        let value = headers.map(|all| all[0].1.to_str().expect("text").to_owned());
        assert_eq!(value, expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn variables_in_headers_are_expanded() {
        check("Bearer ${TOKEN}", Ok("Bearer t"));
        check("${TOKEN}${TOKEN}${EMPTY}", Ok("tt"));
        check("$TOKEN ${TOKEN", Ok("$TOKEN ${TOKEN"));
        check(
            "${OTHER}",
            Err("the MCP server `s` cannot be contacted: it needs the environment variable OTHER"),
        );
        check(
            "a\nb",
            Err(
                "the MCP server `s` cannot be contacted: `A` is not a valid header, or its value is not",
            ),
        );
    }

    #[test]
    fn values_of_variables_are_redacted() {
        let text = r#"{"url": "u", "headers": {"A": "Bearer ${TOKEN}${NO", "B": "${ONE}${NONE}"}}"#;
        let server = Server::read(text).expect("a server");
        let vars = Vars::from([
            ("TOKEN".into(), "s3cr3t".into()),
            ("ONE".into(), "1".into()),
        ]);
        let redacted = server.redact("no Bearer s3cr3t, s3cr3t of 1", &vars);
        assert_eq!(redacted, "no Bearer ***, *** of 1");
    }

    #[test]
    fn a_server_is_a_command_or_a_url() {
        for text in [
            "{}",
            "[]",
            r#"{"url": "u", "command": ["c"]}"#,
            r#"{"uri": ""}"#,
        ] {
            assert!(Server::read(text).is_err(), "{text}");
        }
        assert!(Server::read(r#"{"command": ["c"]}"#).is_ok());
    }
}
