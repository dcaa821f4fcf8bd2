//! The environment variables that a tool may see.
//!
//! They come from the process and from the project's `.env`, the nearest one from the
//! current directory up to the root. For a tool, the file is read only when it asks for
//! a variable.

mod denylist;
mod dotenv;
mod private;
mod secret;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Formatter};
use std::path::{Path, PathBuf};

use cogtools_document::file::descends;
use cogtools_document::hint::{Command, Hint};
use cogtools_document::text::TextError;
use cogtools_document::{Code, Diagnostic, quoted};
use schemars::JsonSchema;
use serde::Deserialize;

pub use denylist::{is_dangerous, refusal};
pub use dotenv::{DotEnv, DotEnvError, LoadedFiles, Variable, host_files};
pub use private::{PrivateVariable, PrivateVariables};
pub use secret::{has_password, is_secret_name, may_have_secret, without_secrets};
pub use secret::{mask, texts as secret_texts};

use crate::owner::Owners;

/// Environment variables by name.
pub type Vars = BTreeMap<OsString, OsString>;

/// Which value takes precedence when both the process and the project's `.env` have
/// one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EnvPriority {
    /// The project's `.env`.
    #[default]
    Project,
    /// The process.
    Process,
    /// The process; `.env` is not read at all.
    #[serde(skip)]
    ProcessOnly,
}

/// Returns true if an environment variable may have the name.
pub fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The sources of environment variables.
#[derive(Clone, Default)]
pub struct Environment {
    process: Vars,
    folders: Vec<PathBuf>,
    display_path: PathBuf,
    priority: EnvPriority,
    unread: Option<Unread>,
    /// Where hosts search for files that they load into the process.
    directory: PathBuf,
    /// Whose `.env` is read.
    owners: Owners,
}

/// Why a project's `.env` is not read, although the configuration allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The user does not trust the project yet.
    Untrusted,
    /// It belongs to another user.
    Foreign,
}

/// A variable as a tool would see it.
#[derive(Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Its value.
    pub value: OsString,
    /// The file and the line that set it; `None` for a variable of the process.
    pub line: Option<(PathBuf, usize)>,
    /// True if the other source has a value too, which is ignored.
    pub shadows: bool,
}

/// Variables that every program needs to start, so that no tool has to declare them:
/// the search path, and on Windows the system's folders.
const BASE: &[&str] = if cfg!(windows) {
    &[
        "PATH",
        "PATHEXT",
        "SystemRoot",
        "ComSpec",
        "TEMP",
        "TMP",
        AGENT_DEPTH,
    ]
} else {
    &["PATH", AGENT_DEPTH]
};
/// The folder in which the agents of a flow count the money that they spend together.
pub const SHARED_MONEY: &str = "_COGTOOLS_MONEY";
/// Set in tests: tools make no requests, and have recorded responses.
pub const OFFLINE: &str = "_COGTOOLS_OFFLINE";
/// Number of agents that run within each other, so that they cannot call each other forever.
pub const AGENT_DEPTH: &str = "_COGTOOLS_AGENTS";

impl Environment {
    /// The name of the file.
    pub const FILE: &'static str = ".env";

    /// The environment of a process only.
    pub const fn new(process: Vars) -> Self {
        Self {
            process,
            folders: Vec::new(),
            display_path: PathBuf::new(),
            priority: EnvPriority::ProcessOnly,
            unread: None,
            directory: PathBuf::new(),
            owners: Owners {
                sudo: None,
                files: Vec::new(),
                home: None,
            },
        }
    }

    /// Sets whose `.env` is read.
    #[must_use]
    pub fn with_owners(mut self, owners: Owners) -> Self {
        self.owners = owners;
        self
    }

    /// Adds the `.env` of a project: the nearest from `directory` up to `root`, known
    /// to the user as `display_path`.
    #[must_use]
    pub fn with_dotenv(
        mut self,
        directory: &Path,
        root: &Path,
        display_path: &Path,
        priority: EnvPriority,
    ) -> Self {
        // `ROOT/../elsewhere` begins with the root but is not in it.
        let inside = |folder: &&Path| folder.strip_prefix(root).is_ok_and(descends);
        let folders = directory.ancestors().take_while(inside);
        self.folders = folders.map(Path::to_path_buf).collect();
        if self.folders.is_empty() {
            self.folders.push(root.to_path_buf());
        }
        self.display_path = display_path.to_path_buf();
        self.priority = priority;
        self.directory = directory.to_path_buf();
        self
    }

    /// Ignores the project's `.env`, and says why where a variable is missing.
    #[must_use]
    pub const fn without_dotenv(mut self, reason: Unread) -> Self {
        self.unread = Some(reason);
        self
    }

    /// Sets a variable of the process.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.process.insert(name.into(), value.into());
        self
    }

    /// The working directory, from which a project's `.env` is searched; empty if there is no
    /// project.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The variables of the process.
    pub const fn process(&self) -> &Vars {
        &self.process
    }

    /// The folder for temporary files, from the process's variables or the system.
    pub fn temp_dir(&self) -> PathBuf {
        let (names, default): (&[&str], _) = if cfg!(windows) {
            (&["TMP", "TEMP"], r"C:\Windows\Temp")
        } else {
            (&["TMPDIR"], "/tmp")
        };
        let folders = names
            .iter()
            .filter_map(|name| self.process.get(OsStr::new(name)));
        let mut folders = folders.map(PathBuf::from);
        let absolute = folders.find(|path| path.is_absolute());
        absolute.unwrap_or_else(|| PathBuf::from(default))
    }

    /// The project's `.env`, if it has one and it is not disabled.
    pub fn file(&self) -> Result<Option<DotEnv>, DotEnvError> {
        if self.priority == EnvPriority::ProcessOnly || self.unread.is_some() {
            return Ok(None);
        }
        self.read()
    }

    /// The project's `.env`, even if it is disabled.
    fn read(&self) -> Result<Option<DotEnv>, DotEnvError> {
        let Some(root) = self.folders.last() else {
            return Ok(None);
        };
        for folder in &self.folders {
            let below = folder.strip_prefix(root).unwrap_or(folder);
            let display_path = self.display_path.join(below).join(Self::FILE);
            let file = folder.join(Self::FILE);
            match DotEnv::read_owned(&file, &display_path, root, &self.owners) {
                Err(DotEnvError::Text(TextError::NotFound(_) | TextError::NotAFile(_))) => {}
                read => return read.map(Some),
            }
        }
        Ok(None)
    }

    /// Looks up the variable `name`, with `file` as returned by [`Self::file`].
    pub fn lookup(&self, name: &str, file: Option<&DotEnv>) -> Option<Resolved> {
        let process = self.process.get(OsStr::new(name));
        let dotenv = file.filter(|_| !is_dangerous(name));
        let dotenv = dotenv.and_then(|file| Some((file, file.get(name)?)));
        let shadows = process.is_some() && dotenv.is_some();
        let from_file = |(file, variable): (&DotEnv, &Variable)| Resolved {
            value: OsString::from(&variable.value),
            line: Some((file.display_path().to_path_buf(), variable.line)),
            shadows,
        };
        let from_process = |value: &OsString| Resolved {
            value: value.clone(),
            line: None,
            shadows,
        };
        match self.priority {
            EnvPriority::Project => dotenv.map(from_file).or(process.map(from_process)),
            _ => process.map(from_process).or(dotenv.map(from_file)),
        }
    }

    /// The environment of a program that declares `names`, with the variables that
    /// every program needs. The file is read only if there are names.
    pub fn child_env(&self, names: &[String]) -> Result<Vars, EnvError> {
        let base = BASE
            .iter()
            .filter_map(|name| self.process.get_key_value(OsStr::new(name)));
        let base = base.map(|(name, value)| (name.clone(), value.clone()));
        let mut child_env: Vars = base.collect();
        if names.is_empty() {
            return Ok(child_env);
        }
        if let Some(reason) = self.unread {
            return self.child_env_of_process(names, reason);
        }
        let file = match self.file() {
            // The user's own value counts, as without the file.
            Err(DotEnvError::Foreign(_)) => {
                return self.child_env_of_process(names, Unread::Foreign);
            }
            file => file?,
        };
        let mut missing = Vec::new();
        for name in names {
            match self.lookup(name, file.as_ref()) {
                Some(resolved) => drop(child_env.insert(name.into(), resolved.value)),
                None => missing.push(name.clone()),
            }
        }
        if missing.is_empty() {
            Ok(child_env)
        } else {
            Err(EnvError::Missing(missing))
        }
    }
}

impl Unread {
    /// The reason, as the end of a sentence.
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Untrusted => "this folder is not trusted yet",
            Self::Foreign => "it belongs to another user",
        }
    }
}

impl fmt::Debug for Environment {
    /// Never shows values: they may be secrets.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.process.keys().collect();
        write!(f, "{:?} {:?} {names:?}", self.priority, self.folders)
    }
}

impl Environment {
    /// Like [`Self::child_env`], without the project's files, for this `reason`.
    fn child_env_of_process(&self, names: &[String], reason: Unread) -> Result<Vars, EnvError> {
        self.user_child_env(names).map_err(|missing| {
            if self.has_file() {
                EnvError::Unread(missing, reason)
            } else {
                EnvError::Missing(missing)
            }
        })
    }

    /// The user's own variables among `names`, with the ones that every program needs; or the
    /// names of those that are missing.
    fn user_child_env(&self, names: &[String]) -> Result<Vars, Vec<String>> {
        let declared = names.iter().map(String::as_str);
        let child_env = self.user_vars(BASE.iter().copied().chain(declared));
        let is_missing = |name: &&String| !child_env.contains_key(OsStr::new(name));
        let missing: Vec<String> = names.iter().filter(is_missing).cloned().collect();
        if missing.is_empty() {
            Ok(child_env)
        } else {
            Err(missing)
        }
    }

    /// Returns true if there is a file that is not read.
    fn has_file(&self) -> bool {
        let mut files = self.folders.iter().map(|folder| folder.join(Self::FILE));
        self.priority != EnvPriority::ProcessOnly && files.any(|file| file.is_file())
    }

    /// Like [`Self::child_env`], for a program that the user's own configuration
    /// brings: it sees the user's variables only, neither variables of the project's `.env`
    /// nor variables that a host has loaded from it into the process.
    pub fn user_env(&self, names: &[String]) -> Result<Vars, EnvError> {
        self.user_child_env(names).map_err(|missing| {
            // Only for the message: whether the file is disabled does not matter.
            let file = self.read().ok().flatten();
            let of_project = |name: &String| self.lookup(name, file.as_ref()).is_some();
            if missing.iter().all(of_project) {
                EnvError::OfProject(missing)
            } else {
                EnvError::OfUser(missing)
            }
        })
    }

    /// Returns the variables among `names` that the process has, and that no host has loaded
    /// from a file of the project.
    pub fn user_vars<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vars {
        let mut files = None;
        let home = self.process.get(OsStr::new("HOME"));
        let home =
            home.filter(|home| !LoadedFiles::above(&self.directory, None).may_set("HOME", home));
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

/// Why the variables that a tool declares are not available.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// Neither the process nor `.env` sets them.
    #[error("the environment variable{} {} {} not set", plural(.0), quoted(.0), verb(.0))]
    Missing(Vec<String>),
    /// The process does not set them, and the project's `.env` is not read.
    #[error("the environment variable{} {} {} not set: the project's .env is not read, because {}", plural(.0), quoted(.0), verb(.0), .1.reason())]
    Unread(Vec<String>, Unread),
    /// Only the project sets them, and a source of the user's does not see that.
    #[error("the environment variable{} {} {} set by the project only, which sources in the user's own configuration do not see", plural(.0), quoted(.0), verb(.0))]
    OfProject(Vec<String>),
    /// The user has not set them, and `.env` does not matter.
    #[error("the environment variable{} {} {} not set", plural(.0), quoted(.0), verb(.0))]
    OfUser(Vec<String>),
    /// They lead into the project, where the program does not start.
    #[error("the environment variable{} {} {} not passed to programs that do not start in the project", plural(.0), quoted(.0), verb(.0))]
    Neutral(Vec<String>),
    /// `.env` cannot be used.
    #[error(transparent)]
    File(#[from] DotEnvError),
}

impl EnvError {
    /// The diagnostic to show. It names variables but never contains a value.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Missing(names) => {
                let name = names.first().map_or("", String::as_str);
                let hint = match refusal(name) {
                    Some(reason) => {
                        format!("set {name} in the environment; a project's .env may not: {reason}")
                    }
                    None => format!("set {name} in the environment, or add a line `{name}=…` to the project's .env"),
                };
                Diagnostic::new(Code::InvalidConfig, self.to_string())
                    .hint(hint)
                    .hint(Hint::run("", Command::EnvOrigins, " shows where each value comes from"))
            }
            // The file may have it.
            Self::Unread(_, Unread::Untrusted) => {
                let before = "to read it, trust the project: ";
                let hint = Hint::run(before, Command::TrustProject(None), "");
                Diagnostic::new(Code::InvalidConfig, self.to_string()).hint(hint)
            }
            Self::Unread(names, _) | Self::OfProject(names) | Self::OfUser(names) => {
                let name = names.first().map_or("", String::as_str);
                let hint = format!("set {name} in the environment, outside the project");
                Diagnostic::new(Code::InvalidConfig, self.to_string()).hint(hint)
            }
            Self::Neutral(_) => Diagnostic::new(Code::InvalidConfig, self.to_string())
                .hint("remove the name from `env`, or start the program in the project with `cwd: project`"),
            Self::File(error) => error.diagnostic(),
        }
    }
}

const fn plural(names: &[String]) -> &'static str {
    if names.len() == 1 { "" } else { "s" }
}

const fn verb(names: &[String]) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}
