//! Gemini CLI as it would start from here: its installations and what they read.

use cogtools_gemini_cli::connection::{runs_cogtools, servers};
use cogtools_gemini_cli::install::{self, Installation};
use cogtools_gemini_cli::policy::Policies;
use cogtools_gemini_cli::settings::{File, Settings};
use cogtools_gemini_cli::{Paths, Trust, Version};
use serde_json::Value;

use crate::host::Host;
use crate::process;

/// The installations of Gemini CLI and their configuration.
#[derive(Debug)]
pub(crate) struct Gemini {
    pub(crate) paths: Paths,
    /// Every installation, the one that starts here first.
    pub(crate) installations: Vec<Installation>,
    pub(crate) settings: Settings,
    pub(crate) trust: Trust,
    pub(crate) policies: Policies,
}

impl Gemini {
    /// Reads what Gemini CLI reads on `host`.
    pub(crate) fn gather(host: &Host) -> Self {
        let paths = Paths::new(&host.root, &host.vars);
        let settings = Settings::read(&paths, &host.vars);
        let trust = Trust::of(&paths, &settings, &host.vars);
        Self {
            installations: installations(&trust, host),
            policies: Policies::read(&paths.policies()),
            trust,
            settings,
            paths,
        }
    }

    /// The version of the `gemini` that starts here, or the newest known one.
    pub(crate) fn version(&self) -> Version {
        let mut versions = self.installations.iter().filter_map(|it| it.version);
        versions.next().unwrap_or(Version::KNOWN)
    }

    /// Every version found, the one that starts here first, each once.
    pub(crate) fn versions(&self) -> Vec<Version> {
        let mut versions = vec![self.version()];
        for version in self.installations.iter().filter_map(|it| it.version) {
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
        versions
    }

    /// The discovery command of the Gemini CLI that starts here.
    pub(crate) fn discovery_command(&self) -> Option<&str> {
        let [discovery, _] = self.version().generation().keys();
        self.command(discovery)
    }

    /// The call command of the Gemini CLI that starts here.
    pub(crate) fn call_command(&self) -> Option<&str> {
        let [_, call] = self.version().generation().keys();
        self.command(call)
    }

    /// The name of our MCP server in the settings, and its file, if there is one.
    pub(crate) fn server(&self) -> Option<(&str, &File)> {
        self.settings.files.iter().rev().find_map(|file| {
            let settings = file.value.as_ref().ok()?;
            let (name, _) = servers(settings).find(|(_, server)| runs_cogtools(server))?;
            Some((name.as_str(), file))
        })
    }

    /// Returns true if Gemini CLI gets the tools from our MCP server, and not from commands.
    pub(crate) fn uses_server(&self) -> bool {
        self.discovery_command().is_none()
            && self.call_command().is_none()
            && self.server().is_some()
    }

    /// The prefix of the names under which Gemini CLI declares our tools.
    pub(crate) fn prefix(&self) -> String {
        match self.server() {
            Some((name, _)) if self.uses_server() && self.version().updates_servers() => {
                format!("mcp_{name}_")
            }
            _ => self.version().prefix().to_owned(),
        }
    }

    fn command(&self, key: &str) -> Option<&str> {
        let (value, _) = self.settings.get(key)?;
        value.as_str().filter(|value| !value.trim().is_empty())
    }

    /// Returns true if one of the settings lists `keys` names `tool`.
    pub(crate) fn lists(&self, keys: &[&str], tool: &str) -> bool {
        keys.iter()
            .filter_map(|key| self.settings.get(key)?.0.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .any(|name| name == tool)
    }
}

/// Every `gemini`. One whose package does not contain its version is run to get it,
/// unless it belongs to an untrusted project, which must not choose what runs.
fn installations(trust: &Trust, host: &Host) -> Vec<Installation> {
    let mut installations = install::find(&host.root, &host.vars);
    for installation in &mut installations {
        if installation.version.is_none() && (installation.on_path || trust.is_trusted()) {
            installation.version = process::run(&installation.program, &["--version"], b"", host)
                .ok()
                .and_then(|output| Version::parse(&process::first_line(&output.stdout)));
        }
    }
    installations
}
