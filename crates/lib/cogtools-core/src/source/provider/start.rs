//! Where the programs of a provider start, and what they can find there.
//!
//! Programs that the user has configured run in every project, also in one whose
//! author is hostile. Many load code from the working directory or from folders on
//! PATH (`python3 -m`, `npx`), so they start outside the project.

use std::any::Any;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::approval::{ApprovedFiles, CopiedFiles};
use super::directory::{directory, is_inside};
use super::{Provider, ProviderError, Server, Settings, recursion};
use crate::Context;
use crate::environment::{EnvError, Vars};
use crate::process::Process;
use crate::resident::ServerStart;

/// The folder of npm's packages.
const MODULES: &str = "node_modules";
/// Variables that tell where the user works, and the prefix of those that
/// npm sets for scripts of a project.
const PROJECT_VARS: [&str; 3] = ["PWD", "OLDPWD", "INIT_CWD"];
const NPM_PREFIX: &str = "npm_";

impl Provider {
    /// Runs one of its command lines, with more arguments, from the copy of the `approved`
    /// files.
    pub(super) fn process(
        &self,
        (line, more): (&[String], &[String]),
        approved: &ApprovedFiles,
        mut variables: Vars,
        cx: &Context,
    ) -> Result<Process, ProviderError> {
        let program = line.first();
        let program = program.ok_or_else(|| ProviderError::NotFound(self.name(), String::new()))?;
        let directory = directory(&self.settings, cx);
        self.check_relative(program)?;
        let copy = approved.copy(self, cx)?;
        let own: Vec<PathBuf> = copy.iter().map(CopiedFiles::folder).collect();
        let mut line = line.to_vec();
        if let Some(copy) = &copy {
            match &self.settings.server {
                Some(server) => {
                    let line = copy.relocate(server.command());
                    let description = server.description_with(&line);
                    variables.insert(Server::VARIABLE.into(), description.into());
                }
                None => line = copy.relocate(&line),
            }
        }
        let program = line.remove(0);
        let (file, subcommand) = if self.settings.server.is_some() {
            Server::program(cx).map(|(file, subcommand)| (file, Some(subcommand)))
        } else {
            let path = variables.get(OsStr::new("PATH"));
            let found = which::which_in(&program, path, &directory);
            found.ok().map(|file| (file, None))
        }
        .ok_or_else(|| ProviderError::NotFound(self.name(), program.clone()))?;
        let args = subcommand
            .into_iter()
            .chain(line.iter().chain(more).map(String::as_str));
        let process = Process::new(&file, &directory).args(args);
        let process = match self.sandbox(cx)? {
            None => process.confinement(cx.confinement()),
            Some(run) => self.confined(process, &run, (&file, &own), &mut variables, cx)?,
        };
        Ok(process.variables(variables))
    }

    /// Prepares its server for a client in this process, as [`Self::process`] does for one in
    /// another process.
    pub(super) fn server_start(
        &self,
        approved: &ApprovedFiles,
        variables: Vars,
        cx: &Context,
    ) -> Result<ServerStart, ProviderError> {
        let line = [Server::PROGRAM.to_owned()];
        let process = self.process((&line, &[]), approved, variables, cx)?;
        let (directory, mut variables, confinement, folder) = process.into_parts();
        let description = variables.remove(OsStr::new(Server::VARIABLE));
        Ok(ServerStart {
            description: description
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            variables,
            directory,
            confinement,
            folder: folder.map(|folder| -> Arc<dyn Any + Send + Sync> { folder }),
        })
    }

    /// Fails if its program is a relative path, but it does not start in the project.
    fn check_relative(&self, program: &str) -> Result<(), ProviderError> {
        let settings = &self.settings;
        let program = match &settings.server {
            Some(server) => server.command().first().map(String::as_str),
            None => Some(program),
        };
        match program.filter(|program| settings.is_neutral() && is_relative(program)) {
            Some(program) => Err(ProviderError::Relative(self.name(), program.to_owned())),
            None => Ok(()),
        }
    }

    /// The environment of its programs.
    pub(crate) fn variables(&self, cx: &Context) -> Result<Vars, ProviderError> {
        let settings = &self.settings;
        let failed = |error: EnvError| ProviderError::Env(self.name(), error);
        let mut variables = if settings.user_configured {
            check_names(settings).map_err(failed)?;
            cx.environment.user_env(&settings.env).map_err(failed)?
        } else {
            cx.child_env(&settings.env).map_err(failed)?
        };
        // What a name finds must be a program of the system, which no approval covers.
        clean_path(&mut variables, cx);
        if let Some(server) = &settings.server {
            server.add_to(&mut variables, cx);
        }
        recursion::add_to(&mut variables, cx);
        Ok(variables)
    }
}

/// Whether a program is a path that depends on the working directory; a mere name is
/// searched on PATH.
pub(super) fn is_relative(program: &str) -> bool {
    let path = Path::new(program);
    let is_path = program.contains('/') || cfg!(windows) && program.contains('\\');
    !path.is_absolute() && (is_path || [".", ".."].contains(&program))
}

/// Fails if the provider declares variables that would lead it into the project.
pub(super) fn check_names(settings: &Settings) -> Result<(), EnvError> {
    let leads_there =
        |name: &&String| PROJECT_VARS.contains(&name.as_str()) || name.starts_with(NPM_PREFIX);
    let names = settings.env.iter().filter(leads_there);
    let names: Vec<String> = names.filter(|_| settings.is_neutral()).cloned().collect();
    if names.is_empty() {
        Ok(())
    } else {
        Err(EnvError::Neutral(names))
    }
}

/// Removes from PATH what may contain programs of the project: entries that are empty
/// or relative, in the project, or in a folder of packages.
pub fn clean_path(variables: &mut Vars, cx: &Context) {
    let name = OsStr::new("PATH");
    let Some(path) = variables.remove(name) else {
        return;
    };
    let home = cx.environment.process().get(OsStr::new("HOME"));
    // A project that contains the home directory is the user's own.
    let is_own = home.is_some_and(|home| is_inside(Path::new(home), &cx.root));
    let is_foreign = |entry: &Path| {
        let real = entry.canonicalize();
        let mut ends = std::iter::once(entry).chain(real.as_deref().ok());
        ends.any(in_modules) || !is_own && is_inside(entry, &cx.root)
    };
    let entries = env::split_paths(&path).filter(|entry| entry.is_absolute() && !is_foreign(entry));
    // The entries come from a path, so that they can be joined.
    if let Ok(path) = env::join_paths(entries) {
        variables.insert(name.to_owned(), path);
    }
}

fn in_modules(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == MODULES)
}
