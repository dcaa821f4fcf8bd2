//! The declarations of a provider: the cached ones, or the output of its discovery.
//!
//! A list for a host waits for a moment only, while another process asks, which goes on to the end. A
//! provider that takes longer, or fails, is represented by the declarations that are on disk: they
//! hold until it says otherwise. One that has failed is not asked again for a minute. A file that
//! cannot be read or written, or that belongs to another user, is ignored.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::{Value, json};

use super::cache::{Cache, Failure};
use super::remote::{Declarations, RemoteTool};
use super::start::ApprovedFiles;
use super::{Provider, ProviderError, Server, Settings, described, is_recursive, remote};
use crate::context::{Background, ListWait};
use crate::environment::Vars;
use crate::process::{Exit, Output, TempFolder};
use crate::resident::{
    Answer, Resident, SessionError, SessionRequest, SessionWork, Sessions, Values,
};
use crate::sandbox::{Denial, Roots};
use crate::{Context, Diagnostic, digest};

/// The number of bytes of declarations are read: 10 MiB, the limit of Gemini CLI.
const MAX_DECLARATION_BYTES: usize = 10 << 20;
/// The default timeout of discovery.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two looks at the files of another process.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The ends of the names of variables that servers cannot do without.
const NEEDED: [&str; 6] = ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_URL", "_ID"];
/// The begins of names that look like them, and are codes of errors.
const ERROR_CODES: [&str; 3] = ["ERR_", "INVALID_", "MISSING_"];
/// The number of lines at the end of its standard error that may name one.
const LAST_LINES: usize = 20;

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
        let mut settings = Settings::clone(&self.settings);
        if let Some(server) = &mut settings.server {
            // No source has it yet.
            server.description = described(&server.description, "candidate", true.into());
        }
        Self::new(settings).list_with(self.files_of_trial(cx)?, cx)
    }

    /// Tries it out again, and returns what its sandbox denies it then, if it fails for that.
    pub fn trace_trial(&self, cx: &Context) -> Option<Denial> {
        self.trace_with(self.files_of_trial(cx).ok()?, cx)
    }

    /// Asks it for its tools again, and returns what its sandbox denies it then, if it fails for
    /// that; `None` without an approval.
    pub fn trace(&self, cx: &Context) -> Option<Denial> {
        self.trace_with(self.approved(cx).ok()?, cx)
    }

    /// Returns the variable that the server does not see, if the end of its standard error names one.
    pub fn missing_variable(&self, stderr: &str, cx: &Context) -> Option<String> {
        let seen = self.variables(cx).ok()?;
        let sets = &self.settings.server.as_ref()?.sets;
        let is_seen = |name: &str| {
            let is_set = |set: &String| set.split('=').next() == Some(name);
            seen.contains_key(OsStr::new(name)) || sets.iter().any(is_set)
        };
        let is_needed = |name: &&str| {
            let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            name.chars().all(is_upper)
                && name.starts_with(|c: char| c.is_ascii_uppercase())
                && NEEDED.iter().any(|end| name.ends_with(end))
                && !ERROR_CODES.iter().any(|begin| name.starts_with(begin))
        };
        let last = stderr.lines().rev().take(LAST_LINES);
        let words = last.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let mut names = words.filter(is_needed).filter(|name| !is_seen(name));
        names.next().map(str::to_owned)
    }

    fn trace_with(&self, approved: ApprovedFiles, cx: &Context) -> Option<Denial> {
        let command = self.settings.server.as_ref()?.command();
        let can_trace = cfg!(target_os = "linux") && !command.is_empty() && self.is_confined(cx);
        let sandbox = self.effective_sandbox(cx).filter(|_| can_trace)?;
        let folder = TempFolder::new(&cx.environment.temp_dir()).ok()?;
        let file = folder.path().join("denied");
        let mut traced = cx.clone();
        traced.list.trace = Some(file.clone());
        let error = self.list_with(approved, &traced).err()?;
        let said = error.diagnostic().details;
        let trace = fs::read(file).ok()?;
        sandbox.traced_denial(&String::from_utf8_lossy(&trace), &said, &Roots::of(cx))
    }

    fn list_with(
        &self,
        approved: ApprovedFiles,
        cx: &Context,
    ) -> Result<Vec<RemoteTool>, ProviderError> {
        let variables = self.variables(cx)?;
        let discovery = Discovery::new(self, approved, variables, SessionWork::List, cx);
        Ok(remote::read(&discovery.run(None)?, self).tools)
    }

    /// Loads its current declarations, or the cached ones.
    pub(super) fn load_declarations(&self, cx: &Context) -> Result<Declarations, ProviderError> {
        let (values, failure) = self.values(SessionWork::List, cx)?;
        let mut declarations = remote::read(&values, self);
        declarations.errors.extend(failure.map(Arc::new));
        Ok(declarations)
    }

    /// Its tools, and those that it has declared only to clients with more abilities, such as forms.
    pub(crate) fn all_tools(&self, cx: &Context) -> Result<Vec<RemoteTool>, Arc<ProviderError>> {
        let mut tools = self.tools(cx)?.to_vec();
        let cache = self.cache(cx);
        for values in cache.iter().flat_map(Cache::of_audiences) {
            for tool in remote::read(&values, self).tools {
                if !tools.iter().any(|it| it.name == tool.name) {
                    tools.push(tool);
                }
            }
        }
        Ok(tools)
    }

    /// The tools that it is known to have, and the invisible characters that their texts had: all
    /// that it declares, if it `is_approved`, else the cached ones, however old they are.
    pub(crate) fn known_tools(
        &self,
        is_approved: bool,
        cx: &Context,
    ) -> Option<(Vec<RemoteTool>, BTreeSet<char>)> {
        if is_approved && let (Ok(tools), Ok(known)) = (self.all_tools(cx), self.declarations(cx)) {
            return Some((tools, known.hidden.clone()));
        }
        let known = remote::read(&self.cache(cx)?.read()?, self);
        Some((known.tools, known.hidden))
    }

    /// Returns false if a call of the tool `name` can do without it for now: it would have to be
    /// asked for its tools, and no list can have had this one. If its declarations are not kept, it is not
    /// known what lists have had.
    pub(crate) fn may_know(&self, name: &str, cx: &Context) -> bool {
        if self.declared.get().is_some() || self.approved(cx).is_err() {
            return true;
        }
        let Some(cache) = self.cache(cx) else {
            return true;
        };
        if cache.is_fresh() || !cache.is_kept() {
            return true;
        }
        let declared = cache.read().map(|values| remote::read(&values, self));
        declared.is_some_and(|it| it.tools.iter().any(|tool| tool.may_be_called(name)))
    }

    /// Asks for its tools in the place of a list that has stopped waiting, unless they are cached or
    /// another process does.
    pub(crate) fn fill_cache(&self, cx: &Context) {
        let (Ok(approved), Ok(variables)) = (self.approved(cx), self.variables(cx)) else {
            return;
        };
        let discovery = Discovery::new(self, approved, variables, SessionWork::List, cx);
        let is_stale = |cache: &&Cache| cache.is_kept() && !cache.is_fresh();
        let Some(cache) = discovery.cache.as_ref().filter(is_stale) else {
            return;
        };
        // Another may have asked it while this one has waited for its turn.
        let claim = cache.claim().filter(|_| !cache.is_fresh());
        if claim.is_some() && !is_recursive(cx) {
            // It is remembered either way.
            let _ = discovery.run(None);
        }
    }

    /// Loads the current answer to `work`, or the cached one, with the failure that it stands in
    /// for; nothing if only a cached one may be used, and there is none.
    pub(super) fn values(
        &self,
        work: SessionWork,
        cx: &Context,
    ) -> Result<(Values, Option<ProviderError>), ProviderError> {
        let approved = self.approved(cx)?;
        if is_recursive(cx) {
            return Err(ProviderError::Recursive(self.name()));
        }
        let variables = self.variables(cx)?;
        let discovery = Discovery::new(self, approved, variables, work, cx);
        let stored = discovery.cache.clone();
        let readable = stored.as_ref().filter(|_| !cx.list.refresh);
        if let Some(values) = readable.and_then(|cache| fresh(cache, cx)) {
            return Ok((values, None));
        }
        if cx.list.cached_only {
            return Ok(Default::default());
        }
        let result = match (&cx.list.resident, cx.list.wait) {
            _ if cx.list.refresh => return Ok((discovery.run(None)?, None)),
            (_, ListWait::Timeout) => discovery.run(None),
            (None, _) => discovery.run_for_a_moment(),
            (Some(resident), _) => discovery.run_in_background(resident),
        };
        match result {
            Ok(values) => Ok((values, None)),
            // What it has declared last holds until it says otherwise.
            Err(error) => match stored.as_ref().and_then(Cache::read) {
                Some(values) => Ok((values, Some(error).filter(|error| !error.is_late()))),
                None => Err(error),
            },
        }
    }
}

/// Reads the cached declarations, unless they are too old.
fn fresh(cache: &Cache, cx: &Context) -> Option<Values> {
    let stamp = cache.stamp()?;
    let resident = cx.list.resident.as_ref();
    let remembered = resident.and_then(|resident| resident.cached(&cache.key(), stamp));
    remembered.or_else(|| {
        let values = cache.read()?;
        if let Some(resident) = resident {
            resident.remember(&cache.key(), stamp, &values);
        }
        Some(values)
    })
}

impl Discovery {
    fn new(
        provider: &Provider,
        approved: ApprovedFiles,
        variables: Vars,
        work: SessionWork,
        cx: &Context,
    ) -> Self {
        let cache = Cache::of(provider, &variables, cx).map(|cache| match work {
            SessionWork::Offer => cache.of_offer(),
            _ => cache,
        });
        Self {
            provider: provider.clone(),
            approved,
            variables,
            cache,
            work,
            cx: cx.clone(),
        }
    }

    /// The time that the list waits.
    fn wait(&self) -> Duration {
        let is_new = |cache: &Cache| {
            cache.is_kept() && cache.read().is_none() && cache.failure_stamp().is_none()
        };
        let is_new =
            matches!(self.work, SessionWork::List) && self.cache.as_ref().is_some_and(is_new);
        let settings = &self.provider.settings;
        settings.list_wait(self.cx.list.wait, is_new)
    }

    /// Waits for a moment, unless the provider has failed a moment ago.
    fn run_for_a_moment(&self) -> Result<Values, ProviderError> {
        let failure = self.cache.as_ref().and_then(Cache::failure);
        if let Some(failure) = failure {
            return Err(self.remembered(failure));
        }
        let wait = self.wait();
        let kept = self.cache.as_ref().filter(|cache| cache.is_kept());
        let background = self.cx.list.background.as_ref();
        match kept.filter(|_| background.is_some_and(Background::start)) {
            Some(cache) => self.wait_for(cache, wait),
            None => self.run(Some(wait)),
        }
    }

    /// Waits at most for `wait` until another process has asked.
    fn wait_for(&self, cache: &Cache, wait: Duration) -> Result<Values, ProviderError> {
        let (begin, before) = (Instant::now(), cache.failure_stamp());
        loop {
            if cache.stamp().is_some()
                && let Some(values) = cache.read()
            {
                return Ok(values);
            }
            if cache.failure_stamp() != before
                && let Some(failure) = cache.last_failure()
            {
                let name = self.provider.name();
                return Err(ProviderError::Server(name, Box::new(failure.diagnostic)));
            }
            if begin.elapsed() >= wait || self.cx.cancel.is_cancelled() {
                let late = ProviderError::Late(self.provider.name(), wait);
                cache.write_failure(&late.diagnostic(), true, wait);
                return Err(late);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn remembered(&self, failure: Failure) -> ProviderError {
        let name = self.provider.name();
        if failure.was_late {
            ProviderError::Late(name, self.wait())
        } else {
            ProviderError::Remembered(name, Box::new(failure.diagnostic))
        }
    }

    /// Does this in a program that stays: a provider that is late is asked to the end.
    fn run_in_background(self, resident: &Arc<Resident>) -> Result<Values, ProviderError> {
        let (name, cache) = (self.provider.name(), self.cache.clone());
        let Some(key) = cache.as_ref().map(Cache::key) else {
            return self.run(Some(self.wait()));
        };
        let wait = self.wait();
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
            Ok(Answer::Declared(values) | Answer::Late(Some(values))) => Ok(values),
            Ok(Answer::Late(None)) => {
                if let Some(failure) = known.filter(|failure| !failure.was_late) {
                    let diagnostic = Box::new(failure.diagnostic);
                    return Err(ProviderError::Remembered(name, diagnostic));
                }
                let late = ProviderError::Late(name, wait);
                // The next list is not patient.
                if let Some(cache) = cache.filter(|_| moment > Settings::LIST_WAIT) {
                    cache.write_failure(&late.diagnostic(), true, moment);
                }
                Err(late)
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
                if cache.is_for_client(&self.cx) {
                    cache.write(values);
                }
                cache.remove_failure();
            }
            Err(error) if !self.cx.cancel.is_cancelled() => {
                cache.write_failure(&error.diagnostic(), error.is_late(), begin.elapsed());
            }
            Err(_) => {}
        }
        result
    }

    fn declarations(&self, moment: Option<Duration>) -> Result<Values, ProviderError> {
        if let Some(sessions) = self.provider.sessions(&self.cx) {
            return self.declarations_in(&**sessions, moment);
        }
        let output = self.output(moment)?;
        let values = remote::values(&output.stdout.bytes)
            .map_err(|message| ProviderError::InvalidOutput(self.provider.name(), message))?;
        Ok(values.into_iter().map(Arc::new).collect())
    }

    /// Asks the server in its session, which goes on if it is not answered within `moment`.
    fn declarations_in(
        &self,
        sessions: &dyn Sessions,
        moment: Option<Duration>,
    ) -> Result<Values, ProviderError> {
        let provider = &self.provider;
        let timeout = provider.settings.timeout_or(Server::LIST_TIMEOUT);
        let moment = moment.filter(|moment| *moment < timeout);
        let limit = moment.unwrap_or(timeout);
        let start = (&self.approved, &self.variables);
        match provider.request(sessions, &self.work, limit, start, &self.cx) {
            Ok(Value::Array(values)) => Ok(values.into_iter().map(Arc::new).collect()),
            Ok(_) => {
                let message = "its output is not a JSON array".to_owned();
                Err(ProviderError::InvalidOutput(provider.name(), message))
            }
            Err(SessionError::TimedOut) if moment.is_some() => {
                Err(ProviderError::Late(provider.name(), limit))
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

impl Provider {
    /// The sessions that stay open, if this is a server.
    pub(super) fn sessions<'c>(&self, cx: &'c Context) -> Option<&'c Arc<dyn Sessions>> {
        self.settings.server.as_ref()?;
        cx.sessions.as_ref()
    }

    /// Fails unless the user has approved the provider's command; ends the session of one that
    /// is not approved any more.
    pub(super) fn approved(&self, cx: &Context) -> Result<ApprovedFiles, ProviderError> {
        if self.settings.server.as_ref().is_some_and(|it| it.is_sse) {
            return Err(ProviderError::Sse(self.name()));
        }
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
        let cache = Cache::of(self, variables, cx);
        let seen = variables.iter();
        let seen = seen.map(|(name, value)| [name, value].map(|it| it.as_encoded_bytes()));
        // Approved files that differ are in another folder, from which the server must run. A
        // session may be shared by clients with other variables: only its own are for it.
        let content = json!([
            cache.as_ref().map(Cache::fingerprint),
            approved.digest(),
            idle.as_secs_f64(),
            seen.collect::<Vec<_>>(),
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
            shared: self.settings.shared,
            cancel: &cx.cancel,
            progress: cx.call.progress.as_ref(),
            meta: &cx.call.meta,
            client: cx.call.client.as_ref(),
            start: &start,
            on_change: &on_change,
        })
    }

    /// Makes the cached declarations too old, and tells the program that stays.
    fn on_change(cache: Option<Cache>, cx: &Context) -> Arc<dyn Fn() + Send + Sync> {
        let resident = cx.list.resident.as_ref();
        let resident = resident.map_or_else(Weak::new, Arc::downgrade);
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
