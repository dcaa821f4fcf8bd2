//! What the sources declare now, to be pinned or compared, and what their tools run.

use std::path::Path;

use super::{Registry, load_all};
use crate::Tool;
use crate::lock::{Lock, Pinner, Snapshot};
use crate::tool::Author;

impl Snapshot {
    /// What the sources of `registry` declare now, unfiltered. Folders below
    /// `display_path`, the project's `root`, are named relative to it.
    pub fn of(registry: &Registry, root: &Path, display_path: &Path) -> Self {
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
        for loaded in load_all(&all.entries, |_, tool| tool) {
            match loaded {
                // They are not the project's, and differ from user to user.
                Ok(tool) if tool.provenance().author == Author::User => {}
                Ok(tool) => snapshot.lock.add(&tool, &mut pinner),
                Err(error) => snapshot.tool_errors.extend(error.diagnostics()),
            }
        }
        snapshot
    }
}

impl Registry {
    /// The SHA-256 of what `tool` runs: its implementation with the files that it names, the
    /// content of its package, the commands of its provider.
    pub fn content_digest(&self, tool: &Tool) -> String {
        Pinner::new(&self.cx.root, &self.cx.root).pin(tool).runs()
    }
}
