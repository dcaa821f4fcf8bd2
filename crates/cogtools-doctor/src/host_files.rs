//! The files in which other hosts than Gemini CLI find the project's MCP servers.

use std::path::{Path, PathBuf};

use cogtools_core::Diagnostic;
use cogtools_edit::{Change, Existing, Format, jsonc, toml};
use cogtools_program::{Io, user_files};
use serde_json::Value;

/// A host with its own file of servers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherHost {
    /// Its name on the command line of `cogtools init`.
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    /// The key of the servers.
    pub(crate) table: &'static str,
    format: Format,
}

/// The hosts with a file in the project, as `cogtools init` writes it.
const IN_PROJECT: [(&str, OtherHost); 3] = [
    (
        ".mcp.json",
        OtherHost::json("claude-code", "Claude Code", "mcpServers"),
    ),
    (
        ".cursor/mcp.json",
        OtherHost::json("cursor", "Cursor", "mcpServers"),
    ),
    (
        ".vscode/mcp.json",
        OtherHost::json("vscode", "VS Code", "servers"),
    ),
];

/// The hosts with a file of the user, which is shared by all projects.
const CLAUDE_DESKTOP: OtherHost = OtherHost::json("claude-desktop", "Claude Desktop", "mcpServers");
const CODEX: OtherHost = OtherHost {
    key: "codex",
    name: "Codex",
    table: "mcp_servers",
    format: Format::Toml,
};

/// The keys of servers that some host reads.
pub(crate) const TABLES: [&str; 3] = ["mcpServers", "servers", "mcp_servers"];

/// What a file that names cogtools contains.
const OURS: &str = "cogtools";

/// The file of a host that exists.
#[derive(Debug)]
pub(crate) struct HostFile {
    pub(crate) host: OtherHost,
    /// Its path, as shown.
    pub(crate) path: String,
    /// Whether it belongs to the user, and not to the project.
    pub(crate) is_users: bool,
    /// What it contains, or why it cannot be read.
    pub(crate) value: Result<Value, Box<Diagnostic>>,
    /// The change that makes it readable, if only a byte order mark or a comma is in the way.
    pub(crate) repair: Option<Change>,
}

/// The files that exist: those of the project at `root`, and those of the user that name
/// cogtools.
pub(crate) fn gather(root: &Path, io: &Io<'_>) -> Vec<HostFile> {
    let in_project = IN_PROJECT
        .iter()
        .filter_map(|(path, host)| HostFile::read(*host, PathBuf::from(path), root));
    let of_user = [
        (user_files::claude_desktop(io), CLAUDE_DESKTOP),
        (user_files::codex(io), CODEX),
    ];
    let of_user = of_user
        .into_iter()
        .filter_map(|(path, host)| HostFile::read(host, path?, root));
    in_project.chain(of_user).collect()
}

impl OtherHost {
    const fn json(key: &'static str, name: &'static str, table: &'static str) -> Self {
        Self {
            key,
            name,
            table,
            format: Format::Jsonc,
        }
    }

    fn parse(self, file: &Path, text: &str) -> Result<Value, Box<Diagnostic>> {
        match self.format {
            Format::Jsonc => {
                jsonc::read(file, text).map_err(|conflict| Box::new(conflict.diagnostic()))
            }
            Format::Toml => {
                toml::read(file, text).map_err(|conflict| Box::new(conflict.diagnostic()))
            }
        }
    }
}

impl HostFile {
    fn read(host: OtherHost, file: PathBuf, root: &Path) -> Option<Self> {
        let path = file.display().to_string();
        let is_users = file.is_absolute();
        let (value, repair) = match Existing::open(root, &file) {
            Ok(None) => return None,
            Err(error) => {
                let diagnostic = error.diagnostic().with_subject(path.clone());
                (Err(Box::new(diagnostic)), None)
            }
            // The file is about other servers only.
            Ok(Some(existing)) if is_users && !existing.text.contains(OURS) => return None,
            Ok(Some(existing)) => {
                let value = host.parse(&file, &existing.text);
                let may_repair = !is_users && value.is_err() && existing.writable().is_ok();
                let repair = may_repair
                    .then(|| jsonc::repair(&file, &existing.text))
                    .flatten();
                let before = existing.text;
                let change = |after| Change::new(root, file, Some(before), after);
                (value, repair.map(change))
            }
        };
        Some(Self {
            host,
            path,
            is_users,
            value,
            repair,
        })
    }

    /// The servers under `table`.
    pub(crate) fn servers(&self, table: &str) -> impl Iterator<Item = (&String, &Value)> {
        let value = self.value.as_ref().ok();
        let servers = value.and_then(|value| value.get(table)?.as_object());
        servers.into_iter().flatten()
    }
}
