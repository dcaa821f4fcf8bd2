//! The declarations of a provider: the cached ones, or the output of its discovery.
//!
//! A list for a host waits for a moment only. A provider that takes longer is represented by the
//! declarations that are on disk, and one that has failed is not asked again for a minute. A file
//! that cannot be read or written, or that belongs to another user, is ignored.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::remote::{Declarations, RemoteTool};
use super::start::ApprovedFiles;
use super::{Provider, ProviderError, Server, Settings, remote, start};
use crate::cached::{is_within, read, remove, write};
use crate::context::ListWait;
use crate::environment::Vars;
use crate::process::{Exit, Output};
use crate::resident::{
    Answer, FAILURE_TTL, MIN_DELAY, Resident, SessionError, SessionRequest, SessionWork, Sessions,
    Stamp, Values,
};
use crate::{Context, Diagnostic, Hint, digest};

/// The number of bytes of declarations are read: 10 MiB, the limit of Gemini CLI.
const MAX_DECLARATION_BYTES: usize = 10 << 20;
/// The default timeout of discovery.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(10);

/// Everything that one discovery depends on.
struct Discovery {
    provider: Provider,
    approved: ApprovedFiles,
    variables: Vars,
    cache: Option<Cache>,
    work: SessionWork,
    cx: Context,
}

impl Provider {
    /// Asks it for its tools now, without an approval: for the user who has just written its command
    /// line. What it declares is cached.
    pub fn try_out(&self, cx: &Context) -> Result<Vec<RemoteTool>, ProviderError> {
        let variables = self.variables(cx)?;
        let discovery = Discovery {
            provider: self.clone(),
            approved: self.files_of_trial(cx)?,
            cache: Cache::of(&self.settings, &variables, cx),
            variables,
            work: SessionWork::List,
            cx: cx.clone(),
        };
        Ok(remote::read(&discovery.run(None)?, self).tools)
    }

    /// Loads its current declarations, or the cached ones.
    pub(super) fn load_declarations(&self, cx: &Context) -> Result<Declarations, ProviderError> {
        let values = self.values(SessionWork::List, cx)?;
        Ok(remote::read(&values, self))
    }

    /// Loads the current answer to `work`, or the cached one; nothing if only a cached one may be
    /// used, and there is none.
    pub(super) fn values(&self, work: SessionWork, cx: &Context) -> Result<Values, ProviderError> {
        let approved = self.approved(cx)?;
        if start::is_recursive(cx) {
            return Err(ProviderError::Recursive(self.name()));
        }
        let variables = self.variables(cx)?;
        let cache = Cache::of(&self.settings, &variables, cx).map(|cache| match work {
            SessionWork::Offer => cache.of_offer(),
            _ => cache,
        });
        let readable = cache.as_ref().filter(|_| !cx.list.refresh);
        if let Some(values) = readable.and_then(|cache| fresh(cache, cx)) {
            return Ok(values);
        }
        if cx.list.cached_only {
            return Ok(Values::default());
        }
        let discovery = Discovery {
            provider: self.clone(),
            approved,
            variables,
            cache,
            work,
            cx: cx.clone(),
        };
        match (&cx.list.resident, cx.list.wait) {
            _ if cx.list.refresh => discovery.run(None),
            (_, ListWait::Timeout) => discovery.run(None),
            (None, ListWait::Moment) => discovery.run_for_a_moment(),
            (Some(resident), ListWait::Moment) => discovery.run_in_background(resident),
        }
    }
}

/// Reads the cached declarations, unless they are too old.
fn fresh(cache: &Cache, cx: &Context) -> Option<Values> {
    let stamp = cache.stamp()?;
    let resident = cx.list.resident.as_ref();
    let remembered = resident.and_then(|resident| resident.cached(cache.key(), stamp));
    remembered.or_else(|| {
        let values = cache.read()?;
        if let Some(resident) = resident {
            resident.remember(cache.key(), stamp, &values);
        }
        Some(values)
    })
}

impl Discovery {
    /// Waits for a moment, unless the provider has failed a moment ago.
    fn run_for_a_moment(&self) -> Result<Values, ProviderError> {
        let stored = || self.cache.as_ref().and_then(Cache::read);
        if let Some(failure) = self.cache.as_ref().and_then(Cache::failure) {
            let error =
                ProviderError::Remembered(self.provider.name(), Box::new(failure.diagnostic));
            return stored().filter(|_| failure.was_late).ok_or(error);
        }
        match self.run(Some(self.provider.settings.list_wait())) {
            Err(error @ ProviderError::Late(..)) => stored().ok_or(error),
            result => result,
        }
    }

    /// Does this in a program that stays: a provider that is late is asked to the end.
    fn run_in_background(self, resident: &Arc<Resident>) -> Result<Values, ProviderError> {
        let (name, cache) = (self.provider.name(), self.cache.clone());
        let Some(key) = cache.as_ref().map(|cache| cache.key().to_owned()) else {
            return self.run(Some(self.provider.settings.list_wait()));
        };
        let wait = self.provider.settings.list_wait();
        let known = cache.as_ref().and_then(Cache::failure);
        let is_general = cache.as_ref().is_some_and(Cache::is_general);
        let moment = if known.is_some() || is_general {
            Duration::ZERO
        } else {
            wait
        };
        let ask = move || {
            let result = self.run(None);
            result.map_err(|error| Box::new(error.diagnostic()))
        };
        if let Some(values) = cache.as_ref().and_then(Cache::read) {
            resident.seed(&key, values);
        }
        match resident.ask(&key, moment, ask) {
            Ok(Answer::Declared(values)) => Ok(values),
            Ok(Answer::Late(values)) => {
                let late = || match known {
                    Some(failure) => ProviderError::Remembered(name, Box::new(failure.diagnostic)),
                    None => ProviderError::Late(name, wait),
                };
                values.ok_or_else(late)
            }
            Err(diagnostic) => Err(ProviderError::Server(name, diagnostic)),
        }
    }

    /// Runs the discovery, at most for its timeout and for `moment`, and stores what comes of it.
    fn run(&self, moment: Option<Duration>) -> Result<Values, ProviderError> {
        let begin = Instant::now();
        let result = self.declarations(moment);
        let Some(cache) = &self.cache else {
            return result;
        };
        match &result {
            Ok(values) => {
                cache.write(values);
                cache.remove_failure();
            }
            Err(error) if begin.elapsed() >= MIN_DELAY && !self.cx.cancel.is_cancelled() => {
                let was_late = matches!(error, ProviderError::Late(..));
                cache.write_failure(&error.diagnostic(), was_late);
            }
            Err(_) => {}
        }
        result
    }

    fn declarations(&self, moment: Option<Duration>) -> Result<Values, ProviderError> {
        if let Some(sessions) = self.provider.sessions(&self.cx) {
            return self.declarations_in(&**sessions);
        }
        let output = self.output(moment)?;
        let values = remote::values(&output.stdout.bytes)
            .map_err(|message| ProviderError::InvalidOutput(self.provider.name(), message))?;
        Ok(values.into_iter().map(Arc::new).collect())
    }

    /// Asks the server in its session.
    fn declarations_in(&self, sessions: &dyn Sessions) -> Result<Values, ProviderError> {
        let provider = &self.provider;
        let timeout = provider.settings.timeout_or(Server::LIST_TIMEOUT);
        let start = (&self.approved, &self.variables);
        match provider.request(sessions, &self.work, timeout, start, &self.cx) {
            Ok(Value::Array(values)) => Ok(values.into_iter().map(Arc::new).collect()),
            Ok(_) => {
                let message = "its output is not a JSON array".to_owned();
                Err(ProviderError::InvalidOutput(provider.name(), message))
            }
            Err(error) => Err(provider.session_error(error, timeout, &self.cx)),
        }
    }

    fn output(&self, moment: Option<Duration>) -> Result<Output, ProviderError> {
        let provider = &self.provider;
        let settings = &provider.settings;
        let is_server = settings.server.is_some();
        let default = if is_server {
            Server::LIST_TIMEOUT
        } else {
            DISCOVER_TIMEOUT
        };
        let timeout = settings.timeout_or(default);
        let moment = moment.filter(|moment| *moment < timeout);
        let line = (settings.discover.as_slice(), [].as_slice());
        let output = provider
            .process(line, &self.approved, self.variables.clone(), &self.cx)?
            .timeout(moment.unwrap_or(timeout))
            .stdout_limit(MAX_DECLARATION_BYTES)
            .run(&self.cx.cancel)
            .map_err(|error| ProviderError::Start(provider.name(), error))?;
        match output.exit {
            Exit::TimedOut => Err(match moment {
                Some(moment) => ProviderError::Late(provider.name(), moment),
                None => ProviderError::TimedOut(provider.name(), timeout),
            }),
            _ if output.stdout.left_out > 0 => Err(ProviderError::OutputLimit(provider.name())),
            exit if exit.is_success() => Ok(output),
            _ if is_server
                && let Some(diagnostic) = Diagnostic::from_json(&output.stderr.bytes) =>
            {
                let diagnostic = provider.explain_denial(diagnostic, &self.cx);
                Err(ProviderError::Server(provider.name(), Box::new(diagnostic)))
            }
            _ => Err(ProviderError::failed(provider.name(), &output)),
        }
    }
}

/// The files about one provider in one environment.
#[derive(Clone)]
pub(super) struct Cache {
    /// The provider's commands, in which environment, and for which audience.
    key: String,
    /// The key without the audience.
    plain_key: String,
    folder: Option<PathBuf>,
    max_age: Option<Duration>,
}

/// A failure that was remembered.
struct Failure {
    diagnostic: Diagnostic,
    /// True if the provider was given up, rather than failed by itself.
    was_late: bool,
}

/// The extension of declarations that the provider has said not to have any more.
const EXPIRED: &str = "expired";
/// The largest file about a failure that is read.
const MAX_FAILURE_BYTES: u64 = 64 << 10;

impl Cache {
    /// The files of the provider with `settings` in an environment of `variables`; `None` if
    /// what it runs cannot be read.
    pub(super) fn of(settings: &Settings, variables: &Vars, cx: &Context) -> Option<Self> {
        let directory = start::directory(settings, cx);
        let command = digest::recognized_command(&directory, &settings.approved_parts()).ok()?;
        let variables: Vec<String> = variables
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        // Only the hash is stored: a variable may be a secret.
        let key = digest::value(&json!([
            cx.root.display().to_string(),
            env!("CARGO_PKG_VERSION"),
            settings.discover,
            command.to_string(),
            variables,
        ]));
        let plain_key = key.to_string();
        // A server may declare other tools to a host that can show questions to the user.
        let sessions = cx.list.resident.as_ref().and_then(|it| it.sessions());
        let audience = sessions.and_then(|sessions| sessions.audience());
        let key = audience.map_or_else(|| plain_key.clone(), |it| format!("{plain_key}-{it}"));
        Some(Self {
            key,
            plain_key,
            folder: cx.cache.as_ref().map(|folder| folder.join("declarations")),
            max_age: settings.cache,
        })
    }

    /// The files about everything besides tools.
    pub(super) fn of_offer(self) -> Self {
        Self {
            key: format!("{}-offer", self.key),
            plain_key: format!("{}-offer", self.plain_key),
            ..self
        }
    }

    /// The identity of the provider in this environment.
    fn key(&self) -> &str {
        &self.key
    }

    /// The stamp of the cached declarations, unless there are none or they are too old.
    fn stamp(&self) -> Option<Stamp> {
        let meta = fs::metadata(self.declarations()?).ok()?;
        let written = meta.modified().ok()?;
        let is_fresh = is_within(self.max_age?, written);
        is_fresh.then_some((written, meta.len()))
    }

    /// Returns true if nothing was ever declared to this audience, but something to hosts in general, which
    /// is not too old.
    fn is_general(&self) -> bool {
        let plain = Self {
            key: self.plain_key.clone(),
            ..self.clone()
        };
        self.declarations().is_some_and(|file| !file.exists()) && plain.stamp().is_some()
    }

    /// The cached declarations, however old they are: those for this audience, else for hosts in
    /// general.
    fn read(&self) -> Option<Values> {
        self.max_age?;
        let paths = [self.declarations()?, self.general()?];
        let mut paths = paths
            .iter()
            .flat_map(|path| [path.clone(), path.with_extension(EXPIRED)]);
        let text = paths.find_map(|path| read(&path, u64::MAX))?;
        let cached: Vec<Value> = serde_json::from_slice(&text).ok()?;
        Some(cached.into_iter().map(Arc::new).collect())
    }

    /// Makes the cached declarations too old. They go on to represent a provider that is late.
    pub(super) fn expire(&self) {
        for path in [self.declarations(), self.general()].into_iter().flatten() {
            if let Some(text) = read(&path, u64::MAX) {
                write(Some(&path.with_extension(EXPIRED)), &text);
                remove(Some(&path));
            }
        }
    }

    /// Caches declarations, if the configuration says so.
    fn write(&self, values: &Values) {
        if self.max_age.is_some() {
            let values: Vec<&Value> = values.iter().map(|value| &**value).collect();
            let text = json!(values).to_string();
            write(self.declarations().as_deref(), text.as_bytes());
        }
    }

    /// The failure of the last minute, if there is one.
    fn failure(&self) -> Option<Failure> {
        let file = self.failures()?;
        let written = fs::metadata(&file).ok()?.modified().ok()?;
        if !is_within(FAILURE_TTL, written) {
            return None;
        }
        let text = read(&file, MAX_FAILURE_BYTES)?;
        let value: Value = serde_json::from_slice(&text).ok()?;
        Some(Failure {
            diagnostic: Diagnostic::from_json(&text)?,
            was_late: value.get("late") == Some(&Value::Bool(true)),
        })
    }

    /// Remembers a failure for a minute.
    fn write_failure(&self, diagnostic: &Diagnostic, was_late: bool) {
        let text = |hint: &Hint| match hint {
            Hint::Text(text) => Some(text.clone()),
            Hint::Run { .. } => None,
        };
        let hints: Vec<String> = diagnostic.hints.iter().filter_map(text).collect();
        let value = json!({
            "code": diagnostic.code.name(),
            "message": diagnostic.message,
            "details": diagnostic.details,
            "hints": hints,
            "late": was_late,
        });
        write(self.failures().as_deref(), value.to_string().as_bytes());
    }

    /// Forgets that it has failed.
    fn remove_failure(&self) {
        let file = self.failures().filter(|file| file.exists());
        remove(file.as_deref());
    }

    fn declarations(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.json", self.key)))
    }

    /// The file of declarations to hosts in general.
    fn general(&self) -> Option<PathBuf> {
        let file = format!("{}.json", self.plain_key);
        Some(self.folder.as_ref()?.join(file))
    }

    fn failures(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.failed", self.key)))
    }
}

impl Provider {
    /// The sessions that stay open, if this is a server and the program stays.
    pub(super) fn sessions<'c>(&self, cx: &'c Context) -> Option<&'c Arc<dyn Sessions>> {
        self.settings.server.as_ref()?;
        cx.list.resident.as_ref()?.sessions()
    }

    /// Fails unless the user has approved the provider's command; ends the session of one that
    /// is not approved any more.
    pub(super) fn approved(&self, cx: &Context) -> Result<ApprovedFiles, ProviderError> {
        let approved = self.check_approval(cx);
        if let (Err(_), Some(sessions)) = (&approved, self.sessions(cx)) {
            sessions.end(&self.key(cx));
        }
        approved
    }

    /// Gives `work` to the server in its session. The server sees what it would see if a client
    /// were started for this one request.
    pub(super) fn request(
        &self,
        sessions: &dyn Sessions,
        work: &SessionWork,
        timeout: Duration,
        (approved, variables): (&ApprovedFiles, &Vars),
        cx: &Context,
    ) -> Result<Value, SessionError> {
        let idle = self.settings.idle.unwrap_or(Server::IDLE);
        let cache = Cache::of(&self.settings, variables, cx);
        // Approved files that differ are in another folder, from which the server must run.
        let content = json!([
            cache.as_ref().map(Cache::key),
            approved.digest(),
            idle.as_secs_f64()
        ]);
        let start = || {
            self.server_start(approved, variables.clone(), cx)
                .map_err(|error| Box::new(error.diagnostic()))
        };
        let on_change: Arc<dyn Fn() + Send + Sync> = Self::on_change(cache, cx);
        sessions.request(&SessionRequest {
            source: &self.key(cx),
            fingerprint: &digest::value(&content).to_string(),
            work,
            timeout,
            idle,
            cancel: &cx.cancel,
            progress: cx.call.progress.as_ref(),
            client: cx.call.client.as_ref(),
            start: &start,
            on_change: &on_change,
        })
    }

    /// Makes the cached declarations too old, and tells the program that stays.
    fn on_change(cache: Option<Cache>, cx: &Context) -> Arc<dyn Fn() + Send + Sync> {
        let resident = cx
            .list
            .resident
            .as_ref()
            .map_or_else(Weak::new, Arc::downgrade);
        Arc::new(move || {
            if let Some(cache) = &cache {
                cache.expire();
                cache.clone().of_offer().expire();
            }
            if let Some(resident) = Weak::upgrade(&resident) {
                Resident::changed(&resident);
            }
        })
    }
}
