//! The memory of a program that stays about its sources, and its sessions with MCP servers.
//!
//! A source that is slow is asked once, in the background: a list waits for it for a moment only,
//! and the answer reaches it when it comes. One that has failed is not asked again at once.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::HashMap;
use std::fmt::{self, Debug, Formatter};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value};

use crate::environment::Vars;
use crate::process::Confinement;
use crate::progress::Progress;
use crate::{Cancel, Code, Diagnostic};

/// The declarations of a source, as it has printed them.
pub(crate) type Values = Arc<[Arc<Value>]>;

/// The time for which a source that has failed is not asked again.
pub(crate) const FAILURE_TTL: Duration = Duration::from_mins(1);
/// A failure that took less time than this is not remembered: asking again costs no time.
pub(crate) const MIN_DELAY: Duration = Duration::from_millis(500);

/// The number of sources that are asked to the end at the same time: more that start at once, such as
/// by npx, would all exceed their timeouts.
pub(crate) fn most_at_once() -> usize {
    8 * thread::available_parallelism().map_or(1, NonZero::get)
}

/// The memory of a program that stays: shared by all its requests.
pub struct Resident {
    sources: Mutex<HashMap<String, Memory>>,
    answered: Condvar,
    late_answers: AtomicU64,
    /// The number of sources that are being started, and a signal that it has fallen.
    starting: (Mutex<usize>, Condvar),
    on_change: Box<dyn Fn() + Send + Sync>,
}

/// The memory about one source.
#[derive(Default)]
struct Memory {
    /// The time since which it is being asked.
    asked: Option<Instant>,
    failure: Option<Failure>,
    values: Option<Values>,
    /// The file that has cached the values.
    stamp: Option<Stamp>,
    /// True if a list has not waited for the answer.
    was_late: bool,
}

struct Failure {
    at: Instant,
    was_slow: bool,
    diagnostic: Box<Diagnostic>,
}

/// The parts that change when a cache file is written: its modification time and its size.
pub(crate) type Stamp = (SystemTime, u64);

/// The answer of a source.
pub(crate) enum Answer {
    /// Its declarations.
    Declared(Values),
    /// It has not answered yet; its last declarations, if there are any.
    Late(Option<Values>),
}

impl Resident {
    /// An empty memory. `on_change` is called, in any thread, when a source has declared
    /// something new after a list was answered without it.
    pub fn new(on_change: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            sources: Mutex::default(),
            answered: Condvar::new(),
            late_answers: AtomicU64::default(),
            starting: Default::default(),
            on_change: Box::new(on_change),
        }
    }

    /// Reports that a source declares other tools now.
    pub(crate) fn changed(&self) {
        (self.on_change)();
    }

    /// Returns the values that the file with this stamp has cached for the source `key`, if they are in
    /// memory.
    pub(crate) fn cached(&self, key: &str, stamp: Stamp) -> Option<Values> {
        let sources = self.lock();
        let memory = sources.get(key)?;
        memory
            .values
            .clone()
            .filter(|_| memory.stamp == Some(stamp))
    }

    /// Remembers the values that the file with this stamp has cached.
    pub(crate) fn remember(&self, key: &str, stamp: Stamp, values: &Values) {
        let mut sources = self.lock();
        let memory = sources.entry(key.to_owned()).or_default();
        memory.values = Some(Arc::clone(values));
        memory.stamp = Some(stamp);
    }

    /// Remembers the earlier declarations of the source `key`, if nothing is known of it yet: only
    /// something else is news.
    pub(crate) fn seed(&self, key: &str, values: Values) {
        let mut sources = self.lock();
        let memory = sources.entry(key.to_owned()).or_default();
        memory.values.get_or_insert(values);
    }

    /// Asks the source `key` in a thread of its own, unless it is being asked already, and waits
    /// for the answer until it has had `wait`. One that has failed slowly is not waited for. The
    /// error is its own.
    pub(crate) fn ask(
        self: &Arc<Self>,
        key: &str,
        wait: Duration,
        ask: impl FnOnce() -> Result<Values, Box<Diagnostic>> + Send + 'static,
    ) -> Result<Answer, Box<Diagnostic>> {
        let mut sources = self.lock();
        let memory = sources.entry(key.to_owned()).or_default();
        let mut wait = wait;
        if let Some(failure) = &memory.failure {
            if memory.asked.is_none() && failure.is_remembered() {
                return Err(failure.diagnostic.clone());
            }
            if failure.was_slow {
                wait = Duration::ZERO;
            }
        }
        let begin = if let Some(begin) = memory.asked {
            begin
        } else {
            let begin = Instant::now();
            self.start(key, begin, ask)?;
            memory.asked = Some(begin);
            begin
        };
        loop {
            let Some(memory) = sources.get_mut(key) else {
                return Ok(Answer::Late(None));
            };
            if memory.asked != Some(begin) {
                return memory.answer();
            }
            let left = wait.saturating_sub(begin.elapsed());
            if left.is_zero() {
                memory.was_late = true;
                return Ok(Answer::Late(memory.values.clone()));
            }
            let waited = self.answered.wait_timeout(sources, left);
            (sources, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until no source is being asked, at most for `limit`.
    pub fn wait_idle(&self, limit: Duration) {
        let is_busy = |sources: &mut HashMap<String, Memory>| {
            sources.values().any(|memory| memory.asked.is_some())
        };
        let sources = self.lock();
        drop(self.answered.wait_timeout_while(sources, limit, is_busy));
    }

    /// Returns true if a source is being asked.
    pub fn is_asking(&self) -> bool {
        self.lock().values().any(|memory| memory.asked.is_some())
    }

    fn start(
        self: &Arc<Self>,
        key: &str,
        begin: Instant,
        ask: impl FnOnce() -> Result<Values, Box<Diagnostic>> + Send + 'static,
    ) -> Result<(), Box<Diagnostic>> {
        let (memory, key) = (Arc::clone(self), key.to_owned());
        let work = move || {
            let bug = |_| {
                let message = "unexpected failure while a source declared its tools";
                Err(Box::new(Diagnostic::new(Code::Internal, message)))
            };
            let result = memory.in_turn(|| catch_unwind(AssertUnwindSafe(ask)));
            memory.answer(&key, begin, result.unwrap_or_else(bug));
        };
        let thread = thread::Builder::new().name("source".into()).spawn(work);
        thread.map(drop).map_err(|error| {
            let message = format!("cannot start a thread: {error}");
            Box::new(Diagnostic::new(Code::Internal, message))
        })
    }

    /// Does `work` when few enough other sources are being asked.
    fn in_turn<T>(&self, work: impl FnOnce() -> T) -> T {
        let (count, fell) = &self.starting;
        let lock = || count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = fell.wait_while(lock(), |count| *count >= most_at_once());
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        let result = work();
        *lock() -= 1;
        fell.notify_one();
        result
    }

    /// The number of answers that came after a list had stopped waiting for them.
    pub fn late_answers(&self) -> u64 {
        self.late_answers.load(Ordering::Acquire)
    }

    /// Waits for the next late answer after the first `known` ones, at most until `end`; returns false
    /// if none will come in time.
    pub fn wait_for_late_answer(&self, known: u64, end: Instant) -> bool {
        let is_awaited = |sources: &mut HashMap<String, Memory>| {
            self.late_answers() == known && sources.values().any(|memory| memory.was_late)
        };
        let left = end.saturating_duration_since(Instant::now());
        let sources = self.lock();
        drop(self.answered.wait_timeout_while(sources, left, is_awaited));
        self.late_answers() != known
    }

    fn answer(&self, key: &str, begin: Instant, result: Result<Values, Box<Diagnostic>>) {
        let mut sources = self.lock();
        let memory = sources.entry(key.to_owned()).or_default();
        memory.asked = None;
        let is_news = match result {
            Ok(values) => {
                let is_new = memory.values.as_ref() != Some(&values);
                memory.values = Some(values);
                memory.failure.take().is_some() || is_new
            }
            Err(diagnostic) => {
                memory.failure = Some(Failure {
                    at: Instant::now(),
                    was_slow: begin.elapsed() >= MIN_DELAY,
                    diagnostic,
                });
                false
            }
        };
        let was_late = std::mem::take(&mut memory.was_late);
        let late = u64::from(was_late);
        self.late_answers.fetch_add(late, Ordering::Release);
        drop(sources);
        self.answered.notify_all();
        if was_late && is_news {
            (self.on_change)();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Memory>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// The answer of a source that has given one.
    fn answer(&self) -> Result<Answer, Box<Diagnostic>> {
        match (&self.failure, &self.values) {
            (Some(failure), _) => Err(failure.diagnostic.clone()),
            (None, Some(values)) => Ok(Answer::Declared(Arc::clone(values))),
            (None, None) => Ok(Answer::Late(None)),
        }
    }
}

impl Failure {
    fn is_remembered(&self) -> bool {
        self.was_slow && self.at.elapsed() < FAILURE_TTL
    }
}

impl Debug for Resident {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resident").finish_non_exhaustive()
    }
}

/// The time that servers have to exit when their sessions end.
pub const SESSION_GRACE: Duration = Duration::from_secs(2);

/// Sessions that stay open, one for each source.
pub trait Sessions: Debug + Send + Sync {
    /// Sends a request to the session of its source, which is started if it is not open, and
    /// waits for the answer: an array of declarations, or a result of MCP.
    fn request(&self, request: &SessionRequest<'_>) -> Result<Value, SessionError>;

    /// Ends the session of `source`, if there is one.
    fn end(&self, source: &str);

    /// New sessions of the same process, none of them open.
    fn fresh(&self) -> Arc<dyn Sessions>;

    /// Ends all sessions, and waits at most for `grace` until their servers have exited.
    fn stop(&self, grace: Duration);

    /// Returns a word for hosts to which servers may declare other tools than to hosts in general.
    fn audience(&self) -> Option<String>;
}

/// A client of a program that stays, as only its sessions know it.
pub type Client = Arc<dyn Any + Send + Sync>;

/// A request to the session of a source.
#[derive(Clone, Copy)]
pub struct SessionRequest<'r> {
    /// The source.
    pub source: &'r str,
    /// A digest of everything that the session depends on. One with another fingerprint is
    /// replaced.
    pub fingerprint: &'r str,
    /// The task of the server.
    pub work: &'r SessionWork,
    /// The limit for the answer.
    pub timeout: Duration,
    /// The time without a request after which the session ends.
    pub idle: Duration,
    /// True if all clients use one session.
    pub shared: bool,
    /// Cancels the request, but not the session.
    pub cancel: &'r Cancel,
    /// Receives progress.
    pub progress: Option<&'r Progress>,
    /// The metadata of the request.
    pub meta: &'r Arc<Map<String, Value>>,
    /// The client that has made the request, if it is one with a session of its own.
    pub client: Option<&'r Client>,
    /// Prepares the start of the server.
    pub start: &'r dyn Fn() -> Result<ServerStart, Box<Diagnostic>>,
    /// Called, in any thread, when the server declares other tools.
    pub on_change: &'r Arc<dyn Fn() + Send + Sync>,
}

/// The task of a server in a session.
#[derive(Clone, Debug)]
pub enum SessionWork {
    /// Declare all tools.
    List,
    /// List everything besides tools: the answer is an array with one object, which has
    /// `instructions`, `prompts`, `resources` and `resourceTemplates`.
    Offer,
    /// Answer another request of the protocol: the answer has `result` or `error`.
    Request {
        /// Its method.
        method: &'static str,
        /// Its parameters.
        params: Map<String, Value>,
    },
    /// Call a tool.
    Call {
        /// The name of the tool.
        tool: String,
        /// The arguments.
        arguments: Map<String, Value>,
        /// The digest of the declaration that the caller knows.
        expected: String,
    },
}

/// A server that is about to be started or contacted, and everything that it may see.
pub struct ServerStart {
    /// Its description, as [`Server::description`](crate::source::Server::description).
    pub description: String,
    /// Its whole environment.
    pub variables: Vars,
    /// Its working directory.
    pub directory: PathBuf,
    /// The limits of its programs.
    pub confinement: Confinement,
    /// The owner of a folder that must exist while it runs.
    pub folder: Option<Arc<dyn Any + Send + Sync>>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub enum SessionError {
    /// It was cancelled.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// The session or the server failed.
    Failed(Box<Diagnostic>),
}
