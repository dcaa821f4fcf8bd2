//! The sessions with the MCP servers of all sources: each is started at its first use, kept, and
//! started again when it has ended.

pub(crate) mod host;
mod session;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cogtools_core::Diagnostic;
use cogtools_core::resident::{SessionError, SessionRequest, Sessions};
use serde_json::Value;

use crate::auth::Store;
use host::{Host, SetLevel};
use session::{End, RequestError, SourceSession};

/// The time for which a server that fails again and again is not started: doubled each time.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(32);
/// The number of new sessions that a request is sent to because the last one has just ended.
const MAX_ATTEMPTS: usize = 3;

/// The sessions of a program that stays.
#[derive(Debug, Default)]
pub(crate) struct SourceSessions {
    sources: Mutex<HashMap<String, Arc<Mutex<SourceState>>>>,
    stopped: AtomicBool,
    host: Arc<Host>,
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
                Ok(answer) => return Ok(answer),
                Err(RequestError::Session(error)) => return Err(error),
                Err(RequestError::Ended) => {}
            }
        }
        Err(SessionError::Cancelled)
    }

    fn end(&self, source: &str) {
        let source = self.sources().get(source).map(Arc::clone);
        if let Some(source) = source {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(session) = source.session.take() {
                session.close();
            }
        }
    }

    fn audience(&self) -> Option<&'static str> {
        let abilities = self.host.abilities();
        match (abilities.form, abilities.url) {
            (false, false) => None,
            (true, false) => Some("form"),
            (false, true) => Some("url"),
            (true, true) => Some("form-url"),
        }
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

    /// The host that the sources see.
    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Asks all sources for log messages of this level and above.
    pub(crate) fn set_level(&self, request: &SetLevel) {
        let level = host::level(request);
        self.host.set_level(level);
        let sources: Vec<_> = self.sources().values().map(Arc::clone).collect();
        for source in sources {
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
        let source = Arc::clone(self.sources().entry(request.source.to_owned()).or_default());
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
        let session = SourceSession::start(request, &self.host, self.store.clone())
            .map_err(SessionError::Failed)?;
        source.session = Some(Arc::clone(&session));
        Ok(session)
    }

    fn sources(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Mutex<SourceState>>>> {
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
