//! A program of the user's system, such as npm or git: found on PATH, where the project cannot
//! put a program of its own, and run without the variables of the project's `.env`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cogtools_core::environment::{LoadedFiles, Vars};
use cogtools_core::process::{Confinement, Process};
use cogtools_core::source::clean_path;
use cogtools_core::{Code, Context, Diagnostic, Environment};

use crate::project::project;
use crate::{Io, dirs};

/// A program that was found.
#[derive(Clone, Debug)]
pub struct SystemProgram {
    /// Its file.
    pub file: PathBuf,
    variables: Vars,
    confinement: Confinement,
}

impl SystemProgram {
    /// Finds `name` for the project at `root`; `None` if only the project, its packages or
    /// another user have such a program.
    pub fn find(name: &str, root: &Path, io: &Io<'_>) -> Option<Self> {
        let cx = Context {
            root: root.to_path_buf(),
            environment: Environment::new(io.vars.clone()),
            ..Context::default()
        };
        let mut variables = own_variables(io);
        clean_path(&mut variables, &cx);
        let path = variables.get(OsStr::new("PATH"));
        let owners = dirs::config_paths(io).owners;
        let is_ours = |file: &PathBuf| {
            let folder = file.parent().unwrap_or(file);
            owners.check(file, folder).is_ok() && owners.check(folder, folder).is_ok()
        };
        let mut found = which::which_in_all(name, path, root).ok()?;
        let file = found.find(is_ours)?;
        Some(Self {
            file,
            variables,
            confinement: Confinement::new(io.program.parent()),
        })
    }

    /// The program, for the terminal of this process, in its directory.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        command.env_clear().envs(&self.variables);
        command
    }

    /// The program, about to be run in `directory`.
    pub fn process(&self, directory: &Path) -> Process {
        Process::new(&self.file, directory)
            .variables(self.variables.clone())
            .confinement(self.confinement.clone())
    }
}

/// The programs that open a file or a URL in the browser.
const OPENERS: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["explorer"]
} else {
    &["xdg-open", "gio-open", "sensible-browser"]
};

/// Opens `place`, a file or a URL, in the user's browser, and does not wait for it.
///
/// # Errors
/// `IO_FAILED` if no program opens it.
pub fn open_in_browser(place: &OsStr, io: &Io<'_>) -> Result<(), Box<Diagnostic>> {
    let failed = |message| Box::new(Diagnostic::new(Code::IoFailed, message));
    let project = project(io);
    let find = |name: &&str| SystemProgram::find(name, project.root(), io);
    let program = OPENERS.iter().find_map(find).ok_or_else(|| {
        let names = OPENERS.join(", ");
        failed(format!("there is no program that opens a browser: {names}"))
    })?;
    let mut command = program.command();
    command.arg(place).stdin(Stdio::null());
    let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.map(drop).map_err(|error| {
        let file = program.file.display();
        failed(format!("`{file}` cannot be started: {error}"))
    })
}

/// The variables of this process, without those that a host may have loaded from a project's
/// `.env`: some of them tell a program what to run.
pub(crate) fn own_variables(io: &Io<'_>) -> Vars {
    let loaded = LoadedFiles::above(&io.cwd, None);
    let is_own = |name: &OsStr, value: &OsStr| {
        let name = name.to_str();
        name.is_some_and(|name| !loaded.may_set(name, value))
    };
    let vars = io.vars.iter().filter(|(name, value)| is_own(name, value));
    let mut vars: Vars = vars
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if let Some(home) = dirs::home(io) {
        vars.insert("HOME".into(), home.into());
    }
    vars
}
