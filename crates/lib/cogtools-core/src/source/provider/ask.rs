//! What a provider declares: the cached declarations, or what its discovery prints.
//!
//! A list for a host waits for a moment only. A provider that takes longer is represented by what
//! it declared before, and one that has failed is not asked again for a minute.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::approval::ApprovedFiles;
use super::cache::Cache;
use super::remote::{self, Declarations};
use super::{Provider, ProviderError, Server, recursion};
use crate::context::ListWait;
use crate::environment::Vars;
use crate::process::{Exit, Output};
use crate::resident::{Answer, MIN_DELAY, Resident, SessionError, SessionWork, Sessions, Values};
use crate::{Context, Diagnostic};

/// How many bytes of declarations are read: 10 MiB, the limit of Gemini CLI.
const MAX_DECLARATION_BYTES: usize = 10 << 20;
/// The default timeout of discovery.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(10);

/// Everything that one discovery depends on.
struct Discovery {
    provider: Provider,
    approved: ApprovedFiles,
    variables: Vars,
    cache: Option<Cache>,
    cx: Context,
}

impl Provider {
    /// Its current declarations, or the cached ones.
    pub(super) fn load_declarations(&self, cx: &Context) -> Result<Declarations, ProviderError> {
        let approved = self.approved(cx)?;
        if recursion::is_recursive(cx) {
            return Err(ProviderError::Recursive(self.name()));
        }
        let variables = self.variables(cx)?;
        let cache = Cache::of(&self.settings, &variables, cx);
        let readable = cache.as_ref().filter(|_| !cx.refresh);
        if let Some(values) = readable.and_then(|cache| fresh(cache, cx)) {
            return Ok(remote::read(&values, self));
        }
        if cx.cached_only {
            return Ok(remote::read(&[], self));
        }
        let discovery = Discovery {
            provider: self.clone(),
            approved,
            variables,
            cache,
            cx: cx.clone(),
        };
        let values = match (&cx.resident, cx.list_wait) {
            _ if cx.refresh => discovery.run(None),
            (_, ListWait::Timeout) => discovery.run(None),
            (None, ListWait::Moment) => discovery.run_for_a_moment(),
            (Some(resident), ListWait::Moment) => discovery.run_in_background(resident),
        };
        Ok(remote::read(&values?, self))
    }
}

/// The cached declarations, unless they are too old.
fn fresh(cache: &Cache, cx: &Context) -> Option<Values> {
    let stamp = cache.stamp()?;
    let resident = cx.resident.as_ref();
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

    /// The same in a program that stays: a provider that is late is asked to the end.
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

    /// What the server declares in its session.
    fn declarations_in(&self, sessions: &dyn Sessions) -> Result<Values, ProviderError> {
        let provider = &self.provider;
        let timeout = provider.settings.timeout_or(Server::LIST_TIMEOUT);
        let start = (&self.approved, &self.variables);
        match provider.request(sessions, &SessionWork::List, timeout, start, &self.cx) {
            Ok(Value::Array(values)) => Ok(values.into_iter().map(Arc::new).collect()),
            Ok(_) => {
                let message = "its output is not a JSON array".to_owned();
                Err(ProviderError::InvalidOutput(provider.name(), message))
            }
            Err(SessionError::Failed(diagnostic)) => {
                Err(ProviderError::Server(provider.name(), diagnostic))
            }
            Err(SessionError::TimedOut | SessionError::Cancelled) => {
                Err(ProviderError::TimedOut(provider.name(), timeout))
            }
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
                Err(ProviderError::Server(provider.name(), Box::new(diagnostic)))
            }
            _ => Err(ProviderError::failed(provider.name(), &output)),
        }
    }
}
