//! Gemini CLI as it would start from here: its installations and what they read.

use cogtools_gemini_cli::install::{self, Installation};
use cogtools_gemini_cli::policy::Policies;
use cogtools_gemini_cli::settings::Settings;
use cogtools_gemini_cli::{Places, Trust, Version};
use serde_json::Value;

use crate::host::Host;
use crate::process;

/// What there is of Gemini CLI.
#[derive(Debug)]
pub(crate) struct Gemini {
    pub(crate) places: Places,
    /// Every installation, the one that starts here first.
    pub(crate) installations: Vec<Installation>,
    pub(crate) settings: Settings,
    pub(crate) trust: Trust,
    pub(crate) policies: Policies,
}

impl Gemini {
    /// Reads what Gemini CLI reads on `host`.
    pub(crate) fn gather(host: &Host) -> Self {
        let places = Places::new(&host.root, &host.vars);
        let settings = Settings::read(&places, &host.vars);
        let trust = Trust::of(&places, &settings, &host.vars);
        Self {
            installations: installations(&trust, host),
            policies: Policies::read(&places.policies()),
            trust,
            settings,
            places,
        }
    }

    /// The version of the `gemini` that starts here, or the newest known one.
    pub(crate) fn version(&self) -> Version {
        let mut versions = self.installations.iter().filter_map(|one| one.version);
        versions.next().unwrap_or(Version::KNOWN)
    }

    /// Every version found, the one that starts here first, each once.
    pub(crate) fn versions(&self) -> Vec<Version> {
        let mut versions = vec![self.version()];
        for version in self.installations.iter().filter_map(|one| one.version) {
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
        versions
    }

    /// The discovery command as the Gemini CLI that starts here knows it.
    pub(crate) fn discovery_command(&self) -> Option<&str> {
        let [discovery, _] = self.version().generation().keys();
        self.command(discovery)
    }

    /// The call command as the Gemini CLI that starts here knows it.
    pub(crate) fn call_command(&self) -> Option<&str> {
        let [_, call] = self.version().generation().keys();
        self.command(call)
    }

    fn command(&self, key: &str) -> Option<&str> {
        let (value, _) = self.settings.get(key)?;
        value.as_str().filter(|value| !value.trim().is_empty())
    }

    /// Whether some settings list names the tool.
    pub(crate) fn lists(&self, keys: &[&str], tool: &str) -> bool {
        keys.iter()
            .filter_map(|key| self.settings.get(key)?.0.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .any(|name| name == tool)
    }
}

/// Every `gemini`; one whose package does not tell its version is asked, unless
/// it belongs to the project, which must not choose what runs here.
fn installations(trust: &Trust, host: &Host) -> Vec<Installation> {
    let mut found = install::find(&host.root, &host.vars);
    for one in &mut found {
        if one.version.is_none() && (one.on_path || trust.is_given()) {
            one.version = process::run(&one.program, &["--version"], b"", host)
                .ok()
                .and_then(|output| Version::parse(&process::first_line(&output.stdout)));
        }
    }
    found
}
