//! Pins: a registry that admits only pinned tools, and the pins of its tools as they are now.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Found, Registry, guarded, load_all};
use crate::lock::{Lock, LockedTools, Pinner, Snapshot};
use crate::tool::{Author, ToolError};
use crate::{Diagnostic, Source, Tool};

/// The tools that a snapshot has loaded, by the paths of their files as messages show them.
#[derive(Debug, Default)]
pub struct Loaded(HashMap<PathBuf, Result<Tool, ToolError>>);

impl Registry {
    /// Admits only the tools that `locked` pins.
    #[must_use]
    pub fn with_lock(mut self, locked: LockedTools) -> Self {
        self.locked = Some(Arc::new(locked));
        self
    }

    /// Returns true if only pinned tools are admitted.
    pub const fn is_locked(&self) -> bool {
        self.locked.is_some()
    }

    /// Fails if `tool` of one of the sources differs from its pin.
    pub(super) fn check_lock(&self, tool: Tool) -> Result<Tool, ToolError> {
        // The lock is a file of the project, and the user's own tools are not in it.
        let is_users = tool.provenance().author == Author::User;
        let locked = self.locked.as_ref().filter(|_| !is_users);
        match locked.map_or(Ok(()), |lock| lock.check(&tool)) {
            Ok(()) => Ok(tool),
            Err(diagnostic) => Err(ToolError::Invalid(vec![*diagnostic])),
        }
    }

    /// Fails if `tool`, which was loaded from a file, differs from its pin: the pin of the source
    /// which has the file.
    pub fn check_file(&self, tool: Tool) -> Result<Tool, Vec<Diagnostic>> {
        if !self.is_locked() {
            return Ok(tool);
        }
        let real = tool.text().path().canonicalize().ok();
        let mut candidates = self
            .sources
            .iter()
            .filter(|source| !matches!(source, Source::Provider(_)))
            .flat_map(|source| source.list(&self.cx).entries);
        let own = candidates.find(|file| file.path.canonicalize().ok() == real);
        let tool = match own {
            Some(file) => tool.from(file.provenance),
            None => tool,
        };
        self.check_lock(tool).map_err(ToolError::diagnostics)
    }
}

impl Snapshot {
    /// Takes what the sources of `registry` declare now, unfiltered. Folders below
    /// `display_path`, the project's `root`, are named relative to it.
    pub fn of(registry: &Registry, root: &Path, display_path: &Path) -> Self {
        Self::with_tools(registry, root, display_path).0
    }

    /// Does the same, and returns the loaded tools for [`Registry::map_loaded`], too.
    pub fn with_tools(registry: &Registry, root: &Path, display_path: &Path) -> (Self, Loaded) {
        let mut tools = Loaded::default();
        let all = registry.list_unfiltered();
        let mut pinner = Pinner::new(root, display_path);
        let mut snapshot = Self {
            lock: Lock::empty(),
            ..Self::default()
        };
        for error in all.errors {
            if error.is_partial() {
                snapshot.tool_errors.push(error.diagnostic());
            } else {
                snapshot.unavailable.push(error);
            }
        }
        let loaded = load_all(&all.entries, |_, tool| tool);
        for (file, loaded) in all.entries.into_iter().zip(loaded) {
            let loaded = loaded.map_err(|error| {
                let diagnostics = error.diagnostics();
                snapshot.tool_errors.extend(diagnostics.iter().cloned());
                ToolError::Invalid(diagnostics)
            });
            // The user's own tools are not the project's, and differ from user to user.
            if let Ok(tool) = &loaded
                && tool.provenance().author != Author::User
            {
                snapshot.lock.add(tool, &mut pinner);
            }
            tools.0.insert(file.display_path, loaded);
        }
        (snapshot, tools)
    }
}

impl Registry {
    /// Converts each listed tool with `each`, as [`Self::map`] does, without loading a tool of a
    /// snapshot again. Pins are not compared.
    pub fn map_loaded<T>(
        &self,
        mut loaded: Loaded,
        each: impl Fn(Result<Tool, ToolError>) -> T,
    ) -> Found<T> {
        self.files().map(|files| {
            let tools = files.iter().map(|file| {
                let tool = loaded.0.remove(&file.display_path);
                let load = || tool.unwrap_or_else(|| file.load());
                guarded(file, load, |_, tool| each(tool))
            });
            tools.collect()
        })
    }

    /// Returns the SHA-256 of what `tool` runs: its implementation with the files that it names, the
    /// content of its package, the commands of its provider.
    pub fn content_digest(&self, tool: &Tool) -> String {
        Pinner::new(&self.cx.root, &self.cx.root).pin(tool).runs()
    }
}
