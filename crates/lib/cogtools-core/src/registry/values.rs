//! The values of enums that commands list, from the lock, the cache, or a command that the user has
//! approved.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, json};

use crate::approval::approve;
use crate::arguments::Arguments;
use crate::tool::{Author, ToolError, Values, values};
use crate::{Code, Diagnostic, Hint, Lock, Registry, Tool, cached, digest, hint};

/// The time for which values are cached.
const MAX_AGE: Duration = Duration::from_mins(5);
/// The largest file in the cache.
const MAX_BYTES: u64 = 1 << 20;

impl Registry {
    /// Returns `tool` with the values of its enums; fails if it differs from its pin.
    pub(super) fn admit(&self, tool: Tool) -> Result<Tool, ToolError> {
        self.check_lock(self.with_values(tool)?)
    }

    /// Returns `tool` with the values that commands list for its enums. Without a context nothing
    /// runs, and any text is a value.
    pub(super) fn with_values(&self, tool: Tool) -> Result<Tool, ToolError> {
        if !tool.lists_values() {
            return Ok(tool);
        }
        let failed = |error: Diagnostic| {
            let message = format!("the values of an enum are not known: {}", error.message);
            let error = Diagnostic { message, ..error };
            ToolError::Invalid(vec![error.with_subject(tool.name().as_str())])
        };
        let mut known = self.pinned_values(&tool).map_err(|it| failed(*it))?;
        for (index, command) in tool.value_commands.iter().enumerate() {
            let key = command.key();
            if known.contains_key(&key) {
                continue;
            }
            let listed = self.list_values(&tool.lister(index)?, &key);
            known.extend(listed.map_err(|it| failed(*it))?.map(|it| (key, it)));
        }
        tool.with_values(&known)
    }

    /// The values that `cogtools.lock` pins for `tool`; of the user's own tools there are none.
    fn pinned_values(&self, tool: &Tool) -> Result<Values, Box<Diagnostic>> {
        let (file, name) = (self.cx.root.join(Lock::FILE), tool.name().as_str());
        if self.renews_values || tool.provenance.author == Author::User {
            return Ok(Values::new());
        }
        match &self.locked {
            Some(locked) => Ok(locked.lock.values(name)),
            None if file.is_absolute() && file.exists() => {
                Lock::read(&file, Path::new(Lock::FILE)).map(|lock| lock.values(name))
            }
            None => Ok(Values::new()),
        }
    }

    /// Lists values with the tool `lister`, or takes those in the cache; `None` if nothing may run.
    fn list_values(
        &self,
        lister: &Tool,
        key: &str,
    ) -> Result<Option<Vec<String>>, Box<Diagnostic>> {
        let cx = &self.cx;
        if !cx.root.is_absolute() {
            return Ok(None);
        }
        let is_pinned = self.is_locked() && lister.provenance.author != Author::User;
        if is_pinned && !self.renews_values {
            let message = "`cogtools.lock` does not pin them";
            let hint = Hint::run("", hint::Command::Lock, " lists and pins them");
            return Err(Box::new(Diagnostic::new(Code::Denied, message).hint(hint)));
        }
        let approved = approve(lister, cx)?;
        let file = self.values_file(lister, key);
        let is_current = |file: &&PathBuf| {
            !(self.renews_values || cx.list.refresh) && cached::is_fresh(file, MAX_AGE)
        };
        let stored = file.as_ref().filter(is_current);
        let stored = stored.and_then(|it| cached::read(it, MAX_BYTES));
        if let Some(stored) = stored.and_then(|it| serde_json::from_slice(&it).ok()) {
            return Ok(Some(stored));
        }
        if cx.list.cached_only {
            return Ok(None);
        }
        let accepted = lister.accept(Arguments::from(Map::new()));
        let accepted = accepted.map_err(|it| Diagnostic::merge(it.diagnostics(lister)))?;
        let output = approved.run(accepted, cx)?;
        let listed = values(&output.text).map_err(|why| {
            let hint = format!("`{key}` prints one value on each line");
            Box::new(Diagnostic::new(Code::ToolFailed, why).hint(hint))
        })?;
        cached::write(file.as_deref(), json!(listed).to_string().as_bytes());
        Ok(Some(listed))
    }

    /// The file in the cache.
    fn values_file(&self, lister: &Tool, key: &str) -> Option<PathBuf> {
        let origin = json!([self.cx.root, lister.text().path(), key]);
        let name = format!("{}.json", digest::value(&origin));
        Some(self.cx.cache.as_ref()?.join("values").join(name))
    }
}
