//! One session with the MCP server of a source: a `cogtools-mcp-client session` that stays open.

use std::io::Write as _;
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cogtools_core::process::{Group, Process};
use cogtools_core::resident::{SessionError, SessionRequest};
use cogtools_core::{Code, Diagnostic, ProgressUpdate};
use cogtools_program::{Line, Lines};
use serde_json::{Map, Value, json};

use crate::client_message::ClientMessage;
use crate::host::Host;
use crate::session_end::{End, RequestError};
use crate::session_state::{Event, SessionState};
use crate::session_thread;

/// The longest line: a result with all its content.
const MAX_LINE_BYTES: usize = 34 << 20;
/// How often a request checks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What is called when the server declares other tools.
type OnChange = Arc<dyn Fn() + Send + Sync>;

/// A session that is open, or has ended.
pub(crate) struct LivingSession {
    fingerprint: String,
    host: Arc<Host>,
    /// What the host could do at the start: the server knows that.
    abilities: Value,
    /// Holds what must exist while the client runs.
    process: Process,
    stdin: Mutex<Option<ChildStdin>>,
    group: Mutex<Option<Group>>,
    state: Mutex<SessionState>,
    ended: Condvar,
}

impl LivingSession {
    /// Starts the client for `request`.
    pub(crate) fn start(
        request: &SessionRequest<'_>,
        host: &Arc<Host>,
    ) -> Result<Arc<Self>, Box<Diagnostic>> {
        let process = (request.process)()?;
        let failed = |error: std::io::Error| {
            let message = format!("the MCP client cannot be started: {error}");
            Box::new(Diagnostic::new(Code::InvalidConfig, message))
        };
        let mut group = process.start().map_err(failed)?;
        let child = group.child();
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let session = Arc::new(Self {
            fingerprint: request.fingerprint.to_owned(),
            host: Arc::clone(host),
            abilities: host.abilities(),
            process,
            stdin: Mutex::new(stdin),
            group: Mutex::new(Some(group)),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        let errors = session_thread::read_errors(stderr).map_err(failed)?;
        if let Some(stdout) = stdout {
            let (session, on_change) = (Arc::clone(&session), Arc::clone(request.on_change));
            session_thread::spawn("session", move || session.read(stdout, &on_change, errors))
                .map_err(failed)?;
        }
        session.send("host", session.abilities.clone());
        if let Some(level) = host.level() {
            session.send_level(level);
        }
        Ok(session)
    }

    /// Whether it depends on what `request` depends on.
    pub(crate) fn is_for(&self, request: &SessionRequest<'_>) -> bool {
        self.fingerprint == request.fingerprint && self.abilities == self.host.abilities()
    }

    /// When and how it has ended, and whether it had answered a request; `None` while it is open.
    pub(crate) fn end_state(&self) -> Option<(Instant, End, bool)> {
        let state = self.state();
        let (at, end) = state.end.clone()?;
        Some((at, end, state.has_answered))
    }

    /// Sends a request, and waits for its answer.
    pub(crate) fn request(&self, request: &SessionRequest<'_>) -> Result<Value, RequestError> {
        let (sender, events) = channel();
        let id = {
            let mut state = self.state();
            if state.end.is_some() {
                return Err(RequestError::Ended);
            }
            state.next += 1;
            let id = state.next;
            state.waiting.insert(id, sender);
            id
        };
        let mut message = request.message.clone();
        message.insert("id".into(), id.into());
        self.write(&message);
        let answer = self.wait(&events, request);
        if let Err(RequestError::Session(SessionError::Cancelled | SessionError::TimedOut)) = answer
        {
            self.state().waiting.remove(&id);
            self.send("cancel", id.into());
        }
        answer
    }

    fn wait(
        &self,
        events: &Receiver<Event>,
        request: &SessionRequest<'_>,
    ) -> Result<Value, RequestError> {
        let begin = Instant::now();
        loop {
            let left = request.timeout.saturating_sub(begin.elapsed());
            if request.cancel.is_cancelled() {
                return Err(RequestError::Session(SessionError::Cancelled));
            }
            if left.is_zero() {
                return Err(RequestError::Session(SessionError::TimedOut));
            }
            match events.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(Event::Progress(update)) => {
                    if let Some(progress) = request.progress {
                        progress.update(update);
                    }
                }
                Ok(Event::Answer(answer)) => {
                    return answer
                        .map_err(|error| RequestError::Session(SessionError::Failed(error)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(match self.end_state() {
                        Some((_, End::Failed(diagnostic), _)) => {
                            RequestError::Session(SessionError::Failed(diagnostic))
                        }
                        _ => RequestError::Ended,
                    });
                }
            }
        }
    }

    /// Sends a message that has no answer.
    pub(crate) fn send(&self, name: &str, value: Value) {
        self.write(&Map::from_iter([(name.to_owned(), value)]));
    }

    /// Asks the server for log messages of this level and above, unless that is what it was last
    /// asked for: the host may say so while the session starts.
    pub(crate) fn send_level(&self, level: Value) {
        let before = self.state().level.replace(level.clone());
        if before.as_ref() != Some(&level) {
            self.send("level", level);
        }
    }

    /// Writes a line. If the client has exited, the thread that reads from it finds out.
    fn write(&self, message: &Map<String, Value>) {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stdin) = &mut *stdin {
            let line = format!("{}\n", json!(message));
            let _ = stdin
                .write_all(line.as_bytes())
                .and_then(|()| stdin.flush());
        }
    }

    /// Lets the client end the session and exit.
    pub(crate) fn close(&self) {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        *stdin = None;
    }

    /// Waits until the client has exited, and kills it after `grace`.
    pub(crate) fn wait_ended(&self, grace: Duration) {
        let is_open = |state: &mut SessionState| state.end.is_none();
        let state = self.state();
        let waited = self.ended.wait_timeout_while(state, grace, is_open);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.end.is_none() {
            drop(state);
            let mut group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(group) = &mut *group {
                group.kill();
            }
        }
    }

    /// Reads what the client prints until it exits.
    fn read(
        self: &Arc<Self>,
        stdout: ChildStdout,
        on_change: &OnChange,
        errors: JoinHandle<Vec<u8>>,
    ) {
        let mut end = None;
        for line in Lines::new(stdout, MAX_LINE_BYTES) {
            let Line::Text(line) = line else {
                let message = "the MCP client printed a result that is too large";
                end = Some(End::Failed(Box::new(Diagnostic::new(
                    Code::ToolFailed,
                    message,
                ))));
                break;
            };
            match ClientMessage::parse(&line) {
                Some(ClientMessage::Changed) => on_change(),
                Some(ClientMessage::Ended) => end = Some(End::Idle),
                Some(ClientMessage::Failed(diagnostic)) => end = Some(End::Failed(diagnostic)),
                Some(ClientMessage::Log(message)) => self.host.log(message),
                Some(ClientMessage::Ask(id, question)) => self.ask(id, question),
                Some(ClientMessage::Progress(id, update)) => self.progress(id, update),
                Some(ClientMessage::Answer(id, answer)) => self.answer(id, answer),
                None => {}
            }
        }
        self.close();
        let group = self
            .group
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(mut group) = group {
            // It has exited, or is about to.
            group.kill();
            let _ = group.reap();
        }
        let stderr = errors.join().unwrap_or_default();
        let unexpected = || {
            let message = "the MCP client has ended unexpectedly";
            let unknown = || Diagnostic::new(Code::ToolFailed, message);
            let reported = Diagnostic::from_json(&stderr);
            End::Failed(Box::new(reported.unwrap_or_else(unknown)))
        };
        let mut state = self.state();
        state.end = Some((Instant::now(), end.unwrap_or_else(unexpected)));
        // Callers that wait learn that there will be no answer.
        state.waiting.clear();
        drop(state);
        self.ended.notify_all();
    }

    /// Asks the user. A question that has no answer is cancelled.
    fn ask(self: &Arc<Self>, id: u64, question: Value) {
        let session = Arc::downgrade(self);
        self.host.ask(question, move |answer| {
            let answer = answer.unwrap_or_else(|| json!({"action": "cancel"}));
            if let Some(session) = Weak::upgrade(&session) {
                let answer = [("answer", id.into()), ("result", answer)];
                let answer = answer.map(|(name, value)| (name.to_owned(), value));
                session.write(&Map::from_iter(answer));
            }
        });
    }

    fn progress(&self, id: u64, update: ProgressUpdate) {
        if let Some(waiting) = self.state().waiting.get(&id) {
            let _ = waiting.send(Event::Progress(update));
        }
    }

    fn answer(&self, id: u64, answer: Result<Value, Box<Diagnostic>>) {
        let mut state = self.state();
        state.has_answered = true;
        if let Some(waiting) = state.waiting.remove(&id) {
            let _ = waiting.send(Event::Answer(answer));
        }
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for LivingSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let _ = &self.process;
        f.debug_struct("LivingSession").finish_non_exhaustive()
    }
}
