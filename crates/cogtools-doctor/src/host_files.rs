//! The files in which other hosts than Gemini CLI find the project's MCP servers.

use std::path::{Path, PathBuf};

use cogtools_core::Diagnostic;
use cogtools_edit::{Change, Existing, jsonc};
use serde_json::Value;

/// A host and its file in the project, as `cogtools init` writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileOfHost {
    /// The host's name on the command line of `cogtools init`.
    pub(crate) key: &'static str,
    /// The host's name.
    pub(crate) host: &'static str,
    pub(crate) path: &'static str,
    /// The key of the servers.
    pub(crate) table: &'static str,
}

/// Every host.
const ALL: [FileOfHost; 3] = [
    FileOfHost {
        key: "claude-code",
        host: "Claude Code",
        path: ".mcp.json",
        table: "mcpServers",
    },
    FileOfHost {
        key: "cursor",
        host: "Cursor",
        path: ".cursor/mcp.json",
        table: "mcpServers",
    },
    FileOfHost {
        key: "vscode",
        host: "VS Code",
        path: ".vscode/mcp.json",
        table: "servers",
    },
];

/// The keys of servers that some host reads.
pub(crate) const TABLES: [&str; 2] = ["mcpServers", "servers"];

/// The file of a host that exists.
#[derive(Debug)]
pub(crate) struct HostFile {
    pub(crate) of: FileOfHost,
    /// What it contains, or why it cannot be read.
    pub(crate) value: Result<Value, Box<Diagnostic>>,
    /// The change that makes it readable, if only a byte order mark or a comma is in the way.
    pub(crate) repair: Option<Change>,
}

/// The files that exist in the project at `root`.
pub(crate) fn gather(root: &Path) -> Vec<HostFile> {
    ALL.iter()
        .filter_map(|of| HostFile::read(*of, root))
        .collect()
}

impl HostFile {
    fn read(of: FileOfHost, root: &Path) -> Option<Self> {
        let file = PathBuf::from(of.path);
        let (value, repair) = match Existing::open(root, &file) {
            Ok(None) => return None,
            Err(error) => {
                let diagnostic = error.diagnostic().with_subject(of.path);
                (Err(Box::new(diagnostic)), None)
            }
            Ok(Some(existing)) => {
                let read = jsonc::read(&file, &existing.text);
                let repair = if read.is_err() && existing.writable().is_ok() {
                    jsonc::repair(&file, &existing.text)
                } else {
                    None
                };
                let before = existing.text;
                let change = |after| Change::new(root, file.clone(), Some(before), after);
                let value = read.map_err(|conflict| Box::new(conflict.diagnostic()));
                (value, repair.map(change))
            }
        };
        Some(Self { of, value, repair })
    }

    /// The servers under `table`.
    pub(crate) fn servers(&self, table: &str) -> impl Iterator<Item = (&String, &Value)> {
        let value = self.value.as_ref().ok();
        let servers = value.and_then(|value| value.get(table)?.as_object());
        servers.into_iter().flatten()
    }
}
