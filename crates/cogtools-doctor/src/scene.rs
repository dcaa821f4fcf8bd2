//! What all checks look at, gathered once.

use std::path::{Path, PathBuf};

use cogtools_core::{Cancel, Project};
use cogtools_gemini_cli::install::{self, Installation};
use cogtools_gemini_cli::policy::Policies;
use cogtools_gemini_cli::settings::Settings;
use cogtools_gemini_cli::{Places, Trust, Vars, Version};
use cogtools_program::Io;
use cogtools_program::project::project;
use serde_json::Value;

use crate::checks;
use crate::discovery::{Discovery, discover};
use crate::finding::Finding;
use crate::process;
use crate::tools::Tools;

/// A project, its hosts and their settings.
#[derive(Debug)]
pub(crate) struct Scene {
    project: Project,
    /// The directory in which the doctor was called.
    pub(crate) cwd: PathBuf,
    /// The environment, which every host and every tool would inherit.
    pub(crate) vars: Vars,
    /// The folder of the programs that the doctor belongs to.
    pub(crate) programs: PathBuf,
    pub(crate) places: Places,
    pub(crate) installations: Vec<Installation>,
    pub(crate) settings: Settings,
    pub(crate) trust: Trust,
    pub(crate) policies: Policies,
    pub(crate) tools: Tools,
    pub(crate) discovery: Discovery,
    /// What there is to say of sources that need the user's word.
    pub(crate) sources: Vec<Finding>,
    /// Who ends the programs that are run.
    pub(crate) cancel: Cancel,
}

impl Scene {
    /// Looks around.
    pub(crate) fn look(io: &Io<'_>) -> Self {
        let project = project(io);
        let places = Places::new(project.root(), &io.vars);
        let settings = Settings::read(&places, &io.vars);
        let mut scene = Self {
            cwd: io.cwd.clone(),
            vars: io.vars.clone(),
            programs: io.program.parent().unwrap_or(Path::new("")).to_path_buf(),
            installations: Vec::new(),
            trust: Trust::of(&places, &settings, &io.vars),
            policies: Policies::read(&places.policies()),
            tools: Tools::load(io),
            sources: checks::sources::look(io),
            discovery: Discovery::NotRun(String::new()),
            settings,
            places,
            project,
            cancel: io.signals.begin(),
        };
        scene.installations = installations(&scene);
        scene.discovery = discover(&scene);
        scene
    }

    /// The directory that hosts are started in.
    pub(crate) fn root(&self) -> &Path {
        self.project.root()
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
        self.command(0)
    }

    /// The call command as the Gemini CLI that starts here knows it.
    pub(crate) fn call_command(&self) -> Option<&str> {
        self.command(1)
    }

    fn command(&self, which: usize) -> Option<&str> {
        let key = self.version().generation().keys()[which];
        let value = self.settings.get(key).and_then(|(value, _)| value.as_str());
        value.filter(|value| !value.trim().is_empty())
    }

    /// The names of the tools that a host knows; where discovery was not run,
    /// those that it would declare.
    pub(crate) fn names(&self) -> Vec<String> {
        match &self.discovery {
            Discovery::Done { names, .. } => names.clone(),
            _ => self
                .tools
                .valid()
                .map(|tool| tool.name().to_string())
                .collect(),
        }
    }

    /// Whether some settings list names the tool.
    pub(crate) fn lists(&self, keys: &[&str], tool: &str) -> bool {
        let lists = keys
            .iter()
            .filter_map(|key| self.settings.get(key)?.0.as_array());
        lists
            .flatten()
            .filter_map(Value::as_str)
            .any(|name| name == tool)
    }
}

/// Every `gemini`; one whose package does not tell its version is asked, unless
/// it belongs to the project, which must not choose what runs here.
fn installations(scene: &Scene) -> Vec<Installation> {
    let mut found = install::find(scene.root(), &scene.vars);
    for one in &mut found {
        if one.version.is_none() && (one.on_path || scene.trust.is_given()) {
            let ran = process::run(&one.program, &["--version"], b"", scene);
            one.version = ran
                .ok()
                .and_then(|ran| Version::parse(&process::first_line(&ran.stdout)));
        }
    }
    found
}
