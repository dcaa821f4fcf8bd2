//! What is stored on disk about a provider: its declarations, valid for as long as the
//! configuration says, and that it has failed, valid for a minute.
//!
//! A file that cannot be read or written, or that belongs to another user, is ignored: discovery
//! runs as it would without one.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{Settings, directory};
use crate::environment::Vars;
use crate::file::{self, WritePath};
use crate::owner::Owners;
use crate::resident::{FAILURE_TTL, Stamp, Values};
use crate::{Context, Diagnostic, Hint, digest};

/// The files about one provider in one environment.
#[derive(Clone)]
pub(super) struct Cache {
    /// What the provider runs, in which environment, and for which audience.
    key: String,
    /// The key without the audience.
    plain_key: String,
    folder: Option<PathBuf>,
    max_age: Option<Duration>,
}

/// A failure that was remembered.
pub(super) struct Failure {
    pub(super) diagnostic: Diagnostic,
    /// Whether the provider was given up, rather than failed by itself.
    pub(super) was_late: bool,
}

/// The extension of declarations that the provider has said not to have any more.
const EXPIRED: &str = "expired";
/// The largest file about a failure that is read.
const MAX_FAILURE_BYTES: u64 = 64 << 10;

impl Cache {
    /// The files of the provider with `settings` in an environment of `variables`; `None` if
    /// what it runs cannot be read.
    pub(super) fn of(settings: &Settings, variables: &Vars, cx: &Context) -> Option<Self> {
        let directory = directory::directory(settings, cx);
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
        let sessions = cx.resident.as_ref().and_then(|it| it.sessions());
        let audience = sessions.and_then(|sessions| sessions.audience());
        let key = audience.map_or_else(|| plain_key.clone(), |it| format!("{plain_key}-{it}"));
        Some(Self {
            key,
            plain_key,
            folder: cx.cache.as_ref().map(|folder| folder.join("declarations")),
            max_age: settings.cache,
        })
    }

    /// What identifies the provider in this environment.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The stamp of the cached declarations, unless there are none or they are too old.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        let meta = fs::metadata(self.declarations()?).ok()?;
        let written = meta.modified().ok()?;
        let is_fresh = is_within(self.max_age?, written);
        is_fresh.then_some((written, meta.len()))
    }

    /// Whether nothing was ever declared to this audience, but something to hosts in general, which
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
    pub(super) fn write(&self, values: &Values) {
        if self.max_age.is_some() {
            let values: Vec<&Value> = values.iter().map(|value| &**value).collect();
            let text = json!(values).to_string();
            write(self.declarations().as_deref(), text.as_bytes());
        }
    }

    /// The failure of the last minute, if there is one.
    pub(super) fn failure(&self) -> Option<Failure> {
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
    pub(super) fn write_failure(&self, diagnostic: &Diagnostic, was_late: bool) {
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
    pub(super) fn remove_failure(&self) {
        let file = self.failures().filter(|file| file.exists());
        remove(file.as_deref());
    }

    fn declarations(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.json", self.key)))
    }

    /// What was declared to hosts in general.
    fn general(&self) -> Option<PathBuf> {
        let file = format!("{}.json", self.plain_key);
        Some(self.folder.as_ref()?.join(file))
    }

    fn failures(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.failed", self.key)))
    }
}

/// Whether something was written within the last `age`; not in the future.
fn is_within(age: Duration, written: SystemTime) -> bool {
    let now = SystemTime::now().duration_since(written);
    now.is_ok_and(|since| since <= age)
}

fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    Owners::default().check(path, path).ok()?;
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(limit).read_to_end(&mut text).ok()?;
    Some(text)
}

fn write(path: Option<&Path>, content: &[u8]) {
    let path = path.map(WritePath::in_folder);
    let _ = path.map(|path| file::replace_private(&path, content));
}

fn remove(path: Option<&Path>) {
    let path = path.map(WritePath::in_folder);
    let _ = path.map(|path| file::remove(&path));
}
