//! The environment in which the doctor and the programs that it starts run.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cogtools_core::Cancel;
use cogtools_core::trust::Verdict;
use cogtools_edit::host::connection::{runs_cogtools, servers};
use cogtools_edit::host::install::{self, Installation};
use cogtools_edit::host::policy::Policies;
use cogtools_edit::host::settings::{File, Settings};
use cogtools_edit::host::{Paths, Trust, Vars, Version};
use cogtools_program::Io;
use cogtools_program::project::{project, trust};

use crate::checks::selection::texts;
use crate::program::{first_line, run};

/// The directories and the environment that all programs run with.
#[derive(Debug)]
pub(crate) struct Host {
    /// The root of the project, in which hosts are started.
    pub(crate) root: PathBuf,
    /// The directory in which the doctor was started.
    pub(crate) cwd: PathBuf,
    /// The environment, which every host and every tool would inherit.
    pub(crate) vars: Vars,
    /// The folder that contains the programs of cogtools.
    pub(crate) programs: PathBuf,
    /// The root with links resolved, if the user does not trust the project.
    untrusted: Option<PathBuf>,
    /// Cancels the programs that are running.
    pub(crate) cancel: Cancel,
}

impl Host {
    /// The host that `io` describes.
    pub(crate) fn new(io: &Io<'_>) -> Self {
        let root = project(io).root().to_path_buf();
        let is_trusted = trust(io).project_verdict(&root);
        let is_trusted = is_trusted.is_ok_and(|verdict| verdict == Verdict::Approved);
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        // A project that contains the home directory does not contain the user's programs.
        let home = io
            .var("HOME")
            .and_then(|home| Path::new(home).canonicalize().ok());
        let has_home = home.is_some_and(|home| home.starts_with(&real));
        Self {
            root,
            untrusted: (!is_trusted && !has_home).then_some(real),
            cwd: io.cwd.clone(),
            vars: io.vars.clone(),
            programs: io.program.parent().unwrap_or(Path::new("")).to_path_buf(),
            cancel: io.signals.begin(),
        }
    }

    /// The program `cogtools` beside this one.
    pub(crate) fn cogtools(&self) -> PathBuf {
        self.programs
            .join(format!("cogtools{}", env::consts::EXE_SUFFIX))
    }

    /// Returns true if `program` may be started: it is not one of a project that is not trusted.
    pub(crate) fn may_start(&self, program: &Path) -> bool {
        let Some(root) = &self.untrusted else {
            return true;
        };
        let real = program.canonicalize();
        let is_outside = |path: &Path| path.is_absolute() && !path.starts_with(root);
        let is_outside = is_outside(program) && real.is_ok_and(|real| is_outside(&real));
        is_outside && !program.starts_with(&self.root) && !is_in_modules_above(program, root)
    }

    /// The environment of programs. Those that they start are not the project's, either.
    pub(crate) fn program_vars(&self) -> Vars {
        let mut vars = self.vars.clone();
        let Some(path) = vars
            .get(OsStr::new("PATH"))
            .filter(|_| self.untrusted.is_some())
        else {
            return vars;
        };
        let entries = env::split_paths(path).filter(|entry| self.may_start(entry));
        let entries = env::join_paths(entries).unwrap_or_default();
        vars.insert("PATH".into(), entries);
        vars
    }
}

/// Returns true if `program` is in the `node_modules` of a folder above the project.
fn is_in_modules_above(program: &Path, root: &Path) -> bool {
    let mut above = root.ancestors().skip(1);
    above.any(|folder| program.starts_with(folder.join("node_modules")))
}

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
        let mut lists = keys.iter().filter_map(|key| self.settings.get(key));
        lists.any(|(list, _)| texts(list).contains(&tool))
    }
}

/// Every `gemini`. One whose package does not contain its version is run to get it,
/// unless it belongs to an untrusted project, which must not choose what runs.
fn installations(trust: &Trust, host: &Host) -> Vec<Installation> {
    let mut installations = install::find(&host.root, &host.vars);
    for installation in &mut installations {
        if installation.version.is_none() && (installation.on_path || trust.is_trusted()) {
            installation.version = run(&installation.program, ["--version"], b"", host)
                .ok()
                .and_then(|output| Version::parse(&first_line(&output.stdout.bytes)));
        }
    }
    installations
}
