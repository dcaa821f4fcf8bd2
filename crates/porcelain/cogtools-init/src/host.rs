//! The hosts that can be configured, and the configuration of each.
//!
//! [`McpHost`] has file locations and formats; where possible, the tests run the host
//! itself.

use std::path::Path;

use cogtools_core::{Code, Diagnostic};
use cogtools_edit::{Edit, Step};
use cogtools_gemini_cli::connection::SERVERS;
use cogtools_gemini_cli::{EntryForm, McpHost, Paths, command};

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
    /// Claude Code, in the project.
    ClaudeCode,
    /// Claude Desktop, for the user.
    ClaudeDesktop,
    /// Cursor, in the project.
    Cursor,
    /// Visual Studio Code, in the project.
    VsCode,
    /// Codex, for the user.
    Codex,
    /// opencode, in the project.
    OpenCode,
    /// Qwen Code, in the project.
    Qwen,
    /// GitHub Copilot CLI, in the project.
    Copilot,
    /// Goose, for the user.
    Goose,
    /// Crush, in the project.
    Crush,
    /// Zed, in the project.
    Zed,
    /// Antigravity, in the project.
    Antigravity,
    /// Every agent that reads AGENTS.md and .agents/skills, in the project.
    Agents,
}

/// The variable that editors replace with the project's folder.
const FOLDER: &str = "${workspaceFolder}";

impl Host {
    /// Every host with its name.
    pub(crate) const ALL: [(&'static str, Self); 17] = [
        ("gemini", Self::Gemini),
        ("gemini-commands", Self::GeminiCommands),
        ("gemini-mcp", Self::GeminiMcp),
        ("gemini-extension", Self::GeminiExtension),
        ("claude-code", Self::ClaudeCode),
        ("claude-desktop", Self::ClaudeDesktop),
        ("cursor", Self::Cursor),
        ("vscode", Self::VsCode),
        ("codex", Self::Codex),
        ("opencode", Self::OpenCode),
        ("qwen", Self::Qwen),
        ("copilot", Self::Copilot),
        ("goose", Self::Goose),
        ("crush", Self::Crush),
        ("zed", Self::Zed),
        ("antigravity", Self::Antigravity),
        ("agents", Self::Agents),
    ];

    /// The host of that name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, host)| host)
    }

    /// The change to its configuration.
    fn edit(self, cx: &SetupContext) -> Result<Edit, Box<Diagnostic>> {
        let name = cx.name.as_deref().unwrap_or(NAME);
        let server = Server {
            table: SERVERS,
            name,
            command: NAME,
            project: None,
            is_shared: false,
            options: Vec::new(),
            form: EntryForm::Standard,
        };
        match self {
            Self::GeminiCommands => return Ok(command::edit()),
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
                Self::ClaudeDesktop => text(&cx.program)?,
                _ => NAME,
            },
            project: match self {
                Self::Cursor | Self::VsCode => Some(FOLDER),
                _ if host.is_users() && !host.starts_in_project => Some(text(&cx.root)?),
                _ => None,
            },
            is_shared: host.is_users() && host.starts_in_project,
            ..server
        };
        Ok(Edit::add(file, server.entry()))
    }

    /// The document of the project that it gives to models.
    pub(crate) const fn document(self) -> Option<&'static str> {
        match self {
            Self::Gemini | Self::GeminiCommands | Self::GeminiMcp | Self::GeminiExtension => {
                Some("GEMINI.md")
            }
            Self::ClaudeCode => Some("CLAUDE.md"),
            Self::Cursor
            | Self::VsCode
            | Self::Codex
            | Self::OpenCode
            | Self::Copilot
            | Self::Goose
            | Self::Crush
            | Self::Zed
            | Self::Antigravity
            | Self::Agents
            | Self::Qwen => Some("AGENTS.md"),
            Self::ClaudeDesktop => None,
        }
    }

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(_, host)| *host == self)
            .map_or("", |(name, _)| name)
    }
}

/// The changes to the files of `hosts`, or every problem that prevents them.
pub(crate) fn steps(cx: &SetupContext, hosts: &[Host]) -> Result<Vec<Step>, Vec<Diagnostic>> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    // The files of agents are texts about the tools.
    for host in hosts.iter().filter(|host| **host != Host::Agents) {
        match host.edit(cx) {
            Ok(edit) => join(edit, &mut edits),
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
    if diagnostics.is_empty() {
        Ok(steps)
    } else {
        Err(diagnostics)
    }
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
