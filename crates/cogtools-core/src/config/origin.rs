//! Where a setting comes from.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use serde_json::Value;

/// A place that says something of the configuration, in the order in which later
/// ones win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// What holds where nobody says otherwise.
    BuiltIn,
    /// The machine's file, for all its users.
    System(PathBuf),
    /// The user's own file.
    Home(PathBuf),
    /// The key `cogtools` of the project's `package.json`.
    Package(PathBuf),
    /// The project's `.cogtoolrc.yaml`.
    Project(PathBuf),
    /// An environment variable.
    Variable(String),
}

/// One value of the configuration, by its key.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its key, with dots between the keys on the way to it: `filter.tools`.
    pub key: String,
    /// Its value as JSON, as it is written there.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
    /// The line of that file, from 1, where there is one.
    pub line: Option<usize>,
}

impl Origin {
    /// Whether whoever runs the program has written it, and not whoever wrote
    /// the project: what it names may run.
    pub const fn is_own(&self) -> bool {
        !matches!(self, Self::Package(_) | Self::Project(_))
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::System(path) | Self::Home(path) | Self::Package(path) | Self::Project(path) => {
                path.display().fmt(f)
            }
            Self::Variable(name) => write!(f, "${name}"),
        }
    }
}
