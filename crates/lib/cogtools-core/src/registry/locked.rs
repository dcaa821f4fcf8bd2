//! A registry whose tools are those that `cogtools.lock` pins.

use std::sync::Arc;

use super::Registry;
use crate::lock::LockedTools;
use crate::tool::{Author, ToolError};
use crate::{Diagnostic, Source, Tool};

impl Registry {
    /// Admits only the tools that `locked` pins.
    #[must_use]
    pub fn with_lock(mut self, locked: LockedTools) -> Self {
        self.locked = Some(Arc::new(locked));
        self
    }

    /// Whether only pinned tools are admitted.
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

    /// The same for a tool that was loaded from a file: its pin is that of the source
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
