//! The user's variables: those of the process that no host has loaded from a file of the
//! project.

use std::ffi::OsStr;
use std::path::Path;

use super::loaded::LoadedFiles;
use super::{BASE, EnvError, EnvPriority, Environment, Unread, Vars, may_be_loaded};

impl Environment {
    /// Like [`Self::child_env`], without the project's files, for this `reason`.
    pub(super) fn child_env_of_process(
        &self,
        names: &[String],
        reason: Unread,
    ) -> Result<Vars, EnvError> {
        let declared = names.iter().map(String::as_str);
        let child_env = self.user_vars(BASE.iter().copied().chain(declared));
        let is_missing = |name: &&String| !child_env.contains_key(OsStr::new(name));
        let missing: Vec<String> = names.iter().filter(is_missing).cloned().collect();
        match missing.is_empty() {
            true => Ok(child_env),
            false if self.has_file() => Err(EnvError::Unread(missing, reason)),
            false => Err(EnvError::Missing(missing)),
        }
    }

    /// Whether there is a file that is not read.
    fn has_file(&self) -> bool {
        let mut files = self.folders.iter().map(|folder| folder.join(Self::FILE));
        self.priority != EnvPriority::ProcessOnly && files.any(|file| file.is_file())
    }

    /// Like [`Self::child_env`], for a program that the user's own configuration
    /// brings: it sees the user's variables only, neither those of the project's `.env`
    /// nor those that a host has loaded from it into the process.
    pub fn user_env(&self, names: &[String]) -> Result<Vars, EnvError> {
        let declared = names.iter().map(String::as_str);
        let child_env = self.user_vars(BASE.iter().copied().chain(declared));
        let missing: Vec<String> = names
            .iter()
            .filter(|name| !child_env.contains_key(OsStr::new(name)))
            .cloned()
            .collect();
        if missing.is_empty() {
            return Ok(child_env);
        }
        // Only for the message: whether the file is disabled does not matter.
        let file = self.read().ok().flatten();
        let of_project = |name: &String| self.lookup(name, file.as_ref()).is_some();
        if missing.iter().all(of_project) {
            Err(EnvError::OfProject(missing))
        } else {
            Err(EnvError::OfUser(missing))
        }
    }

    /// Those of the variables `names` that the process has, and that no host has loaded
    /// from a file of the project.
    pub fn user_vars<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vars {
        let mut files = None;
        let home = self.process.get(OsStr::new("HOME"));
        let home = home.filter(|home| !may_be_loaded(&self.directory, "HOME", home));
        let home = home.map(Path::new);
        names
            .into_iter()
            .filter_map(|name| {
                let (key, value) = self.process.get_key_value(OsStr::new(name))?;
                let files = files.get_or_insert_with(|| LoadedFiles::above(&self.directory, home));
                (!files.may_set(name, value)).then(|| (key.clone(), value.clone()))
            })
            .collect()
    }
}
