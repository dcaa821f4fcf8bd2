//! Connects to a server and opens a session with it, for one request or for many: starts its
//! program or contacts its URL, and explains how the connection ended.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use cogtools_core::process::Confinement;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_http::Reason;
use cogtools_program::Vars;
use tokio::runtime::{Builder, Runtime};

use crate::auth::Store;
use crate::client::error::{ClientError, HttpError};
use crate::client::http::Http;
use crate::client::process::{ServerProcess, Stop};
use crate::client::server::{Server, Transport};
use crate::client::session::{FirstRequest, Listener, Phase, Session, SessionError};

/// The pause after which a run checks again whether it was cancelled.
const CANCEL_POLL: Duration = Duration::from_millis(20);

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
        phase: &Phase,
        listener: &Arc<Listener>,
        work: impl for<'o> AsyncFnOnce(Opening<'o>) -> Result<R, SessionError>,
    ) -> Result<R, Box<Diagnostic>> {
        let runtime = runtime()?;
        let name = &self.server.name;
        let ended = match self.server.transport().map_err(|it| self.explain(&it))? {
            Transport::Command(program, args) => {
                let confinement = self.server.confine(self.confinement.clone());
                let started = ServerProcess::start(
                    name,
                    program,
                    args,
                    self.vars,
                    self.directory,
                    confinement,
                );
                let mut process = started.map_err(|it| Box::new(it.diagnostic(String::new())))?;
                let transport = process.transport();
                let first = FirstRequest::Initialize;
                let opening = Session::start(name, phase, listener, first, || transport.clone());
                let ended = runtime.block_on(work(Box::pin(opening)));
                match ended {
                    Ok(result) => {
                        let _ = process.stop(Stop::Gracefully);
                        Ok(result)
                    }
                    Err(error) => Err(process_error(&mut process, error)),
                }
            }
            Transport::Url(url) => {
                let headers = self.server.headers(self.vars);
                let headers = headers.map_err(|error| self.explain(&error))?;
                let http = Http::new(self, url).map_err(|error| self.explain(&error))?;
                let first = FirstRequest::Discover;
                let connect = || http.transport(url, &headers);
                let opening = Session::start(name, phase, listener, first, connect);
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
        let mut diagnostic = error.diagnostic(String::new());
        diagnostic.message = self.server.redact(&diagnostic.message, self.vars);
        Box::new(diagnostic)
    }
}

/// Returns the error of a session with `process`, which is stopped.
fn process_error(process: &mut ServerProcess, error: SessionError) -> Box<Diagnostic> {
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

/// Returns a runtime for one session.
pub(crate) fn runtime() -> Result<Runtime, Box<Diagnostic>> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| {
        let message = format!("cannot start the async runtime: {error}");
        Box::new(Diagnostic::new(Code::Internal, message))
    })
}

/// Waits until `cancel` is set.
pub(crate) async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(CANCEL_POLL).await;
    }
}
