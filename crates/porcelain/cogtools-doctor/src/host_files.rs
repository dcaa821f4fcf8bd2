//! The files in which other hosts than Gemini CLI find the project's MCP servers.

use std::path::{Path, PathBuf};

use cogtools_core::Diagnostic;
use cogtools_edit::jsonc::Dialect;
use cogtools_edit::{Change, Existing, Format, jsonc, toml, yaml};
use cogtools_gemini_cli::{McpHost, Vars};
use serde_json::Value;

/// The text that a file about cogtools contains.
const OURS: &str = "cogtools";

/// The file of a host that exists.
#[derive(Debug)]
pub(crate) struct HostFile {
    pub(crate) host: McpHost,
    /// Its path, as shown.
    pub(crate) path: String,
    /// True if it belongs to the user, and not to the project.
    pub(crate) is_users: bool,
    /// The content, or the reason why it cannot be read.
    pub(crate) value: Result<Value, Box<Diagnostic>>,
    /// The change that makes it readable, if only a byte order mark or a comma is in the way.
    pub(crate) repair: Option<Change>,
}

/// The files that exist: the project's at `root` that are about servers, and others, such as
/// the user's, if they name cogtools.
pub(crate) fn gather(root: &Path, vars: &Vars) -> Vec<HostFile> {
    let mut found: Vec<HostFile> = Vec::new();
    for host in McpHost::ALL {
        for path in host.files(vars) {
            let is_known = found.iter().any(|file| Path::new(&file.path) == path);
            // One file of two hosts is one of the first.
            found.extend(
                (!is_known)
                    .then(|| HostFile::read(host, path, root))
                    .flatten(),
            );
        }
    }
    // Those of the project first.
    let (of_user, in_project): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| it.is_users);
    in_project.into_iter().chain(of_user).collect()
}

fn parse(host: &McpHost, file: &Path, text: &str) -> Result<Value, Box<Diagnostic>> {
    let value = match Format::of(file) {
        Format::Jsonc => jsonc::read_as(host.dialect, file, text),
        Format::Toml => toml::read(file, text),
        Format::Yaml => yaml::read(file, text),
    };
    value.map_err(|conflict| Box::new(conflict.diagnostic()))
}

impl HostFile {
    fn read(host: McpHost, file: PathBuf, root: &Path) -> Option<Self> {
        let path = file.display().to_string();
        let is_users = host.is_users();
        let (value, repair) = match Existing::open(root, &file) {
            Ok(None) => return None,
            Err(error) => {
                let diagnostic = error.diagnostic().with_subject(path.clone());
                (Err(Box::new(diagnostic)), None)
            }
            // The file is about other servers or settings only.
            Ok(Some(existing))
                if (is_users || !host.is_dedicated) && !existing.text.contains(OURS) =>
            {
                return None;
            }
            Ok(Some(existing)) => {
                let value = parse(&host, &file, &existing.text);
                let may_repair = !is_users
                    && host.dialect == Dialect::Comments
                    && value.is_err()
                    && existing.writable().is_ok();
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
