//! What is wrong with a sandbox, or with a path in it.

use crate::file::WriteError;
use crate::{Actual, Code, Diagnostic};

/// What is wrong with a sandbox, or with a path in it.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Not a map.
    #[error("`sandbox` takes a map, not {0}")]
    NotAMap(&'static str),
    /// A key that a sandbox does not have.
    #[error("unknown key `{0}`")]
    UnknownKey(String, Option<String>),
    /// Not a list of paths.
    #[error("`{0}` takes a list of paths, not {1}")]
    Paths(&'static str, Actual),
    /// A path that cannot be in a sandbox.
    #[error("`{0}` is not a path that a sandbox can name")]
    Path(String),
    /// Neither true nor false.
    #[error("`net` takes true or false, not {0}")]
    Bool(Actual),
    /// Not a size.
    #[error("`memory` takes a size of at least 1 MiB, not {0}")]
    Size(Actual),
    /// Not a number of processes.
    #[error("`processes` takes a whole number of at least 1, not {0}")]
    Count(Actual),
    /// A path below the project's root that a link leads elsewhere.
    #[error("`{0}` in `sandbox` is a link that leaves the project")]
    Leaves(String),
    /// A folder that cannot be made.
    #[error("the folder `{0}` in `sandbox` cannot be made: {1}")]
    Create(String, WriteError),
    /// A sandbox of something that starts no program.
    #[error("`sandbox` is for programs: `exec` and `script`")]
    NoProgram,
    /// A sandbox of a server that is not started here.
    #[error("`sandbox` is for a server that is started, and this one has a URL")]
    Remote,
}

impl SandboxError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownKey(_, Some(meant)) => meant.clone(),
            Self::UnknownKey(_, None) => {
                "its keys are read, write, net, memory and processes".into()
            }
            Self::NotAMap(_) => "write `sandbox: {write: [out], net: true}`".into(),
            // YAML reads a mere `~` as null.
            Self::Paths(key, Actual::Other("nothing")) => {
                format!("write `{key}: [out]`, and `~/` for the home directory")
            }
            Self::Paths(key, _) => format!("write `{key}: [out]`"),
            Self::Path(_) => {
                "write a path below the project's root, `~/…` for one in the home directory, or an absolute one".into()
            }
            Self::Bool(_) => "write `net: true` or `net: false`, without quotes".into(),
            Self::Size(_) => "write `memory: 256 MiB`".into(),
            Self::Count(_) => "write `processes: 16`".into(),
            Self::Leaves(_) => "name what the link leads to, by its absolute path or with `~/`".into(),
            Self::Create(..) => "make it yourself, or name another one".into(),
            Self::NoProgram => "remove it: nothing else reaches files or the network".into(),
            Self::Remote => "remove it".into(),
        }
    }

    /// The diagnostic for the tool `name`, whose call found the error.
    pub(crate) fn diagnostic(&self, name: &str) -> Diagnostic {
        let code = match self {
            Self::Create(..) => Code::IoFailed,
            _ => Code::InvalidTool,
        };
        Diagnostic::new(code, self.to_string())
            .with_subject(name)
            .hint(self.hint())
    }
}
