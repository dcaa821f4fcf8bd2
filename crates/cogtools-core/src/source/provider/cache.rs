//! A cache of declarations on disk, valid for as long as the configuration says.
//!
//! A cache that cannot be read or written is ignored: discovery runs as it would
//! without one.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{Settings, directory};
use crate::Context;
use crate::digest;
use crate::environment::Vars;
use crate::file::{self, WritePath};

/// The cache file for one provider in one environment.
pub(super) struct Cache {
    file: PathBuf,
    max_age: Duration,
}

impl Cache {
    /// The cache of the provider with `settings` in an environment of `variables`;
    /// `None` if there is no folder for it.
    pub(super) fn of(
        settings: &Settings,
        variables: &Vars,
        max_age: Duration,
        cx: &Context,
    ) -> Option<Self> {
        let folder = cx.cache.as_ref()?;
        let directory = directory::directory(settings, cx);
        let command = digest::command(&directory, &settings.approved_parts()).ok()?;
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
        let file = folder.join("declarations").join(format!("{key}.json"));
        Some(Self { file, max_age })
    }

    /// The cached declarations, unless they are too old.
    pub(super) fn read(&self) -> Option<Vec<Value>> {
        let written = fs::metadata(&self.file).ok()?.modified().ok()?;
        let age = SystemTime::now().duration_since(written).ok()?;
        if age > self.max_age {
            return None;
        }
        let cached: Value = serde_json::from_slice(&fs::read(&self.file).ok()?).ok()?;
        cached.as_array().cloned()
    }

    /// Discards the cached declarations.
    pub(super) fn remove(&self) {
        let _ = file::remove(&WritePath::in_folder(&self.file));
    }

    pub(super) fn write(&self, values: &[Value]) {
        let content = json!(values).to_string();
        let _ = file::replace_private(&WritePath::in_folder(&self.file), content.as_bytes());
    }
}
