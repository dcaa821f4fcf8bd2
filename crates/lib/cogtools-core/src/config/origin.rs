//! Where a setting comes from.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use serde_json::Value;

/// Where a setting can come from, in order of increasing precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The built-in default.
    BuiltIn,
    /// The system's file, for all users.
    System(PathBuf),
    /// The user's file.
    Home(PathBuf),
    /// The project's file in the folder of Gemini CLI's settings.
    HostFolder(PathBuf),
    /// The key `cogtools` of the project's `package.json`.
    Package(PathBuf),
    /// The project's `.cogtoolrc.yaml`.
    Project(PathBuf),
    /// A variable in the project's `.env`.
    DotEnv(PathBuf),
    /// An environment variable.
    Variable(String),
}

/// One setting of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its key, as a dotted path: `filter.tools`.
    pub key: String,
    /// Its value as JSON, as written.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
    /// The line of that file, from 1, if known.
    pub line: Option<usize>,
    /// Where the project has added to it, and the line.
    addition: Option<(Origin, Option<usize>)>,
    /// Whether the user has set it, rather than the author of the project.
    pub(super) own: bool,
}

impl Setting {
    pub(super) const fn new(
        key: String,
        value: Value,
        origin: Origin,
        line: Option<usize>,
        own: bool,
    ) -> Self {
        Self {
            key,
            value,
            origin,
            line,
            addition: None,
            own,
        }
    }

    pub(super) fn built_in(key: &str, value: Value) -> Self {
        Self::new(key.to_owned(), value, Origin::BuiltIn, None, true)
    }

    /// Everywhere it is set, each with the line, if known.
    pub fn origins(&self) -> impl Iterator<Item = (&Origin, Option<usize>)> {
        let addition = self.addition.iter().map(|(origin, line)| (origin, *line));
        std::iter::once((&self.origin, self.line)).chain(addition)
    }

    /// The value that this one and `addition` make together.
    pub(super) fn with(self, addition: Self, value: Value) -> Self {
        Self {
            value,
            addition: Some((addition.origin, addition.line)),
            ..self
        }
    }

    pub(super) fn is_built_in(&self) -> bool {
        self.origin == Origin::BuiltIn
    }

    pub(super) fn is_below(&self, key: &str) -> bool {
        let rest = self.key.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl Origin {
    /// Whether the user has written it, rather than the author of the project: only
    /// then may it name programs to run.
    pub const fn is_user(&self) -> bool {
        !matches!(
            self,
            Self::HostFolder(_) | Self::Package(_) | Self::Project(_) | Self::DotEnv(_)
        )
    }

    /// Whether it is a single value, which is easier to write without quotes.
    pub(super) const fn is_variable(&self) -> bool {
        matches!(self, Self::DotEnv(_) | Self::Variable(_))
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::System(path)
            | Self::Home(path)
            | Self::HostFolder(path)
            | Self::Package(path)
            | Self::Project(path)
            | Self::DotEnv(path) => path.display().fmt(f),
            Self::Variable(name) => write!(f, "${name}"),
        }
    }
}
