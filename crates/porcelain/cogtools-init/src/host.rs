//! The hosts that can be configured, and the configuration of each.
//!
//! [`McpHost`] has file locations and formats; where possible, the tests run the host
//! itself.

use std::path::Path;

use cogtools_core::{Code, Diagnostic, fail_on};
use cogtools_edit::host::{Connection, McpHost, Paths};
use cogtools_edit::jsonc::Dialect;
use cogtools_edit::{Edit, Step};

use crate::extension;
use crate::server::{NAME, Server};
use crate::setup_context::SetupContext;

/// A host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// Gemini CLI, through what its settings have or its version supports best.
    Gemini,
    /// Gemini CLI, through its discovery and call commands.
    GeminiCommands,
    /// Gemini CLI, over MCP.
    GeminiMcp,
    /// A Gemini CLI extension that contains the project's tools.
    GeminiExtension,
    /// One that has an [`McpHost`] of this key.
    Client(&'static str),
    /// Every agent that reads AGENTS.md and .agents/skills, in the project.
    Agents,
}

/// The variable that editors replace with the project's folder.
const FOLDER: &str = "${workspaceFolder}";

impl Host {
    /// Every host.
    pub(crate) fn all() -> Vec<Self> {
        let gemini = [
            Self::Gemini,
            Self::GeminiCommands,
            Self::GeminiMcp,
            Self::GeminiExtension,
        ];
        let clients = McpHost::ALL.map(|host| Self::Client(host.key));
        [gemini.as_slice(), &clients, &[Self::Agents]].concat()
    }

    /// The change to its configuration.
    fn edit(self, cx: &SetupContext) -> Result<Edit, Box<Diagnostic>> {
        let name = cx.name.as_deref().unwrap_or(NAME);
        let server = Server::new(name);
        match self {
            Self::GeminiCommands => return Ok(Connection::Commands.edit()),
            Self::GeminiExtension => return Ok(extension::edit(cx)),
            Self::Gemini | Self::GeminiMcp => {
                return Ok(Edit::add(Paths::settings(), server.entry()));
            }
            _ => {}
        }
        let host = McpHost::of_key(self.name()).ok_or_else(|| Box::new(unknown_home(self)))?;
        let file = host.file(&cx.root, &cx.vars);
        let file = file.ok_or_else(|| Box::new(unknown_home(self)))?;
        let server = Server {
            table: host.table,
            form: host.form,
            options: host.options(),
            command: match self {
                Self::Client("claude-desktop") => text(&cx.program)?,
                _ => NAME,
            },
            project: match self {
                Self::Client("cursor" | "vscode") => Some(FOLDER),
                _ if host.is_users() && !host.starts_in_project => Some(text(&cx.root)?),
                _ => None,
            },
            is_shared: host.is_users() && host.starts_in_project,
            ..server
        };
        Ok(Edit::add(file, server.entry()))
    }

    /// The JSON that it reads, if that is known.
    fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Gemini | Self::GeminiCommands | Self::GeminiMcp => Some(Dialect::Comments),
            Self::Client(key) => McpHost::of_key(key).map(|host| host.dialect),
            Self::GeminiExtension | Self::Agents => None,
        }
    }

    /// The document of the project that it gives to models.
    pub(crate) fn document(self) -> Option<&'static str> {
        match self {
            Self::Gemini | Self::GeminiCommands | Self::GeminiMcp | Self::GeminiExtension => {
                Some("GEMINI.md")
            }
            Self::Client("claude-code") => Some("CLAUDE.md"),
            Self::Client("claude-desktop") => None,
            Self::Client(_) | Self::Agents => Some("AGENTS.md"),
        }
    }

    /// The name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::GeminiCommands => "gemini-commands",
            Self::GeminiMcp => "gemini-mcp",
            Self::GeminiExtension => "gemini-extension",
            Self::Client(key) => key,
            Self::Agents => "agents",
        }
    }
}

/// The changes to the files of `hosts`, or every problem that prevents them.
pub(crate) fn steps(cx: &SetupContext, hosts: &[Host]) -> Result<Vec<Step>, Vec<Diagnostic>> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    // The files of agents are texts about the tools.
    for host in hosts.iter().filter(|host| **host != Host::Agents) {
        match host.edit(cx) {
            Ok(edit) => {
                let dialect = host.dialect();
                join(Edit { dialect, ..edit }, &mut edits);
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    let mut steps: Vec<Step> = Vec::new();
    for edit in &edits {
        match edit.plan(&cx.root) {
            Ok(step) => steps.push(step),
            Err(error) => diagnostics.extend(error.diagnostics()),
        }
    }
    if hosts.contains(&Host::GeminiExtension) {
        match extension::context(cx) {
            Ok(step) => steps.extend(step),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    fail_on(diagnostics)?;
    Ok(steps)
}

/// Adds `edit` to `edits`, merged with an edit of the same file.
fn join(edit: Edit, edits: &mut Vec<Edit>) {
    let same = edits.iter_mut().find(|other| other.file == edit.file);
    match same {
        Some(other) => {
            other.wanted.extend(edit.wanted);
            other.entry = other.entry.take().or(edit.entry);
        }
        None => edits.push(edit),
    }
}

/// `path` as text, for a configuration file.
fn text(path: &Path) -> Result<&str, Box<Diagnostic>> {
    path.to_str().ok_or_else(|| {
        let message = "the path is not UTF-8, so a configuration file cannot contain it";
        Box::new(
            Diagnostic::new(Code::InvalidConfig, message)
                .with_subject(path.display().to_string())
                .hint("move the project to a path that is valid UTF-8"),
        )
    })
}

fn unknown_home(host: Host) -> Diagnostic {
    let name = host.name();
    let message =
        format!("the configuration of {name} is in your home directory, which is unknown");
    let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    Diagnostic::new(Code::IoFailed, message).hint(format!("set {variable} to an absolute path"))
}
