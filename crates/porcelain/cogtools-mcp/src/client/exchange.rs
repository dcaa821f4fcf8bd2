//! One request to one server: its session is opened and closed.

use std::time::Duration;

use cogtools_core::{Cancel, Diagnostic, ToolOutput};
use cogtools_http::Reason;
use cogtools_program::Vars;
use serde_json::{Map, Value, json};

use crate::auth::Store;
use crate::client::declaration;
use crate::client::error::{ClientError, HttpError};
use crate::client::http::Http;
use crate::client::listener::Listener;
use crate::client::process::{ServerProcess, Stop};
use crate::client::server::Server;
use crate::client::session::{FirstRequest, Phase, Session, SessionError};

/// How often the run checks whether a signal has cancelled it.
const CANCEL_POLL: Duration = Duration::from_millis(20);
/// The limit for closing the session.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// A request to a server.
pub(crate) enum Request {
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
pub(crate) struct Response {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// One request to one server.
pub(crate) struct Exchange<'t> {
    pub(crate) server: &'t Server,
    pub(crate) request: &'t Request,
    pub(crate) timeout: Duration,
    pub(crate) cancel: &'t Cancel,
    pub(crate) phase: &'t Phase,
}

impl Exchange<'_> {
    pub(crate) async fn run_stdio(
        &self,
        mut process: ServerProcess,
    ) -> Result<Response, Box<Diagnostic>> {
        let transport = process.transport();
        let result = self
            .with_timeout(self.run(FirstRequest::Initialize, || transport.clone()))
            .await;
        match result {
            Ok(response) => {
                let _ = process.stop(Stop::Gracefully);
                Ok(response)
            }
            Err(error) => Err(process_error(&mut process, error)),
        }
    }

    pub(crate) async fn run_http(
        &self,
        url: &str,
        vars: &Vars,
        store: Option<Store>,
    ) -> Result<Response, Box<Diagnostic>> {
        let headers = self.server.headers(vars);
        let headers = headers.map_err(|error| redacted(self.server, &error, vars))?;
        let http = Http::for_server(self.server, url, vars, store, self.timeout)
            .map_err(|error| redacted(self.server, &error, vars))?;
        let result = self
            .with_timeout(self.run(FirstRequest::Discover, || http.transport(url, &headers)))
            .await;
        result.map_err(|error| http_error(self.server, error, &http, vars))
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
        first: FirstRequest,
        transport: impl Fn() -> T,
    ) -> Result<Response, SessionError> {
        let session = Session::start(
            &self.server.name,
            self.phase,
            Listener::default(),
            first,
            transport,
        )
        .await?;
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
                let result = session.call_tool(name, arguments.clone(), None).await?;
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

/// The error of a session with `process`, which is stopped.
pub(crate) fn process_error(process: &mut ServerProcess, error: SessionError) -> Box<Diagnostic> {
    let error = match error {
        SessionError::Disconnected(phase) => process.exit_error(phase),
        SessionError::Server(error) => match (error, process.stray_output()) {
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
    Box::new(error.diagnostic(stderr))
}

/// The error of a session over HTTP.
pub(crate) fn http_error(
    server: &Server,
    error: SessionError,
    http: &Http,
    vars: &Vars,
) -> Box<Diagnostic> {
    let error = match error {
        SessionError::Server(error) => error,
        SessionError::Disconnected(_) => {
            let name = server.name.clone();
            let truncated = HttpError::Request(Reason::Truncated);
            match http.last_error().unwrap_or(truncated) {
                HttpError::Request(Reason::TooLarge(_)) => ClientError::TooLarge(name),
                error => ClientError::Http(name, error),
            }
        }
    };
    redacted(server, &error, vars)
}

/// The diagnostic of an error, without the values of variables.
pub(crate) fn redacted(server: &Server, error: &ClientError, vars: &Vars) -> Box<Diagnostic> {
    let mut diagnostic = error.diagnostic(String::new());
    diagnostic.message = server.redact(&diagnostic.message, vars);
    Box::new(diagnostic)
}
