//! Why a run of JavaScript failed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Code, Diagnostic, Hint, Location};

/// Why a run failed, where, and what was logged before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptError {
    /// Why.
    pub kind: ScriptErrorKind,
    /// The line and the column of the code, both from 1, if known.
    pub position: Option<(usize, usize)>,
    /// What was logged before it.
    #[serde(skip)]
    pub logs: Vec<String>,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "lowercase")]
pub enum ScriptErrorKind {
    /// The code threw something, described here.
    #[error("{0}")]
    Runtime(String),
    /// The code is not the body of a function.
    #[error("{0}")]
    Syntax(String),
    /// The code called this, which it may not.
    #[error("{0} is forbidden")]
    Forbidden(String),
    /// It took longer than this.
    #[error("exceeded {} ms", .0.as_secs_f64() * 1000.0)]
    Timeout(Duration),
    /// It needed more memory than there is.
    #[error("exceeded {} MiB of memory", super::Script::MEMORY >> 20)]
    Memory,
    /// It returned something that is not JSON.
    #[error("{0}")]
    Result(String),
    /// The process could not confine itself, for this reason.
    #[error("JavaScript cannot be confined here: {0}")]
    Confine(String),
    /// There is no `cogtools-js`.
    #[error("`cogtools-js` is not installed")]
    NotInstalled,
    /// It cannot be started, for this reason.
    #[error("`cogtools-js` cannot be started: {0}")]
    Start(String),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The process ended in this way, without a result.
    #[error("the engine ended unexpectedly: {0}")]
    Crashed(String),
}

impl ScriptError {
    /// The diagnostic for a model that wrote `code`.
    pub fn diagnostic(self, code: &str) -> Diagnostic {
        let kind = self.kind;
        let mut diagnostic = Diagnostic::new(kind.code(), kind.to_string()).with_logs(self.logs);
        diagnostic.hints.extend(kind.hint());
        diagnostic.location = self
            .position
            .map(|(line, column)| Location::new("<code>".as_ref(), code, line, column, 1));
        diagnostic
    }
}

impl ScriptErrorKind {
    /// The code of the failure.
    pub const fn code(&self) -> Code {
        match self {
            Self::Runtime(_) | Self::Crashed(_) | Self::Cancelled => Code::JsRuntime,
            Self::Syntax(_) => Code::JsSyntax,
            Self::Forbidden(_) => Code::JsForbidden,
            Self::Timeout(_) => Code::JsTimeout,
            Self::Memory => Code::JsMemory,
            Self::Result(_) => Code::JsResult,
            Self::Confine(_) | Self::NotInstalled | Self::Start(_) => Code::IoFailed,
        }
    }

    /// What to do next, if that is known.
    pub fn hint(&self) -> Option<Hint> {
        let text = match self {
            Self::Syntax(_) => {
                "write the body of a function that takes `args`, such as `return args.a + 1`"
            }
            Self::Forbidden(_) => "compute with `args` alone: there is no network and no storage",
            Self::Timeout(_) => "compute less, in fewer steps",
            Self::Memory => "build smaller values, and fewer at a time",
            Self::Result(_) => "return text, numbers, booleans, null, arrays or plain objects",
            Self::Confine(_) => {
                "the kernel must have seccomp, and a container must permit it; \
                 nothing is evaluated without"
            }
            Self::NotInstalled => "install it in the folder of the other programs of cogtools",
            Self::Start(_) => "check that it is an executable program",
            Self::Runtime(_) | Self::Cancelled | Self::Crashed(_) => return None,
        };
        Some(text.into())
    }
}

impl From<ScriptErrorKind> for ScriptError {
    fn from(kind: ScriptErrorKind) -> Self {
        Self {
            kind,
            position: None,
            logs: Vec::new(),
        }
    }
}
