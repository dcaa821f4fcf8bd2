//! A session that stays open for a program that stays: requests are lines on standard input, and
//! answers are lines on standard output. `cogtools_core::resident` describes them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::process::Confinement;
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_program::{Failure, Input, Io, Line, Lines, SignalGuard, Vars};
use futures::stream::{FuturesUnordered, StreamExt as _};
use rmcp::RoleClient;
use rmcp::transport::Transport as ClientTransport;
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{Receiver, channel};

use crate::auth::Store;
use crate::command::{CALL_TIMEOUT, LIST_TIMEOUT, SERVER_VAR};
use crate::error::ClientError;
use crate::exchange::{http_error, process_error, redacted};
use crate::host::{Abilities, Host};
use crate::http::Http;
use crate::listener::{Listener, Notifications};
use crate::negotiation::FirstRequest;
use crate::process::{ServerProcess, Stop};
use crate::requests::{Requests, to_json};
use crate::server::{Server, Transport};
use crate::session::{Session, SessionError};
use crate::subscription;

/// The longest line: the limit for arguments, and space for the rest of the request.
const MAX_LINE_BYTES: usize = Input::MAX_BYTES + (64 << 10);
/// How many lines are read ahead.
const READ_AHEAD: usize = 16;
/// How often the session checks whether the connection is lost, or a signal has come.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Everything about a session but its connection.
pub(crate) struct Service {
    pub(crate) server: Server,
    idle: Duration,
    pub(crate) vars: Vars,
    cwd: PathBuf,
    confinement: Confinement,
    pub(crate) output: Sender<Value>,
    cancel: Cancel,
    store: Option<Store>,
}

/// Serves requests until the end of the input, or until the session ends.
pub(crate) fn run(server: Server, idle: Duration, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut vars = io.vars.clone();
    vars.remove(OsStr::new(SERVER_VAR));
    let (output, answers) = mpsc::channel();
    let cancel = Cancel::default();
    let signals = SignalGuard::begin(&cancel);
    let confinement = Confinement::new(io.program.parent());
    let service = Service {
        confinement: server.confine(confinement),
        server,
        idle,
        vars,
        cwd: io.cwd.clone(),
        output,
        cancel: cancel.clone(),
        store: Store::of(io),
    };
    let input = io.stdin.take();
    let failed =
        |error| Diagnostic::new(Code::Internal, format!("cannot start the session: {error}"));
    let thread = thread::Builder::new().name("session".into());
    let thread = thread.spawn(move || service.serve(input)).map_err(failed)?;
    let mut printed = Ok(());
    for answer in answers {
        if printed.is_ok() {
            printed = io.print(format!("{answer}\n").as_bytes());
        }
        if printed.is_err() {
            cancel.cancel();
        }
    }
    // A panic was already reported.
    let served = thread.join().unwrap_or(Ok(()));
    printed?;
    match signals.status() {
        Some(status) => Err(Failure::Reported(status)),
        None => served.map_err(|error| failed(error).into()),
    }
}

impl Service {
    fn serve(self, input: Box<dyn std::io::Read + Send>) -> std::io::Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (sender, lines) = channel(READ_AHEAD);
        // It ends with the process: nothing else ends a read.
        thread::Builder::new().name("stdin".into()).spawn(move || {
            for line in Lines::new(input, MAX_LINE_BYTES) {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        })?;
        let ended = match self.server.transport() {
            Ok(Transport::Command(program, args)) => {
                self.over_stdio(program, args, &runtime, lines)
            }
            Ok(Transport::Url(url)) => runtime.block_on(self.over_http(url, lines)),
            Err(error) => Err(Box::new(error.diagnostic(String::new()))),
        };
        let last = match ended {
            Ok(()) => json!({"ended": true}),
            Err(diagnostic) => json!({"failed": to_json(&diagnostic)}),
        };
        let _ = self.output.send(last);
        runtime.shutdown_background();
        Ok(())
    }

    fn over_stdio(
        &self,
        program: &str,
        args: &[String],
        runtime: &tokio::runtime::Runtime,
        lines: Receiver<Line>,
    ) -> Result<(), Box<Diagnostic>> {
        let (name, cwd): (_, &Path) = (&self.server.name, &self.cwd);
        let confinement = self.confinement.clone();
        let mut process = ServerProcess::start(name, program, args, &self.vars, cwd, confinement)
            .map_err(|error| Box::new(error.diagnostic(String::new())))?;
        let transport = process.transport();
        match runtime.block_on(self.session(lines, FirstRequest::Initialize, || transport.clone()))
        {
            Ok(()) => {
                let _ = process.stop(Stop::Gracefully);
                Ok(())
            }
            Err(error) => Err(process_error(&mut process, error)),
        }
    }

    async fn over_http(&self, url: &str, lines: Receiver<Line>) -> Result<(), Box<Diagnostic>> {
        let redacted = |error: &ClientError| redacted(&self.server, error, &self.vars);
        let headers = self.server.headers(&self.vars);
        let headers = headers.map_err(|error| redacted(&error))?;
        let timeout = self.server.timeout_or(CALL_TIMEOUT);
        let store = self.store.clone();
        let http = Http::for_server(&self.server, url, &self.vars, store, timeout)
            .map_err(|error| redacted(&error))?;
        let http = http.listening();
        let connect = || http.transport(url, &headers);
        self.session(lines, FirstRequest::Discover, connect)
            .await
            .map_err(|error| http_error(&self.server, error, &http, &self.vars))
    }

    /// Serves the requests in `lines` in one session.
    async fn session<T: ClientTransport<RoleClient> + 'static>(
        &self,
        mut lines: Receiver<Line>,
        first: FirstRequest,
        transport: impl Fn() -> T,
    ) -> Result<(), SessionError> {
        let phase = Mutex::new("initialize");
        // The first line says what the host can do.
        let abilities = match lines.recv().await {
            Some(line) => abilities(&line),
            None => return Ok(()),
        };
        let host = Host::new(&self.server.name, abilities, self.output.clone());
        let notifications = Arc::new(Notifications::new(self.output.clone(), host));
        let listener = Listener::new(Arc::clone(&notifications));
        let timeout = self.server.timeout_or(LIST_TIMEOUT);
        let start = Session::start(&self.server.name, &phase, listener, first, transport);
        let session = tokio::time::timeout(timeout, start).await.map_err(|_| {
            let phase = phase.lock().map_or("initialize", |phase| *phase);
            let name = self.server.name.clone();
            SessionError::Server(ClientError::TimedOut(name, phase, timeout))
        })??;
        let requests = Requests::new(self, &session, &notifications);
        let mut running = FuturesUnordered::new();
        let mut last_request = Instant::now();
        let mut changes = Box::pin(subscription::hear(&session, &notifications));
        loop {
            tokio::select! {
                line = lines.recv() => {
                    let Some(line) = line else { break };
                    // The request was not sent: another session can answer it.
                    if session.is_closed() && running.is_empty() {
                        return Ok(());
                    }
                    if let Some(request) = requests.accept(&line) {
                        running.push(requests.answer(request));
                    }
                }
                Some(answered) = running.next(), if !running.is_empty() => answered?,
                () = &mut changes => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            if !running.is_empty() {
                last_request = Instant::now();
            } else if last_request.elapsed() >= self.idle || session.is_closed() {
                break;
            }
            if self.cancel.is_cancelled() {
                break;
            }
        }
        drop((running, changes));
        let closed = session.close();
        let _ = tokio::time::timeout(POLL_INTERVAL, closed).await;
        Ok(())
    }
}

/// What the host can do, as a line says.
fn abilities(line: &Line) -> Abilities {
    let Line::Text(line) = line else {
        return Abilities::default();
    };
    let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
    let host = message.get("host").cloned().unwrap_or_default();
    serde_json::from_value(host).unwrap_or_default()
}
