//! The sessions with the MCP servers of all sources: each is started at its first use, kept, and
//! started again when it has ended.

pub(crate) mod host;
mod session;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cogtools_core::Diagnostic;
use cogtools_core::resident::{Client, SessionError, SessionRequest, SessionWork, Sessions};
use serde_json::Value;

use crate::auth::Store;
use crate::offers::with_source;
use host::{Host, SetLevel};
use session::{End, RequestError, SourceSession};

/// The time for which a server that fails again and again is not started: doubled each time.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(32);
/// The number of links that are remembered, and the longest one.
const MAX_LINKS: usize = 1_000;
const MAX_LINK_BYTES: usize = 2 << 10;
/// The number of new sessions that a request is sent to because the last one has just ended.
const MAX_ATTEMPTS: usize = 3;

/// The sessions, by the key of the source and the client: one over HTTP has its own.
type BySource = HashMap<(String, u64), Arc<Mutex<SourceState>>>;

/// The sessions of a program that stays.
#[derive(Debug, Default)]
pub(crate) struct SourceSessions {
    sources: Mutex<BySource>,
    stopped: AtomicBool,
    /// The client of the standard streams, and all clients that are stateless.
    host: Arc<Host>,
    /// The links in results, the newest ones last, each with the key of its source.
    links: Mutex<VecDeque<(String, String)>>,
    /// The tokens of logins.
    store: Option<Store>,
}

/// The session of one source, and the failures of its predecessors.
#[derive(Debug, Default)]
struct SourceState {
    session: Option<Arc<SourceSession>>,
    /// The number of sessions in a row that have failed without an answer.
    failures: u32,
    /// The end of the time in which none is started, and the reason.
    blocked: Option<(Instant, Box<Diagnostic>)>,
}

impl Sessions for SourceSessions {
    fn request(&self, request: &SessionRequest<'_>) -> Result<Value, SessionError> {
        for _ in 0..MAX_ATTEMPTS {
            match self.session(request)?.request(request) {
                Ok(mut answer) => {
                    if matches!(request.work, SessionWork::Call { .. }) {
                        self.remember_links(&mut answer, request.source);
                    }
                    return Ok(answer);
                }
                Err(RequestError::Session(error)) => return Err(error),
                Err(RequestError::Ended) => {}
            }
        }
        Err(SessionError::Cancelled)
    }

    fn end(&self, source: &str) {
        self.close(|(key, _)| key == source);
    }

    fn audience(&self) -> Option<String> {
        self.host.abilities().audience()
    }
}

impl SourceSessions {
    /// No sessions yet; `store` has the tokens of logins.
    pub(crate) fn new(store: Option<Store>) -> Self {
        Self {
            store,
            ..Self::default()
        }
    }

    /// Ends all sessions, and waits at most for `grace` until their servers have exited.
    pub(crate) fn stop(&self, grace: Duration) {
        self.stopped.store(true, Ordering::Release);
        let sources: Vec<_> = self.sources().drain().map(|(_, source)| source).collect();
        let sessions: Vec<Arc<SourceSession>> = sources
            .iter()
            .filter_map(|source| {
                let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
                source.session.take()
            })
            .collect();
        for session in &sessions {
            session.close();
        }
        let end = Instant::now() + grace;
        for session in sessions {
            let _ = session.wait_ended(end.saturating_duration_since(Instant::now()));
        }
    }

    /// The host that sources see unless a client has its own sessions.
    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// The host that sources see in requests of `client`.
    pub(crate) fn host_of(&self, client: Option<&Client>) -> Arc<Host> {
        let own = client.map(Arc::clone);
        let own = own.and_then(|client| client.downcast::<Host>().ok());
        own.unwrap_or_else(|| Arc::clone(&self.host))
    }

    /// Ends the sessions for a client that is gone.
    pub(crate) fn leave(&self, host: &Host) {
        self.close(|(_, id)| *id == host.id);
        self.sources().retain(|(_, id), _| *id != host.id);
    }

    /// Ends the sessions with these keys.
    fn close(&self, is_one: impl Fn(&(String, u64)) -> bool) {
        let sources = self.sources();
        let ended = sources.iter().filter(|(key, _)| is_one(key));
        let ended: Vec<_> = ended.map(|(_, source)| Arc::clone(source)).collect();
        drop(sources);
        for source in ended {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(session) = source.session.take() {
                session.close();
            }
        }
    }

    /// Remembers the links in a result: they can be read, even if the source does not list them. A
    /// link that another source has made before gets the name of this one.
    fn remember_links(&self, result: &mut Value, source: &str) {
        let content = result.get_mut("content").and_then(Value::as_array_mut);
        let linked = content.into_iter().flatten().filter_map(|block| {
            let is_link = block.get("type")?.as_str()? == "resource_link";
            let uri = block.get_mut("uri").filter(|_| is_link)?;
            (uri.as_str()?.len() <= MAX_LINK_BYTES).then_some(uri)
        });
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        for link in linked {
            let uri = link.as_str().unwrap_or_default().to_owned();
            match links.iter().find(|(of, _)| *of == uri) {
                Some((_, owner)) if owner != source => {
                    // A key has the name after its kind.
                    let name = source.split(':').nth(1).unwrap_or_default();
                    *link = with_source(name, &uri).into();
                }
                Some(_) => {}
                None => links.push_back((uri, source.to_owned())),
            }
            if links.len() > MAX_LINKS {
                links.pop_front();
            }
        }
    }

    /// Returns the key of the source whose result has linked to `uri`.
    pub(crate) fn linking(&self, uri: &str) -> Option<String> {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let link = links.iter().find(|(of, _)| of == uri);
        link.map(|(_, source)| source.clone())
    }

    /// Asks all sources of `host` for log messages of this level and above.
    pub(crate) fn set_level(&self, request: &SetLevel, host: &Host) {
        let level = host::level(request);
        host.set_level(level);
        let sources = self.sources();
        let ours = sources.iter().filter(|((_, id), _)| *id == host.id);
        let ours: Vec<_> = ours.map(|(_, source)| Arc::clone(source)).collect();
        drop(sources);
        for source in ours {
            let source = source.lock().unwrap_or_else(PoisonError::into_inner);
            let session = source.session.clone();
            drop(source);
            if let Some(session) = session {
                session.send_level(level);
            }
        }
    }

    /// The open session for `request`; if there is none, a new one.
    fn session(&self, request: &SessionRequest<'_>) -> Result<Arc<SourceSession>, SessionError> {
        let host = self.host_of(request.client);
        let key = (request.source.to_owned(), host.id);
        let source = Arc::clone(self.sources().entry(key).or_default());
        // Another request for the same source waits until the session is started.
        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
        if self.stopped.load(Ordering::Acquire) {
            return Err(SessionError::Cancelled);
        }
        if let Some(session) = source.session.take() {
            match session.end_state() {
                None if session.is_for(request) => {
                    source.session = Some(Arc::clone(&session));
                    return Ok(session);
                }
                // What it depends on has changed.
                None => session.close(),
                Some((at, end, has_answered)) => source.note_end(at, end, has_answered),
            }
        }
        if let Some((until, diagnostic)) = &source.blocked
            && Instant::now() < *until
        {
            return Err(SessionError::Failed(diagnostic.clone()));
        }
        let session = SourceSession::start(request, &host, self.store.clone())
            .map_err(SessionError::Failed)?;
        source.session = Some(Arc::clone(&session));
        Ok(session)
    }

    fn sources(&self) -> MutexGuard<'_, BySource> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SourceState {
    /// Takes note of how a session has ended: one that has answered can be started again at
    /// once, and so can the first that has not.
    fn note_end(&mut self, at: Instant, end: End, has_answered: bool) {
        self.blocked = None;
        match end {
            End::Failed(diagnostic) if !has_answered => {
                let backoff = MIN_BACKOFF * 2_u32.saturating_pow(self.failures.saturating_sub(1));
                if self.failures > 0 {
                    self.blocked = Some((at + backoff.min(MAX_BACKOFF), diagnostic));
                }
                self.failures = self.failures.saturating_add(1).min(10);
            }
            End::Failed(_) | End::Idle => self.failures = 0,
        }
    }
}
