//! Why the variables that a program declares are not available.

use super::{DotEnvError, Unread, refusal};
use crate::hint::{Command, Hint};
use crate::{Code, Diagnostic};

/// Why the variables that a tool declares are not available.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// Neither the process nor `.env` sets them.
    #[error("the environment variable{} {} {} not set", plural(.0), quote_names(.0), verb(.0))]
    Missing(Vec<String>),
    /// The process does not set them, and the project's `.env` is not read.
    #[error("the environment variable{} {} {} not set: the project's .env is not read, because {}", plural(.0), quote_names(.0), verb(.0), .1.reason())]
    Unread(Vec<String>, Unread),
    /// Only the project sets them, and a source of the user's does not see that.
    #[error("the environment variable{} {} {} set by the project only, which sources in the user's own configuration do not see", plural(.0), quote_names(.0), verb(.0))]
    OfProject(Vec<String>),
    /// The user has not set them, and `.env` does not matter.
    #[error("the environment variable{} {} {} not set", plural(.0), quote_names(.0), verb(.0))]
    OfUser(Vec<String>),
    /// They lead into the project, where the program does not start.
    #[error("the environment variable{} {} {} not passed to programs that do not start in the project", plural(.0), quote_names(.0), verb(.0))]
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
                    Some(refusal) => {
                        let reason = refusal.reason();
                        format!("set {name} in the environment; a project's .env may not: {reason}")
                    }
                    None => format!("set {name} in the environment, or add a line `{name}=…` to the project's .env"),
                };
                Diagnostic::new(Code::InvalidConfig, self.to_string())
                    .hint(hint)
                    .hint(Hint::run("", Command::EnvOrigins, " shows where each value comes from"))
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
