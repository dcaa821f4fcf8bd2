//! The environment variables that a tool may see.
//!
//! They come from two places: the process, as its caller gives it, and the
//! project's `.env`, the nearest one from where the user stands up to the root.
//! The file is read only when a tool asks for a variable.

mod denylist;
mod dotenv;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Formatter};
use std::path::{Component, Path, PathBuf};

pub use denylist::is_dangerous;
pub use dotenv::{DotEnv, DotEnvError, Variable};

use crate::hint::{Command, Hint};
use crate::text::TextError;
use crate::{Code, Diagnostic};

/// Environment variables by name.
pub type Vars = BTreeMap<OsString, OsString>;

/// Whose value counts when the process and the project's `.env` both have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnvPriority {
    /// The project's `.env`.
    #[default]
    Project,
    /// The process.
    Process,
    /// The process, and `.env` is not even read.
    ProcessOnly,
}

/// Where the values of environment variables come from.
#[derive(Clone, Default)]
pub struct Environment {
    process: Vars,
    folders: Vec<PathBuf>,
    display_path: PathBuf,
    priority: EnvPriority,
}

/// A variable as a tool would see it.
#[derive(Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Its value.
    pub value: OsString,
    /// The file and the line that it stands in; none when the process has it.
    pub line: Option<(PathBuf, usize)>,
    /// Whether the other place has a value too, which does not count.
    pub shadows: bool,
}

/// Why a tool cannot be given the variables that it declares.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// Neither the process nor `.env` has them.
    #[error("the environment variable{} {} {} not set", plural(.0), quote_names(.0), verb(.0))]
    Missing(Vec<String>),
    /// `.env` cannot be used.
    #[error(transparent)]
    File(#[from] DotEnvError),
}

/// What every program needs in order to start at all, and what no tool has to
/// declare: where programs are, and on Windows where the system is.
const BASE: &[&str] = if cfg!(windows) {
    &["PATH", "PATHEXT", "SystemRoot", "ComSpec", "TEMP", "TMP"]
} else {
    &["PATH"]
};

impl Environment {
    /// The name of the file.
    pub const FILE: &'static str = ".env";

    /// The environment of a process.
    pub const fn new(process: Vars) -> Self {
        Self {
            process,
            folders: Vec::new(),
            display_path: PathBuf::new(),
            priority: EnvPriority::ProcessOnly,
        }
    }

    /// The same with the `.env` of a project: the nearest from `directory` up to
    /// `root`, which is known to its user as `display_path`.
    #[must_use]
    pub fn with_dotenv(
        mut self,
        directory: &Path,
        root: &Path,
        display_path: &Path,
        priority: EnvPriority,
    ) -> Self {
        // `ROOT/../elsewhere` begins with the root and is not in it.
        let below = |folder: &Path| folder.strip_prefix(root).ok().map(Path::to_path_buf);
        let up = |path: PathBuf| path.components().any(|part| part == Component::ParentDir);
        let inside = |folder: &&Path| below(folder).is_some_and(|path| !up(path));
        let folders = directory.ancestors().take_while(inside);
        self.folders = folders.map(Path::to_path_buf).collect();
        if self.folders.is_empty() {
            self.folders.push(root.to_path_buf());
        }
        self.display_path = display_path.to_path_buf();
        self.priority = priority;
        self
    }

    /// What the process has.
    pub const fn process(&self) -> &Vars {
        &self.process
    }

    /// Where temporary files go: the process says so, or the system.
    pub fn temp_dir(&self) -> PathBuf {
        let names: &[&str] = if cfg!(windows) {
            &["TMP", "TEMP"]
        } else {
            &["TMPDIR"]
        };
        let said = names
            .iter()
            .filter_map(|name| self.process.get(OsStr::new(name)));
        let mut said = said.map(PathBuf::from).filter(|path| path.is_absolute());
        let usual = if cfg!(windows) {
            r"C:\Windows\Temp"
        } else {
            "/tmp"
        };
        said.next().unwrap_or_else(|| PathBuf::from(usual))
    }

    /// The project's `.env`, if it has one and it counts at all.
    pub fn file(&self) -> Result<Option<DotEnv>, DotEnvError> {
        if self.priority == EnvPriority::ProcessOnly {
            return Ok(None);
        }
        let root = self.folders.last();
        for folder in &self.folders {
            let below = root.and_then(|root| folder.strip_prefix(root).ok());
            let display_path = self
                .display_path
                .join(below.unwrap_or(folder))
                .join(Self::FILE);
            match DotEnv::read(&folder.join(Self::FILE), &display_path) {
                Err(DotEnvError::Text(TextError::Absent(_) | TextError::NotAFile(_))) => {}
                read => return read.map(Some),
            }
        }
        Ok(None)
    }

    /// The variable `name`, with `file` as read by [`Self::file`].
    pub fn lookup(&self, name: &str, file: Option<&DotEnv>) -> Option<Resolved> {
        let process = self.process.get(OsStr::new(name));
        let written = file.filter(|_| !is_dangerous(name));
        let written = written.and_then(|file| Some((file, file.get(name)?)));
        let hides = process.is_some() && written.is_some();
        let from_file = |(file, variable): (&DotEnv, &Variable)| Resolved {
            value: OsString::from(&variable.value),
            line: Some((file.name().to_path_buf(), variable.line)),
            shadows: hides,
        };
        let from_process = |value: &OsString| Resolved {
            value: value.clone(),
            line: None,
            shadows: hides,
        };
        match self.priority {
            EnvPriority::Project => written.map(from_file).or(process.map(from_process)),
            _ => process.map(from_process).or(written.map(from_file)),
        }
    }

    /// What a program is given that declares `names`: those, and what no program
    /// can start without. The file is read only when there are names.
    pub fn child_env(&self, names: &[String]) -> Result<Vars, EnvError> {
        let mut given: Vars = BASE
            .iter()
            .filter_map(|name| self.process.get_key_value(OsStr::new(name)))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if names.is_empty() {
            return Ok(given);
        }
        let file = self.file()?;
        let mut missing = Vec::new();
        for name in names {
            match self.lookup(name, file.as_ref()) {
                Some(resolved) => drop(given.insert(name.into(), resolved.value)),
                None => missing.push(name.clone()),
            }
        }
        if missing.is_empty() {
            Ok(given)
        } else {
            Err(EnvError::Missing(missing))
        }
    }
}

impl EnvError {
    /// The fault to show. It names variables and never has a value in it.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Missing(names) => {
                let name = names.first().map_or("", String::as_str);
                Diagnostic::new(Code::InvalidConfig, self.to_string())
                    .hint(format!("set {name} in the environment, or put a line `{name}=…` into the project's .env"))
                    .hint(Hint::run("", Command::EnvOrigins, " shows where each value would come from"))
            }
            Self::File(error) => error.diagnostic(),
        }
    }
}

impl fmt::Debug for Environment {
    /// Never the values: they may be secrets.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.process.keys().collect();
        write!(f, "{:?} {:?} {names:?}", self.priority, self.folders)
    }
}

fn quote_names(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

const fn plural(names: &[String]) -> &'static str {
    if names.len() == 1 { "" } else { "s" }
}

const fn verb(names: &[String]) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}
