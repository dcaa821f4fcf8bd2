//! One session with the MCP server of a source, in a thread of its own, which stays open.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::resident::{ServerStart, SessionError, SessionRequest, SessionWork};
use cogtools_core::{Code, Diagnostic, FailedCall, Progress, ToolOutput};
use futures::stream::{FuturesUnordered, StreamExt as _};
use parking_lot::{Condvar, Mutex};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, timeout};

use crate::auth::Store;
use crate::client::Server;
use crate::client::connector::{self, ClientError, Connector, Opening, tool_error};
use crate::client::listener::Listener;
use crate::client::session::{self, Session, UNSUBSCRIBE, Watch};
use crate::client::{CALL_TIMEOUT, LIST_TIMEOUT};
use crate::sources::Clients;
use crate::sources::host::{Abilities, Host, Level, change_texts};

/// The pause after which a request checks again whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The pause after which a session checks again whether its connection is lost, and the limit for
/// closing it.
const SESSION_POLL: Duration = Duration::from_millis(100);
/// The time for which a list of tools is used to check declarations: not every server announces
/// changes.
const LIST_TTL: Duration = Duration::from_mins(1);

/// A session that is open, or has ended.
pub(crate) struct SourceSession {
    fingerprint: String,
    /// The key of its source.
    source: String,
    clients: Arc<Clients>,
    /// The abilities of the client at the start: the server knows them.
    abilities: Abilities,
    /// The thread that serves the session; gone once it is to end.
    messages: Mutex<Option<UnboundedSender<Message>>>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    has_answered: bool,
    /// The level of log messages that the server was last asked for.
    level: Option<Level>,
    end: Option<(Instant, End)>,
}

/// The end of a session.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// No request was lost: the ones without an answer can be sent again.
    Idle,
    /// The client or the server failed.
    Failed(Box<Diagnostic>),
}

/// A message to the thread of a session.
enum Message {
    Request(Request),
    /// Asks for log messages of this level and above.
    Level(Level),
    /// Says that the client has other folders.
    RootsChanged,
}

/// A request, and the receiver of its answer.
struct Request {
    work: SessionWork,
    progress: Option<Progress>,
    meta: Arc<Map<String, Value>>,
    host: Arc<Host>,
    cancelled: Arc<Notify>,
    answer: Sender<Result<Value, Box<Diagnostic>>>,
}

impl SourceSession {
    /// Starts a session for `request`; `store` has the tokens of logins. After a restart the server
    /// may have other tools.
    pub(crate) fn start(
        request: &SessionRequest<'_>,
        host: &Arc<Host>,
        (store, is_restart): (Option<Store>, bool),
    ) -> Result<Arc<Self>, Box<Diagnostic>> {
        let start = (request.start)()?;
        let server = Server::read(&start.description)
            .map_err(|error| Box::new(error.diagnostic(String::new())))?;
        let (messages, received) = unbounded_channel();
        let session = Arc::new(Self {
            fingerprint: request.fingerprint.to_owned(),
            clients: Arc::new(Clients::of(host, request.shared)),
            abilities: if request.shared {
                Abilities::default()
            } else {
                host.abilities()
            },
            source: request.source.to_owned(),
            messages: Mutex::new(Some(messages)),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        let (idle, on_change) = (request.idle, Arc::clone(request.on_change));
        let (abilities, clients) = (session.abilities.clone(), Arc::clone(&session.clients));
        let source = (&*server.name, request.source);
        let listener = Listener::new(source, abilities, clients, on_change);
        let run = Run {
            server,
            start,
            idle,
            store,
            is_restart,
            listener: Arc::new(listener),
            session: Arc::clone(&session),
        };
        let thread = thread::Builder::new().name("session".into());
        let thread = thread.spawn(move || run.serve_and_record(received));
        thread.map_err(|error| {
            let message = format!("cannot start the session: {error}");
            Box::new(Diagnostic::new(Code::Internal, message))
        })?;
        Ok(session)
    }

    /// Returns true if it depends on all that `request` of `host` depends on.
    pub(crate) fn is_for(&self, request: &SessionRequest<'_>, host: &Host) -> bool {
        self.fingerprint == request.fingerprint
            && (request.shared || self.abilities == host.abilities())
    }

    /// Its clients.
    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Returns when and how it has ended, and true if it had answered a request; `None` while it
    /// is open.
    pub(crate) fn end_state(&self) -> Option<(Instant, End, bool)> {
        let state = self.state.lock();
        let (at, end) = state.end.clone()?;
        Some((at, end, state.has_answered))
    }

    /// Sends a request of `host`, and waits for its answer; there is none if the session has ended
    /// before the request reached the server.
    pub(crate) fn request(
        &self,
        request: &SessionRequest<'_>,
        host: &Arc<Host>,
    ) -> Result<Option<Value>, SessionError> {
        let mut running = self.clients.begin(host, request.on_change);
        self.send_level();
        if let SessionWork::Request { method, params } = request.work
            && *method == UNSUBSCRIBE
            && self.clients.subscribe_to(&self.source, params)
        {
            return Ok(Some(json!({"result": {}})));
        }
        let begin = Instant::now();
        let (sender, answer) = channel();
        let cancelled = Arc::<Notify>::default();
        self.send(Message::Request(Request {
            work: request.work.clone(),
            progress: request.progress.cloned(),
            meta: Arc::clone(request.meta),
            host: Arc::clone(host),
            cancelled: Arc::clone(&cancelled),
            answer: sender,
        }));
        let error = loop {
            let left = request.timeout.saturating_sub(begin.elapsed());
            if request.cancel.is_cancelled() {
                break SessionError::Cancelled;
            }
            if left.is_zero() {
                break SessionError::TimedOut;
            }
            match answer.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(answer) => {
                    running.is_answered = true;
                    return answer.map(Some).map_err(SessionError::Failed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return match self.wait_ended(left) {
                        Some(End::Failed(diagnostic)) => Err(SessionError::Failed(diagnostic)),
                        _ => Ok(None),
                    };
                }
            }
        };
        cancelled.notify_one();
        Err(error)
    }

    /// Asks the server for the log messages that clients want, unless it was last asked for the
    /// same: a client may set a level while the session starts.
    pub(crate) fn send_level(&self) {
        let Some(level) = self.clients.level() else {
            return;
        };
        let before = self.state.lock().level.replace(level);
        if before != Some(level) {
            self.send(Message::Level(level));
        }
    }

    /// Tells the server that the client has other folders.
    pub(crate) fn send_roots_changed(&self) {
        self.send(Message::RootsChanged);
    }

    fn send(&self, message: Message) {
        if let Some(messages) = &*self.messages.lock() {
            let _ = messages.send(message);
        }
    }

    /// Lets the session end.
    pub(crate) fn close(&self) {
        self.messages.lock().take();
    }

    /// Waits until the server has exited, at most for `grace`; returns how the session ended.
    pub(crate) fn wait_ended(&self, grace: Duration) -> Option<End> {
        let mut state = self.state.lock();
        let is_open = |state: &mut State| state.end.is_none();
        self.ended.wait_while_for(&mut state, is_open, grace);
        state.end.as_ref().map(|(_, end)| end.clone())
    }
}

impl std::fmt::Debug for SourceSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceSession").finish_non_exhaustive()
    }
}

/// The part of a session that its thread has.
struct Run {
    server: Server,
    start: ServerStart,
    idle: Duration,
    store: Option<Store>,
    is_restart: bool,
    listener: Arc<Listener>,
    session: Arc<SourceSession>,
}

impl Run {
    /// Serves requests until the session ends, and records how it has ended.
    fn serve_and_record(self, mut messages: UnboundedReceiver<Message>) {
        let unexpected = || {
            let message = "the MCP client has ended unexpectedly";
            Box::new(Diagnostic::new(Code::ToolFailed, message))
        };
        let served = catch_unwind(AssertUnwindSafe(|| self.serve(&mut messages)));
        let end = match served.unwrap_or_else(|_| Err(unexpected())) {
            Ok(()) => End::Idle,
            Err(diagnostic) => End::Failed(diagnostic),
        };
        self.session.state.lock().end = Some((Instant::now(), end));
        // Only now do the callers of requests that were not read learn that there is no answer.
        self.session.close();
        drop(messages);
        self.session.ended.notify_all();
    }

    fn connector(&self) -> Connector<'_> {
        Connector {
            server: &self.server,
            vars: &self.start.variables,
            directory: &self.start.directory,
            confinement: self.start.confinement.clone(),
            store: self.store.clone(),
            timeout: self.server.timeout_or(CALL_TIMEOUT),
            listens: true,
        }
    }

    fn serve(&self, messages: &mut UnboundedReceiver<Message>) -> Result<(), Box<Diagnostic>> {
        let serve = async |opening: Opening<'_>| self.session(opening, messages).await;
        self.connector().run(&self.listener, serve)
    }

    /// Serves the requests in `messages` in one session.
    async fn session(
        &self,
        opening: Opening<'_>,
        messages: &mut UnboundedReceiver<Message>,
    ) -> Result<(), session::SessionError> {
        let limit = self.server.timeout_or(LIST_TIMEOUT);
        let session = tokio::select! {
            opened = timeout(limit, opening) => match opened {
                Ok(opened) => opened?,
                Err(_) => return Err(self.listener.timed_out(&self.server.name, limit)),
            },
            () = self.closed() => return Ok(()),
        };
        if self.is_restart {
            self.listener.tools_changed();
        }
        let requests = Requests {
            run: self,
            session: &session,
            tools: RefCell::default(),
        };
        let mut running = FuturesUnordered::new();
        let mut last_request = Instant::now();
        let mut changes = Box::pin(async {
            session.resubscribe().await;
            session.hear().await;
        });
        loop {
            tokio::select! {
                message = messages.recv() => {
                    let Some(message) = message else { break };
                    // The request was not sent: another session can answer it.
                    if session.is_closed() && running.is_empty() {
                        break;
                    }
                    running.push(requests.answer(message));
                }
                Some(answered) = running.next(), if !running.is_empty() => {
                    if let ControlFlow::Break(error) = answered {
                        return Err(error);
                    }
                }
                () = &mut changes => {}
                () = sleep(SESSION_POLL) => {}
            }
            let is_watched = || {
                self.session
                    .clients
                    .have_subscriptions(&self.session.source)
            };
            if !running.is_empty() || is_watched() && !session.is_closed() {
                last_request = Instant::now();
            } else if last_request.elapsed() >= self.idle || session.is_closed() {
                break;
            }
        }
        drop((running, changes));
        let _ = timeout(SESSION_POLL, session.close()).await;
        Ok(())
    }

    /// Waits until the session is to end.
    async fn closed(&self) {
        loop {
            let is_open = self.session.messages.lock().is_some();
            if !is_open {
                return;
            }
            sleep(SESSION_POLL).await;
        }
    }
}

/// The requests of one session.
struct Requests<'r> {
    run: &'r Run,
    session: &'r Session<'r>,
    /// The tools of the server, and when they were listed.
    tools: RefCell<Option<(Instant, Rc<Vec<Value>>)>>,
}

impl Requests<'_> {
    /// Answers a request, or breaks because the connection is lost.
    async fn answer(&self, message: Message) -> ControlFlow<session::SessionError> {
        let request = match message {
            Message::Request(request) => request,
            Message::Level(level) => {
                let _ = timeout(LIST_TIMEOUT, self.session.set_level(level)).await;
                return ControlFlow::Continue(());
            }
            Message::RootsChanged => {
                self.session.roots_changed().await;
                return ControlFlow::Continue(());
            }
        };
        let result = match &request.work {
            SessionWork::List => self.list().await,
            SessionWork::Offer => self.offer().await,
            SessionWork::Request { method, params } => {
                let watch = self.watch(&request);
                let answer = self.session.request(method, params.clone(), &watch).await;
                answer.map(|answer| self.without_secrets(answer))
            }
            SessionWork::Call {
                tool,
                arguments,
                expected,
            } => {
                let watch = self.watch(&request);
                let call = async {
                    let tools = self.tools().await?;
                    let name = &self.run.server.name;
                    connector::check(&tools, tool, Some(expected), name)?;
                    let as_task = connector::requires_task(&tools, tool);
                    let call = (&**tool, as_task);
                    let call = self.session.call_tool(call, arguments.clone(), &watch);
                    call.await.map(Value::Object)
                };
                call.await
            }
        };
        let answer = match result {
            Ok(Value::Object(result)) if result.get("isError") == Some(&Value::Bool(true)) => {
                let mut error = tool_error(ToolOutput::from_mcp(result.clone()).text);
                error.answer = Some(Box::new(FailedCall::Result(result)));
                Err(Box::new(error))
            }
            Ok(result) => Ok(result),
            Err(session::SessionError::Server(error)) => {
                if let ClientError::ToolNotFound(..) = error {
                    self.run.listener.tools_changed();
                }
                let mut diagnostic = self.run.connector().explain(&error);
                if let ClientError::Rejected(.., error) = &error {
                    let pages = self.run.listener.pages(error);
                    let pages = pages.and_then(|error| json!(error).as_object().cloned());
                    diagnostic.answer = pages.map(|it| Box::new(FailedCall::Error(it)));
                }
                Err(diagnostic)
            }
            Err(error) => return ControlFlow::Break(error),
        };
        self.run.session.state.lock().has_answered = true;
        let _ = request.answer.send(answer);
        ControlFlow::Continue(())
    }

    fn watch<'w>(&self, request: &'w Request) -> Watch<'w> {
        Watch {
            progress: request.progress.as_ref(),
            meta: &request.meta,
            host: Some(Arc::clone(&request.host)),
            cancelled: &request.cancelled,
            timeout: self.run.server.timeout_or(CALL_TIMEOUT),
        }
    }

    /// Masks the values of variables in an error.
    fn without_secrets(&self, mut answer: Value) -> Value {
        let (server, vars) = (&self.run.server, &self.run.start.variables);
        if let Some(error) = answer.get_mut("error") {
            change_texts(error, &|text| server.redact(text, vars));
        }
        answer
    }

    /// Lists everything besides tools.
    async fn offer(&self) -> Result<Value, session::SessionError> {
        let offer = self.within_limit("resources/list", self.session.offer());
        Ok(Value::Array(vec![offer.await?]))
    }

    /// Waits for a list, for which `phase` asks.
    async fn within_limit<T>(
        &self,
        phase: &'static str,
        list: impl Future<Output = Result<T, session::SessionError>>,
    ) -> Result<T, session::SessionError> {
        let limit = self.run.server.timeout_or(LIST_TIMEOUT);
        let name = || self.run.server.name.clone();
        let timed_out = |_| Err(ClientError::TimedOut(name(), phase, limit).into());
        timeout(limit, list).await.unwrap_or_else(timed_out)
    }

    /// Lists the declarations of all tools.
    async fn list(&self) -> Result<Value, session::SessionError> {
        self.tools.take();
        let tools = self.tools().await?;
        Ok(tools.iter().map(connector::from_mcp).collect())
    }

    /// Returns the tools of the server, as they were listed since they last changed.
    async fn tools(&self) -> Result<Rc<Vec<Value>>, session::SessionError> {
        let is_changed = self.run.listener.take_changed();
        if let Some((listed, tools)) = &*self.tools.borrow()
            && !is_changed
            && listed.elapsed() < LIST_TTL
        {
            return Ok(Rc::clone(tools));
        }
        let listed = self.within_limit("tools/list", self.session.list_tools());
        let tools = Rc::new(listed.await?);
        *self.tools.borrow_mut() = Some((Instant::now(), Rc::clone(&tools)));
        Ok(tools)
    }
}
