//! The files that remember the declarations and the last failure of a provider.
//!
//! A provider has one set of files for a user, in all projects; one that sees the files of the project
//! has a set for each. Its name is a hash of the program, its arguments, the variables that it
//! declares and its sandbox: a variable may be a secret.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Provider, Transport, start};
use crate::cached::{is_within, read, remove, write};
use crate::environment::Vars;
use crate::resident::{FAILURE_TTL, MIN_DELAY, Stamp, Values};
use crate::{Context, Diagnostic, Hint, digest, file};

/// The files about one provider.
#[derive(Clone)]
pub(super) struct Cache {
    /// The provider, and for which audience.
    key: String,
    /// The key without the audience.
    plain_key: String,
    /// A word for hosts like the client of the program; none for hosts in general.
    audience: Option<String>,
    /// The digest of everything that a session with it depends on.
    fingerprint: String,
    /// The digest of its name, which its failures have in their messages.
    name: String,
    folder: Option<PathBuf>,
    max_age: Option<Duration>,
}

/// A failure that was remembered.
pub(super) struct Failure {
    pub(super) diagnostic: Diagnostic,
    /// True if the provider was given up, rather than failed by itself.
    pub(super) was_late: bool,
    /// True if asking again costs no time.
    was_quick: bool,
}

/// The right to ask a provider in the background, which one process at a time has.
pub(super) struct Claim {
    path: PathBuf,
    _file: File,
}

/// The extension of declarations that the provider has said not to have any more, or that it has
/// made to another audience.
const EXPIRED: &str = "expired";
/// The end of a key of everything besides tools.
const OFFER: &str = "-offer";
/// The form of what is cached: another one is not read.
const FORMAT: u32 = 1;
/// The largest file about a failure that is read.
const MAX_FAILURE_BYTES: u64 = 64 << 10;

impl Cache {
    /// The files of `provider`, which is started with `variables`; `None` if its program cannot be
    /// read.
    pub(super) fn of(provider: &Provider, variables: &Vars, cx: &Context) -> Option<Self> {
        let settings = &provider.settings;
        let directory = start::directory(settings, cx);
        let line = match &settings.server {
            Some(_) => settings.command(variables),
            None => settings.discover.clone(),
        };
        let path = variables.get(OsStr::new("PATH"));
        let program = line.first();
        let program = program.and_then(|it| which::which_in(it, path, &directory).ok());
        let program = program.map(|file| file.canonicalize().unwrap_or(file));
        let program: Vec<String> = program.iter().map(|it| it.display().to_string()).collect();
        let plugin = settings.plugin.as_ref();
        let described = plugin.map_or(&[][..], |plugin| plugin.described.as_slice());
        let lines = [&line, program.as_slice(), described];
        let command = digest::recognized_command(&directory, &lines, &provider.data(cx)).ok()?;
        let seen = |name: &OsStr| {
            let mut names = settings.env.iter().chain(&settings.optional_env);
            name == "HOME" || names.any(|it| name == it.as_str())
        };
        let texts = |is_seen: &dyn Fn(&OsStr) -> bool| -> Vec<String> {
            let variables = variables.iter().filter(|(name, _)| is_seen(name));
            let text = |(name, value): (&OsString, &OsString)| {
                format!("{}={}", name.display(), value.display())
            };
            variables.map(text).collect()
        };
        let key = digest::value(&json!([
            sees_project(provider, cx).then(|| cx.root.display().to_string()),
            FORMAT,
            plugin.map(|plugin| plugin.root.display().to_string()),
            settings
                .server
                .as_ref()
                .map(|server| seen_by_server(&server.description)),
            command.to_string(),
            texts(&seen),
            settings.sandbox_digest,
        ]));
        let plain_key = key.to_string();
        let audience = audience(cx);
        let key = match &audience {
            Some(audience) => format!("{plain_key}-{audience}"),
            None => plain_key.clone(),
        };
        let fingerprint = digest::value(&json!([key, texts(&|_| true)])).to_string();
        Some(Self {
            key,
            plain_key,
            audience,
            fingerprint,
            name: digest::bytes(settings.name.as_bytes()).to_string(),
            folder: cx.cache.as_ref().map(|folder| folder.join("declarations")),
            max_age: settings.cache,
        })
    }

    /// The files about everything besides tools.
    pub(super) fn of_offer(self) -> Self {
        Self {
            key: format!("{}{OFFER}", self.key),
            plain_key: format!("{}{OFFER}", self.plain_key),
            ..self
        }
    }

    /// Returns true if they are still about the client of the program, which may have named its
    /// abilities only after a moment.
    pub(super) fn is_for_client(&self, cx: &Context) -> bool {
        self.audience == audience(cx)
    }

    /// The identity of the provider in this program.
    pub(super) fn key(&self) -> String {
        format!("{}-{}", self.key, self.name)
    }

    /// The digest of everything that a session with it depends on.
    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns true if another process can leave declarations here.
    pub(super) fn is_kept(&self) -> bool {
        let is_writable = |folder: &PathBuf| {
            let is_made = file::create_private_folder(folder).is_ok();
            #[cfg(unix)]
            let is_made =
                is_made && rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
            is_made
        };
        self.max_age.is_some() && self.folder.as_ref().is_some_and(is_writable)
    }

    /// Returns true if there are cached declarations that are not too old.
    pub(super) fn is_fresh(&self) -> bool {
        self.stamp().is_some() && self.read().is_some()
    }

    /// The stamp of the cached declarations, unless there are none or they are too old.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        let (written, length) = stamp(self.declarations()?)?;
        let is_fresh = is_within(self.max_age?, written);
        is_fresh.then_some((written, length))
    }

    /// Returns true if nothing was ever declared to this audience, but something to hosts in general, which
    /// is not too old.
    pub(super) fn is_general(&self) -> bool {
        let plain = Self {
            key: self.plain_key.clone(),
            ..self.clone()
        };
        self.declarations().is_some_and(|file| !file.exists()) && plain.stamp().is_some()
    }

    /// The cached declarations, however old they are: those for this audience, else for hosts in
    /// general.
    pub(super) fn read(&self) -> Option<Values> {
        self.max_age?;
        let paths = [self.declarations()?, self.general()?];
        let mut paths = paths
            .iter()
            .flat_map(|path| [path.clone(), path.with_extension(EXPIRED)]);
        let text = paths.find_map(|path| read(&path, u64::MAX))?;
        let cached: Vec<Value> = serde_json::from_slice(&text).ok()?;
        Some(cached.into_iter().map(Arc::new).collect())
    }

    /// The cached declarations for each audience, however old they are.
    pub(super) fn of_audiences(&self) -> Vec<Values> {
        let begin = format!("{}-", self.plain_key);
        let folder = self.folder.as_ref().filter(|_| self.max_age.is_some());
        let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
        let names = entries.into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let is_tools = |name: &&str| name.starts_with(&begin) && !name.ends_with(OFFER);
        let names: BTreeSet<String> = names
            .filter_map(|name| Some(name.strip_suffix(".json").filter(is_tools)?.to_owned()))
            .collect();
        let of_audience = |key: String| {
            Self {
                key,
                ..self.clone()
            }
            .read()
        };
        names.into_iter().filter_map(of_audience).collect()
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

    /// Caches declarations, if the configuration says so. Where hosts in general have none, these
    /// represent a provider that is late.
    pub(super) fn write(&self, values: &Values) {
        if self.max_age.is_none() {
            return;
        }
        let values: Vec<&Value> = values.iter().map(|value| &**value).collect();
        let text = json!(values).to_string();
        write(self.declarations().as_deref(), text.as_bytes());
        let general = self.general().filter(|_| self.audience.is_some());
        let expired = general.map(|it| (it.with_extension(EXPIRED), it));
        let expired = expired.filter(|(expired, it)| !it.exists() && !expired.exists());
        write(expired.map(|(file, _)| file).as_deref(), text.as_bytes());
    }

    /// The last failure, if it was in the last minute.
    pub(super) fn last_failure(&self) -> Option<Failure> {
        let file = self.failures()?;
        let (written, _) = stamp(file.clone())?;
        if !is_within(FAILURE_TTL, written) {
            return None;
        }
        let text = read(&file, MAX_FAILURE_BYTES)?;
        let value: Value = serde_json::from_slice(&text).ok()?;
        let is = |key: &str| value.get(key) == Some(&Value::Bool(true));
        Some(Failure {
            diagnostic: Diagnostic::from_json(&text)?,
            was_late: is("late"),
            was_quick: is("quick"),
        })
    }

    /// The failure of the last minute, unless asking again costs no time.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.last_failure().filter(|failure| !failure.was_quick)
    }

    /// The stamp of the last failure.
    pub(super) fn failure_stamp(&self) -> Option<Stamp> {
        stamp(self.failures()?)
    }

    /// Remembers a failure after `time` for a minute.
    pub(super) fn write_failure(&self, diagnostic: &Diagnostic, was_late: bool, time: Duration) {
        let hints: Vec<&str> = diagnostic.hints.iter().filter_map(Hint::text).collect();
        let value = json!({
            "code": diagnostic.code.name(),
            "message": diagnostic.message,
            "details": diagnostic.details,
            "hints": hints,
            "late": was_late,
            "quick": time < MIN_DELAY,
        });
        write(self.failures().as_deref(), value.to_string().as_bytes());
    }

    /// Forgets that it has failed.
    pub(super) fn remove_failure(&self) {
        let file = self.failures().filter(|file| file.exists());
        remove(file.as_deref());
    }

    /// Claims the right to ask the provider in the background; `None` if another process has it.
    pub(super) fn claim(&self) -> Option<Claim> {
        let folder = self.folder.as_ref()?;
        file::create_private_folder(folder).ok()?;
        let path = folder.join(format!("{}.asked", self.key));
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).ok()?;
        file.try_lock().ok()?;
        Some(Claim { path, _file: file })
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
        let file = format!("{}.failed", digest::bytes(self.key().as_bytes()));
        Some(self.folder.as_ref()?.join(file))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A word for hosts like the one of the program: a server may declare other tools to a host that can
/// show questions to the user.
fn audience(cx: &Context) -> Option<String> {
    cx.sessions.as_ref()?.audience()
}

/// The stamp of a file.
fn stamp(path: PathBuf) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Returns true if what `provider` declares may depend on the files of the project: it starts there,
/// or has the sandbox of the project.
fn sees_project(provider: &Provider, cx: &Context) -> bool {
    let settings = &provider.settings;
    let server = settings.server.as_ref();
    let is_remote = server.is_some_and(|it| matches!(it.transport, Transport::Url(..)));
    !is_remote && (!settings.is_neutral() || provider.effective_sandbox(cx).is_some())
}

/// The description of a server without what does not reach it.
fn seen_by_server(description: &str) -> Value {
    let mut description: Value = serde_json::from_str(description).unwrap_or_default();
    if let Some(entries) = description.as_object_mut() {
        let is_ours = |key: &str| matches!(key, "name" | "timeout" | "command" | "candidate");
        entries.retain(|key, _| !is_ours(key));
    }
    description
}
