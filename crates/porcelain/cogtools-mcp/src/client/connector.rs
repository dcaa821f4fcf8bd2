//! Connects to a server and opens a session with it, for one request or for many: starts its
//! program or contacts its URL, and explains how the connection ended.

use std::borrow::Cow;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::process::Confinement;
use cogtools_core::source::without_invisible;
use cogtools_core::{Code, Diagnostic, Hint, digest};
use cogtools_http::http::StatusCode;
use cogtools_http::{Reason, TlsReason, runtime};
use cogtools_program::Vars;
use cogtools_program::call::quote;
use rmcp::ErrorData;
use serde_json::{Map, Value};

use crate::auth::Store;
use crate::client::http::Http;
use crate::client::listener::Listener;
use crate::client::process::{ServerProcess, Stop};
use crate::client::session::{FirstRequest, Session, SessionError};
use crate::client::{Server, Transport};
use crate::sources::host::clean;

/// A server, and all that a connection to it depends on.
pub(crate) struct Connector<'c> {
    pub(crate) server: &'c Server,
    /// The variables that the server, or its headers, see.
    pub(crate) vars: &'c Vars,
    pub(crate) directory: &'c Path,
    pub(crate) confinement: Confinement,
    /// The tokens of logins.
    pub(crate) store: Option<Store>,
    /// The limit for a request over HTTP.
    pub(crate) timeout: Duration,
    /// True if the session stays open: the server may announce changes.
    pub(crate) listens: bool,
}

/// A session that is being opened.
pub(crate) type Opening<'o> = Pin<Box<dyn Future<Output = Result<Session<'o>, SessionError>> + 'o>>;

impl Connector<'_> {
    /// Runs `work`, which awaits and uses the session, on a runtime of its own. A server that was
    /// started has ended when this returns.
    ///
    /// # Errors
    /// The diagnostic of the first failure, without secrets.
    pub(crate) fn run<R>(
        &self,
        listener: &Arc<Listener>,
        work: impl for<'o> AsyncFnOnce(Opening<'o>) -> Result<R, SessionError>,
    ) -> Result<R, Box<Diagnostic>> {
        let vars = self.server.with_keyring(self.vars, self.store.as_ref());
        let connector = Connector {
            vars: &vars.map_err(|error| self.explain(&error))?,
            confinement: self.confinement.clone(),
            store: self.store.clone(),
            ..*self
        };
        connector.open(listener, work)
    }

    fn open<R>(
        &self,
        listener: &Arc<Listener>,
        work: impl for<'o> AsyncFnOnce(Opening<'o>) -> Result<R, SessionError>,
    ) -> Result<R, Box<Diagnostic>> {
        let runtime = runtime()?;
        let name = &self.server.name;
        let ended = match self.server.transport().map_err(|it| self.explain(&it))? {
            Transport::Command(program, args) => {
                let confinement = self.server.confine(self.confinement.clone());
                let vars = self.server.program_vars(self.vars);
                let vars = vars.map_err(|error| self.explain(&error))?;
                let started = {
                    let _entered = runtime.enter();
                    ServerProcess::start(name, program, args, &vars, self.directory, confinement)
                };
                let mut process = started.map_err(|it| Box::new(it.diagnostic(String::new())))?;
                let transport = process.transport();
                let first = FirstRequest::Initialize;
                let opening = Session::start(name, listener, first, || transport.clone());
                runtime.block_on(async {
                    match work(Box::pin(opening)).await {
                        Ok(result) => {
                            let _ = process.stop(Stop::Gracefully).await;
                            Ok(result)
                        }
                        Err(error) => Err(self.process_error(&mut process, error).await),
                    }
                })
            }
            Transport::Url(url) => {
                let url = self.server.expand(url, self.vars);
                let url = &url.map_err(|error| self.explain(&error))?;
                let headers = self.server.headers(self.vars);
                let headers = headers.map_err(|error| self.explain(&error))?;
                let http = Http::new(self, url);
                let first = FirstRequest::Discover;
                let connect = || http.transport(url, &headers);
                let opening = Session::start(name, listener, first, connect);
                let ended = runtime.block_on(work(Box::pin(opening)));
                ended.map_err(|error| self.http_error(error, &http))
            }
        };
        runtime.shutdown_background();
        ended
    }

    fn http_error(&self, error: SessionError, http: &Http) -> Box<Diagnostic> {
        let name = || self.server.name.clone();
        let truncated = HttpError::Request(Reason::Truncated);
        self.explain(&match error {
            SessionError::Server(error) => error,
            SessionError::Disconnected(_) => match http.last_error().unwrap_or(truncated) {
                HttpError::Request(Reason::TooLarge(_)) => ClientError::TooLarge(name()),
                error => ClientError::Http(name(), error),
            },
        })
    }

    /// Returns the diagnostic of an error, without the values of variables.
    pub(crate) fn explain(&self, error: &ClientError) -> Box<Diagnostic> {
        self.explain_with(error, String::new())
    }

    /// Returns the same, with the server's standard error.
    fn explain_with(&self, error: &ClientError, stderr: String) -> Box<Diagnostic> {
        let mut diagnostic = error.diagnostic(stderr);
        if let ClientError::Http(_, error) = error {
            diagnostic.hints = vec![error.hint(&self.server.login_args()).into_owned().into()];
        }
        for text in [&mut diagnostic.message, &mut diagnostic.details] {
            *text = clean(&self.server.redact(text, self.vars));
        }
        Box::new(diagnostic)
    }

    /// Returns the error of a session with `process`, which is stopped.
    async fn process_error(
        &self,
        process: &mut ServerProcess,
        error: SessionError,
    ) -> Box<Diagnostic> {
        let error = match error {
            SessionError::Disconnected(phase) => process.exit_error(phase).await,
            SessionError::Server(error) => match (error, process.stray_output()) {
                (ClientError::TimedOut(name, ..), Some(output)) => {
                    ClientError::StrayOutput(name, output)
                }
                (error, _) => error,
            },
        };
        let _ = process.stop(Stop::Immediately).await;
        // A server whose stdout is no longer read complains about that: misleading here.
        let stderr = match error {
            ClientError::StrayOutput(..) | ClientError::TooLarge(_) => String::new(),
            _ => process.stderr(),
        };
        self.explain_with(&error, stderr)
    }
}

/// The key of a property whose value is sent as a header, too.
const HEADER_KEY: &str = "x-mcp-header";

/// Returns the declaration of a tool from the server's description of it.
pub(crate) fn from_mcp(tool: &Value) -> Value {
    let title = [tool.get("title"), tool.pointer("/annotations/title")]
        .into_iter()
        .flatten()
        .find(|title| title.as_str().is_some_and(|title| !title.trim().is_empty()));
    let description = tool.get("description").or(title).or(tool.get("name"));
    let entries = [
        ("name", tool.get("name").cloned()),
        ("title", title.cloned()),
        ("description", description.cloned()),
        ("parametersJsonSchema", tool.get("inputSchema").map(schema)),
        ("annotations", tool.get("annotations").cloned()),
        ("outputSchema", tool.get("outputSchema").map(schema)),
        ("icons", tool.get("icons").cloned()),
        ("_meta", tool.get("_meta").cloned()),
    ];
    Value::Object(
        entries
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?)))
            .collect(),
    )
}

/// Fails if `server` declares the tool `name` with another digest than `expected`.
pub(crate) fn check(
    tools: &[Value],
    name: &str,
    expected: Option<&str>,
    server: &str,
) -> Result<(), ClientError> {
    let Some(expected) = expected else {
        return Ok(());
    };
    // The first one counts, as in a listing.
    let is_named = |tool: &&Value| tool.get("name").and_then(Value::as_str) == Some(name);
    let (server, tool) = (server.to_owned(), name.to_owned());
    let Some(found) = tools.iter().find(is_named) else {
        return Err(ClientError::ToolNotFound(server, tool));
    };
    if digest::value(&without_invisible(from_mcp(found))).to_string() == expected {
        Ok(())
    } else {
        Err(ClientError::Changed(server, tool))
    }
}

/// Returns true if the tool `name` runs only as a task.
pub(crate) fn requires_task(tools: &[Value], name: &str) -> bool {
    let mut tools = tools.iter();
    let tool = tools.find(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
    let support = tool.and_then(|tool| tool.pointer("/execution/taskSupport"));
    support.and_then(Value::as_str) == Some("required")
}

/// Returns a schema without the keys for headers: they concern only the client, and some
/// APIs reject unknown keys.
fn schema(schema: &Value) -> Value {
    let mut schema = schema.clone();
    strip_header_keys(schema.get_mut("properties").and_then(Value::as_object_mut));
    schema
}

fn strip_header_keys(properties: Option<&mut Map<String, Value>>) {
    let schemas = properties.into_iter().flat_map(Map::values_mut);
    for property in schemas.filter_map(Value::as_object_mut) {
        property.shift_remove(HEADER_KEY);
        strip_header_keys(
            property
                .get_mut("properties")
                .and_then(Value::as_object_mut),
        );
    }
}

/// Why a server did not answer. The first field is its name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("invalid server description: {0}")]
    Description(String),
    #[error("the MCP server `{0}` cannot be contacted: it needs the environment variable {1}")]
    Variable(String, String),
    #[error("the MCP server `{0}` cannot be contacted: the keyring does not give its variables")]
    Keyring(String),
    #[error(
        "the MCP server `{0}` cannot be contacted: `{1}` is not a valid header, or its value is not"
    )]
    Header(String, String),
    #[error("the MCP server `{0}` cannot be started: the program `{1}` is not found")]
    NotFound(String, String),
    #[error("the MCP server `{0}` cannot be started: {1}")]
    Start(String, std::io::Error),
    #[error("the MCP server `{0}` {1}")]
    Http(String, HttpError),
    #[error("the MCP server `{0}` {1} before it answered `{2}`")]
    Exited(String, String, &'static str),
    #[error("the MCP server `{0}` did not answer `{1}` within {2:?}")]
    TimedOut(String, &'static str, Duration),
    #[error("the MCP server `{0}` rejected `{1}`: {message}", message = .2.message)]
    Rejected(String, &'static str, Box<ErrorData>),
    #[error("the MCP server `{0}` asks something during `{1}` that nobody here can answer")]
    Unanswered(String, &'static str),
    #[error("the MCP server `{0}` sent an unexpected response to `{1}`: {2}")]
    UnexpectedResponse(String, &'static str, String),
    #[error(
        "the MCP server `{0}` sent a message larger than {max} MiB",
        max = crate::client::process::MAX_MESSAGE_BYTES >> 20
    )]
    TooLarge(String),
    #[error("the MCP server `{0}` writes non-MCP output to stdout: {1}")]
    StrayOutput(String, String),
    #[error("the MCP server `{0}` declares more than 10 MiB, or 1,000 pages, of tools")]
    TooManyTools(String),
    #[error("the MCP server `{0}` now declares the tool `{1}` differently, so it was not called")]
    Changed(String, String),
    #[error("the MCP server `{0}` no longer has the tool `{1}`")]
    ToolNotFound(String, String),
}

impl ClientError {
    /// Returns the diagnostic to show, with the server's standard error.
    pub(crate) fn diagnostic(&self, stderr: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code(), self.to_string());
        let data = match self {
            Self::Rejected(.., error) => error.data.as_ref(),
            _ => None,
        };
        diagnostic.details = data.map_or(stderr, |data| match data.as_str() {
            Some(text) => text.to_owned(),
            None => data.to_string(),
        });
        let hint = self.hint().map(Cow::into_owned);
        diagnostic.hints.extend(hint.map(Hint::from));
        diagnostic
    }

    const fn code(&self) -> Code {
        match self {
            Self::Description(_) => Code::Usage,
            Self::Variable(..)
            | Self::Keyring(_)
            | Self::Header(..)
            | Self::NotFound(..)
            | Self::Start(..) => Code::InvalidConfig,
            Self::TimedOut(..) => Code::Timeout,
            Self::Changed(..) => Code::Denied,
            Self::ToolNotFound(..) => Code::ToolNotFound,
            _ => Code::ToolFailed,
        }
    }

    fn hint(&self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(match self {
            Self::Description(_) => {
                r#"such as {"name": "other", "command": ["other-server", "--stdio"]}"#
            }
            Self::Variable(..) => "list it in `env` of the source, and set it",
            Self::Keyring(_) => "unlock it, or remove the server and add it again",
            Self::Header(..) => "fix `headers` of the source",
            Self::NotFound(..) => "install it, or fix `command` of the source",
            Self::Start(..) => "check that it is an executable program",
            Self::Http(name, error) => return Some(error.hint(&quote(name))),
            Self::TimedOut(..) => "give it more time with `timeout` of the source",
            Self::TooLarge(_) | Self::TooManyTools(_) => {
                "the result exceeds what hosts accept; request less"
            }
            Self::StrayOutput(..) => {
                "servers must write only messages to stdout; report this to its author"
            }
            Self::Changed(..) => "read its new declaration before the next call: cogtools-discover",
            Self::ToolNotFound(..) => "cogtools-discover lists its current tools",
            Self::Unanswered(..) => "call it with a client that supports elicitation and sampling",
            Self::Exited(..) | Self::Rejected(..) | Self::UnexpectedResponse(..) => return None,
        }))
    }
}

/// Returns the diagnostic of a tool's own error, whose text is for the program that asked.
pub(crate) fn tool_error(text: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(Code::ToolFailed, "the tool reported an error");
    diagnostic.details = text;
    diagnostic
}

/// Why a server at a URL did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("{0}")]
    Request(Reason),
    /// The status, and the begin of a text after it.
    #[error("responded with HTTP {0}{1}")]
    Status(StatusCode, String),
    #[error("requires a login (HTTP 401 Unauthorized)")]
    LoginRequired,
    #[error("requires a login for more than the last one gave: {scopes}", scopes = .0.join(" "))]
    ScopesRequired(Vec<String>),
    #[error("sent a response that is not an MCP message")]
    NotMcp,
}

impl HttpError {
    /// Returns the next step for the user of the source that `login_args` name.
    pub(crate) fn hint(&self, login_args: &str) -> Cow<'static, str> {
        let login = || format!("cogtools mcp-client login {login_args}");
        Cow::Borrowed(match self {
            Self::LoginRequired => return Cow::Owned(format!("log in: {}", login())),
            Self::ScopesRequired(scopes) => {
                let scopes = quote(&scopes.join(" "));
                return Cow::Owned(format!("log in: {} --scope {scopes}", login()));
            }
            Self::Request(reason) => of_request(reason),
            Self::Status(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => {
                "check `headers` of the source, and the variables that they refer to"
            }
            Self::Status(status, _) if status.is_server_error() => {
                "the server failed; try again later, or report this to its operator"
            }
            Self::Status(StatusCode::TOO_MANY_REQUESTS, _) => "try again later",
            Self::Status(_, text) if !text.is_empty() => {
                "the server refuses this; its documentation may say why"
            }
            Self::Status(..) | Self::NotMcp => "check `url` of the source, including its path",
        })
    }
}

fn of_request(reason: &Reason) -> &'static str {
    match reason {
        Reason::Tls(TlsReason::UnknownIssuer) => {
            "if the authority is your own, set the environment variable SSL_CERT_FILE to the \
             file with its certificate"
        }
        Reason::Tls(TlsReason::NoRoots(_)) => {
            "if SSL_CERT_FILE is set, check the file that it names; otherwise install the \
             system's certificates (ca-certificates)"
        }
        Reason::Tls(TlsReason::Certificate(_)) => {
            "report this to its operator, or fix `url` of the source"
        }
        Reason::Proxy { .. } => {
            "check the environment variables HTTPS_PROXY, http_proxy and ALL_PROXY, or list the \
             host in NO_PROXY"
        }
        Reason::Redirect { .. } => {
            "set `url` of the source to the new location: redirects are not followed, because \
             they could send secrets to another server"
        }
        Reason::Truncated | Reason::Malformed(_) | Reason::Compressed => {
            "try again; if it happens again, report this to its operator"
        }
        Reason::TooLarge(_) | Reason::TooManyHeaders => {
            "the result exceeds what hosts accept; request less"
        }
        _ => "check that it is running, and check `url` of the source",
    }
}

pub(crate) const MANUAL: &[(&str, &str)] = &[
    (
        "PLUMBING",
        "Sources of the kind mcp (see `cogtoolrc(5)`) run this program; run it by hand to see what a server declares or returns.",
    ),
    (
        "COMMANDS",
        "discover [--server SERVER]\n  Print a JSON array: name, title, description, parametersJsonSchema, annotations, outputSchema, icons and _meta of each tool.\n\ncall [--server SERVER] [--json] TOOL\n  Call TOOL: read the arguments as one JSON object and print the result as text: text content verbatim, several parts separated by blank lines, resource links as NAME: URI, binary content (images, audio, other files) as a line with its type and size, and structured content if there is no text. With --json, the result is printed as the server returned it. A result that is an error fails with TOOL_FAILED and its text.\n\nlogin [--server SERVER] [--client-id ID] [--scope SCOPES] [--no-browser] [SOURCE]\n  Log in to the server of the source SOURCE by OAuth 2.1: print the URL of a page for the user to open, wait for the answer on a port of this machine, and keep the token. It is sent to exactly this URL, over https or to this machine, and renewed as long as possible. A source that requires approval must have it.\n\nlogout [--server SERVER] [SOURCE]\n  Revoke the token and forget it.",
    ),
    (
        "SERVER",
        "A JSON object with name, used in messages, and either command (an array: the program and its arguments) or url. headers are sent to the URL; env has a value for each variable that the program gets besides; ${NAME} in these values and in url is replaced with the environment variable. timeout is in seconds and covers the whole run, or each request of `cogtools-mcp(1)`, which keeps one session with each server; the default is 120 for discover and 600 for call.",
    ),
    (
        "PROTOCOL",
        "Both stateful and stateless MCP are supported. A tool that runs only as a task (revision 2025-11-25) is called as one. Over standard streams the client tries initialize first and falls back to server/discover; over HTTP it is the other way round. Over HTTP, arguments are also sent as headers if the tool's schema says x-mcp-header; redirects are not followed. Requests from the server (roots, sampling) are rejected, and elicitation is declined, except by `cogtools-mcp(1)` for a host that can answer them. Messages are limited to 16 MiB, lists to 10 MiB and 1,000 pages. Lines on a server's standard output that are not messages are ignored, up to 1 MiB.\n\nA server that was started is stopped before the program exits: its standard input is closed; after a second its process group gets SIGTERM, then SIGKILL.",
    ),
    (
        "ENVIRONMENT",
        "COGTOOLS_MCP_SERVER\n  The server, if --server is not given. Unlike an option, it cannot be seen by other users of the machine.\n\nSSL_CERT_FILE, SSL_CERT_DIR\n  Certificates of trusted authorities for HTTPS, instead of the system's.\n\nHTTPS_PROXY, http_proxy, ALL_PROXY\n  The URL of a proxy, http:// or https://, for https: URLs, for http: URLs, or for both. Lower case is accepted for all of them, upper case for all but http_proxy. A user name and a password in the URL are sent to the proxy alone.\n\nNO_PROXY\n  Hosts that are reached directly, with commas between them: a.example also means its subdomains, a.example:8080 only for this port, and * for every host. This machine always is.\n\nCOGTOOLS_MCP_CLIENT_SECRET\n  For login, the secret of the client that --client-id names.\n\nThe server inherits every other variable of this program.",
    ),
    (
        "FILES",
        "~/.local/state/cogtools/logins\n  The tokens, in files that only the user can read, below XDG_STATE_HOME if that is set; below LOCALAPPDATA on Windows. If there is a keyring, the tokens are there, and the files say only so: the Secret Service that secret-tool(1) reaches, the Keychain of macOS, or the Credential Manager of Windows, unless a token is too long for it.",
    ),
    (
        "EXAMPLES",
        "    cogtools-mcp-client discover --server '{\"command\": [\"cogtools\", \"mcp\"]}'",
    ),
];

#[cfg(test)]
mod declaration_tests {
    use serde_json::json;

    use super::*;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a table reads better without borrows"
    )]
    fn check(tool: Value, expected: &str) {
        assert_eq!(from_mcp(&tool).to_string(), expected);
    }

    #[test]
    fn a_declaration_has_only_known_keys() {
        check(json!({}), "{}");
        check(
            json!({"name": "n", "annotations": {"title": "T"}, "outputSchema": {}}),
            r#"{"name":"n","title":"T","description":"T","annotations":{"title":"T"},"outputSchema":{}}"#,
        );
        check(
            json!({"name": "n", "inputSchema": true, "execution": {}, "icons": [], "_meta": {"a": 1}}),
            r#"{"name":"n","description":"n","parametersJsonSchema":true,"icons":[],"_meta":{"a":1}}"#,
        );
    }

    #[test]
    fn header_keys_are_left_out() {
        let region = json!({"x-mcp-header": "Region", "type": "string"});
        let schema = json!({"properties": {
            "region": region, "place": {"properties": {"region": region}}, "x-mcp-header": {},
        }});
        check(
            json!({"inputSchema": schema}),
            r#"{"parametersJsonSchema":{"properties":{"region":{"type":"string"},"place":{"properties":{"region":{"type":"string"}}},"x-mcp-header":{}}}}"#,
        );
    }
}
