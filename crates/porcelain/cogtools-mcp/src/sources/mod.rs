//! The sessions with the MCP servers of all sources: each is started at its first use, kept, and
//! started again when it has ended.

pub(crate) mod host;
mod session;

use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use cogtools_core::Diagnostic;
use cogtools_core::resident::{Client, SessionError, SessionRequest, SessionWork, Sessions};
use cogtools_program::Io;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::auth::Store;
use crate::client::listener::OnChange;
use crate::offers::with_source;
use host::{Host, Level, PATIENCE, SetLevel};
use session::{End, SourceSession};

/// The time for which a server that fails again and again is not started: doubled each time.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(32);
/// The number of links that are remembered, and the longest one.
const MAX_LINKS: usize = 1_000;
const MAX_LINK_BYTES: usize = 2 << 10;
/// The number of new sessions that a request is sent to because the last one has just ended.
const MAX_ATTEMPTS: usize = 3;

/// The sessions, by the key of the source and their owner.
type BySource = HashMap<(String, Owner), Arc<Mutex<SourceState>>>;

/// The owner of a session.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
enum Owner {
    /// One client.
    Client(u64),
    /// All clients whose session would depend on the same: this is its fingerprint.
    All(String),
}

/// Sessions that are open, or were.
#[derive(Debug, Default)]
pub(crate) struct OpenSessions {
    sources: Mutex<BySource>,
    stopped: AtomicBool,
}

/// The sessions of a program that stays.
#[derive(Debug, Default)]
pub(crate) struct SourceSessions {
    own: OpenSessions,
    /// The sessions with sources that are shared.
    shared: Arc<OpenSessions>,
    /// True if other programs of the process use them, too.
    is_guest: bool,
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
            let host = self.host_of(request.client);
            let answer = self.session(request, &host)?.request(request, &host)?;
            if let Some(mut answer) = answer {
                if matches!(request.work, SessionWork::Call { .. }) {
                    self.remember_links(&mut answer, request.source);
                }
                return Ok(answer);
            }
        }
        Err(SessionError::Cancelled)
    }

    fn end(&self, source: &str) {
        self.own.close(|(key, _)| key == source);
        self.shared.close(|(key, _)| key == source);
    }

    fn fresh(&self) -> Arc<dyn Sessions> {
        Arc::new(Self::new(self.store.clone(), None))
    }

    fn stop(&self, grace: Duration) {
        self.own.stop(grace);
        if !self.is_guest {
            self.shared.stop(grace);
        }
    }

    fn audience(&self) -> Option<String> {
        self.host.abilities().audience()
    }
}

/// Sessions for a program that calls tools by itself: a server can ask nothing.
pub fn sessions(io: &Io<'_>) -> Arc<dyn Sessions> {
    Arc::new(SourceSessions::new(Store::of(io), None))
}

impl SourceSessions {
    /// No sessions yet, besides those that all programs of the process share; `store` has the
    /// tokens of logins.
    pub(crate) fn new(store: Option<Store>, shared: Option<Arc<OpenSessions>>) -> Self {
        Self {
            store,
            is_guest: shared.is_some(),
            shared: shared.unwrap_or_default(),
            ..Self::default()
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
        let owner = Owner::Client(host.id);
        self.own.close(|(_, of)| *of == owner);
        self.own.sources.lock().retain(|(_, of), _| *of != owner);
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
        let mut links = self.links.lock();
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
        let links = self.links.lock();
        let link = links.iter().find(|(of, _)| of == uri);
        link.map(|(_, source)| source.clone())
    }

    /// Asks all sources of `host` for log messages of this level and above.
    pub(crate) fn set_level(&self, request: &SetLevel, host: &Host) {
        let level = host::level(request);
        host.set_level(level);
        let shared = self.shared.sessions(|_| true).into_iter();
        let shared = shared.filter(|session| session.clients().has(host));
        for session in self.sessions_of(host).into_iter().chain(shared) {
            session.send_level();
        }
    }

    /// Tells the sources of `host` that it has other folders.
    pub(crate) fn roots_changed(&self, host: &Host) {
        for session in self.sessions_of(host) {
            session.send_roots_changed();
        }
    }

    /// The open sessions that are for `host` alone.
    fn sessions_of(&self, host: &Host) -> Vec<Arc<SourceSession>> {
        let owner = Owner::Client(host.id);
        self.own.sessions(|(_, of)| *of == owner)
    }

    /// The open session for `request`; if there is none, a new one.
    fn session(
        &self,
        request: &SessionRequest<'_>,
        host: &Arc<Host>,
    ) -> Result<Arc<SourceSession>, SessionError> {
        if !request.shared {
            let owner = Owner::Client(host.id);
            return self.own.session(request, (owner, host), self.store.clone());
        }
        let owner = Owner::All(request.fingerprint.to_owned());
        // What it depended on has changed for this client.
        let is_other = |(source, of): &(String, Owner)| source == request.source && *of != owner;
        for session in self.shared.sessions(is_other) {
            if session.clients().remove(host) {
                session.close();
            }
        }
        self.shared
            .session(request, (owner, host), self.store.clone())
    }
}

impl OpenSessions {
    /// Ends all sessions, and waits at most for `grace` until their servers have exited.
    pub(crate) fn stop(&self, grace: Duration) {
        self.stopped.store(true, Ordering::Release);
        let sessions = self.sessions(|_| true);
        self.close(|_| true);
        let end = Instant::now() + grace;
        for session in sessions {
            let _ = session.wait_ended(end.saturating_duration_since(Instant::now()));
        }
    }

    /// Ends the sessions with these keys.
    fn close(&self, is_one: impl Fn(&(String, Owner)) -> bool) {
        for source in self.states(is_one) {
            if let Some(session) = source.lock().session.take() {
                session.close();
            }
        }
    }

    /// The open sessions with these keys.
    fn sessions(&self, is_one: impl Fn(&(String, Owner)) -> bool) -> Vec<Arc<SourceSession>> {
        let states = self.states(is_one).into_iter();
        states.filter_map(|it| it.lock().session.clone()).collect()
    }

    fn states(&self, is_one: impl Fn(&(String, Owner)) -> bool) -> Vec<Arc<Mutex<SourceState>>> {
        let sources = self.sources.lock();
        let found = sources.iter().filter(|(key, _)| is_one(key));
        found.map(|(_, source)| Arc::clone(source)).collect()
    }

    /// The open session of this owner, for a request of `host`; if there is none, a new one.
    fn session(
        &self,
        request: &SessionRequest<'_>,
        (owner, host): (Owner, &Arc<Host>),
        store: Option<Store>,
    ) -> Result<Arc<SourceSession>, SessionError> {
        let key = (request.source.to_owned(), owner);
        let source = Arc::clone(self.sources.lock().entry(key).or_default());
        // Another request for the same source waits until the session is started.
        let mut source = source.lock();
        if self.stopped.load(Ordering::Acquire) {
            return Err(SessionError::Cancelled);
        }
        let mut is_restart = false;
        if let Some(session) = source.session.take() {
            is_restart = true;
            match session.end_state() {
                None if session.is_for(request, host) => {
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
        let session = SourceSession::start(request, host, (store, is_restart));
        let session = session.map_err(SessionError::Failed)?;
        source.session = Some(Arc::clone(&session));
        Ok(session)
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

/// The clients of a session with a source.
#[derive(Debug)]
pub(crate) struct Clients {
    /// The only one, if the session is for one.
    pub(crate) own: Option<Arc<Host>>,
    members: Mutex<Vec<Member>>,
}

/// A client that has made a request.
struct Member {
    host: Weak<Host>,
    on_change: OnChange,
    /// The number of its requests that run.
    running: usize,
    /// The end of the time in which the source may still work for it, though it has given up.
    until: Option<Instant>,
}

/// A request that runs until it is dropped.
pub(crate) struct Running<'c> {
    clients: &'c Clients,
    host: Weak<Host>,
    /// True if the source has finished it.
    pub(crate) is_answered: bool,
}

impl Clients {
    /// The clients of a session for `host`, or for all if it is shared. Each call of a stateless
    /// client is one.
    pub(crate) fn of(host: &Arc<Host>, is_shared: bool) -> Self {
        let is_own = !is_shared && !host.is_stateless();
        Self {
            own: is_own.then(|| Arc::clone(host)),
            members: Mutex::default(),
        }
    }

    /// Begins a request of `host`.
    pub(crate) fn begin(&self, host: &Arc<Host>, on_change: &OnChange) -> Running<'_> {
        let host = Arc::downgrade(host);
        let mut members = self.members.lock();
        members.retain(|it| it.is_active() || it.host.strong_count() > 0);
        match members.iter_mut().find(|it| it.host.ptr_eq(&host)) {
            Some(member) => member.running += 1,
            None => members.push(Member {
                host: Weak::clone(&host),
                on_change: Arc::clone(on_change),
                running: 1,
                until: None,
            }),
        }
        drop(members);
        Running {
            clients: self,
            host,
            is_answered: false,
        }
    }

    /// The client that the source works for. A source does not say for which one it asks or logs,
    /// so this is none if there may be several.
    pub(crate) fn speaker(&self) -> Option<Arc<Host>> {
        if let Some(own) = &self.own {
            return Some(Arc::clone(own));
        }
        let members = self.members.lock();
        let mut active = members.iter().filter(|it| it.is_active());
        let speaker = active.next().filter(|_| active.next().is_none());
        speaker.and_then(|it| it.host.upgrade())
    }

    pub(crate) fn hosts(&self) -> Vec<Arc<Host>> {
        let members = self.members.lock();
        let mut hosts: Vec<_> = members.iter().filter_map(|it| it.host.upgrade()).collect();
        // The own one is a member as soon as it has made a request.
        let own = self
            .own
            .iter()
            .filter(|own| !hosts.iter().any(|it| Arc::ptr_eq(it, own)));
        hosts.extend(own.cloned().collect::<Vec<_>>());
        hosts
    }

    /// Returns true if `host` is one of them.
    pub(crate) fn has(&self, host: &Host) -> bool {
        let members = self.members.lock();
        members.iter().any(|it| it.is(host))
    }

    /// Removes `host`; returns true if it was the last one.
    pub(crate) fn remove(&self, host: &Host) -> bool {
        let mut members = self.members.lock();
        let count = members.len();
        members.retain(|it| !it.is(host));
        let is_removed = members.len() < count;
        is_removed && members.iter().all(|it| it.host.strong_count() == 0)
    }

    /// The level from which on one of them wants log messages.
    pub(crate) fn level(&self) -> Option<Level> {
        let hosts = self.hosts();
        let levels = hosts.iter().filter_map(|host| host.level());
        levels.min_by_key(|level| *level as u8)
    }

    /// Returns true if one of them has subscribed to a resource of `source`.
    pub(crate) fn have_subscriptions(&self, source: &str) -> bool {
        let hosts = self.hosts();
        hosts.iter().any(|host| host.has_subscriptions(source))
    }

    /// Returns true if one of them has subscribed to the resource of `source` in these parameters.
    pub(crate) fn subscribe_to(&self, source: &str, params: &Map<String, Value>) -> bool {
        let uri = params.get("uri").and_then(Value::as_str);
        let key = (source.to_owned(), uri.unwrap_or_default().to_owned());
        let hosts = self.hosts();
        hosts
            .iter()
            .any(|it| it.state.lock().subscriptions.contains_key(&key))
    }

    /// Tells them that the source offers something else.
    pub(crate) fn changed(&self) {
        let members = self.members.lock();
        let all: Vec<_> = members.iter().map(|it| Arc::clone(&it.on_change)).collect();
        drop(members);
        for on_change in all {
            on_change();
        }
    }
}

impl Member {
    fn is(&self, host: &Host) -> bool {
        std::ptr::eq(self.host.as_ptr(), host)
    }

    fn is_active(&self) -> bool {
        self.running > 0 || self.until.is_some_and(|until| until > Instant::now())
    }
}

impl Debug for Member {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").finish_non_exhaustive()
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut members = self.clients.members.lock();
        if let Some(member) = members.iter_mut().find(|it| it.host.ptr_eq(&self.host)) {
            member.running -= 1;
            if !self.is_answered {
                member.until = Some(Instant::now() + PATIENCE);
            }
        }
    }
}
