//! A `.env` file, read as npm's `dotenv` reads it, because hosts read the same files
//! with it.
//!
//! Whatever `dotenv` takes has the same names and values here. What it silently skips,
//! or takes with a quote in the value, is an error with its location. Nothing is
//! expanded.

mod parser;

use std::fmt::{self, Formatter};
use std::path::Path;

use parser::Parser;

use crate::file::ReadScope;
use crate::owner::{ForeignOwner, Owners};
use crate::text::{Text, TextError};
use crate::{Code, Diagnostic};

/// The variables of a file, in order.
#[derive(Clone)]
pub struct DotEnv {
    text: Text,
    variables: Vec<Variable>,
}

/// One variable of a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value; it may be a secret.
    pub value: String,
    /// The line where it begins, from 1.
    pub line: usize,
}

/// Why a file cannot be used. The line itself is never shown, because it may contain a
/// secret: only `FILE:LINE` is.
#[derive(Debug, thiserror::Error)]
pub enum DotEnvError {
    /// It cannot be read.
    #[error(transparent)]
    Text(TextError),
    /// It belongs to another user.
    #[error("{0}, not to you; its variables are not used")]
    Foreign(ForeignOwner),
    /// A line is not `NAME=value`.
    #[error("not a line of the form NAME=value")]
    Line(String),
    /// A quote is not closed.
    #[error("the quote is never closed")]
    Quote(String),
    /// A closed quote is followed by other text.
    #[error("only a comment may follow a quoted value")]
    Rest(String),
    /// A value contains a character that no variable can have, or that ends a line
    /// invisibly.
    #[error("a value contains {1}")]
    Character(String, &'static str),
}

impl DotEnv {
    /// Reads the file at `path` in `scope`, known to the user as `display_path`.
    pub fn read(path: &Path, display_path: &Path, scope: &ReadScope) -> Result<Self, DotEnvError> {
        Self::parse(Text::read(path, display_path, scope).map_err(DotEnvError::Text)?)
    }

    /// The same for the file of the project at `root`, if it belongs to one of the `owners`.
    pub fn read_owned(
        path: &Path,
        display_path: &Path,
        root: &Path,
        owners: &Owners,
    ) -> Result<Self, DotEnvError> {
        let read = Text::read_with_meta(path, display_path, &ReadScope::project(root));
        let (text, meta) = read.map_err(DotEnvError::Text)?;
        owners
            .check_opened(path, &meta, root)
            .and_then(|()| owners.check(path, root))
            .map_err(DotEnvError::Foreign)?;
        Self::parse(text)
    }

    /// Parses the text of an `.env` file.
    pub fn parse(text: Text) -> Result<Self, DotEnvError> {
        let variables = Parser::new(&text).variables()?;
        Ok(Self { text, variables })
    }

    /// The display path of the file.
    pub fn display_path(&self) -> &Path {
        self.text.display_path()
    }

    /// The variables; of those with the same name, the last one counts.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variable `name`.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        let mut variables = self.variables.iter();
        variables.rfind(|variable| variable.name == name)
    }
}

impl DotEnvError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let (location, hint) = match self {
            Self::Text(error) => return error.diagnostic(Code::InvalidConfig),
            Self::Foreign(owner) => return owner.diagnostic("its variables are not used"),
            Self::Line(location) => (location, "write NAME=value, or put a # before the line"),
            Self::Quote(location) => (location, "close it, or write the value without quotes"),
            Self::Rest(location) => (location, "put the whole value between the quotes"),
            Self::Character(location, _) => (location, "remove it from the value"),
        };
        Diagnostic::new(Code::InvalidConfig, self.to_string())
            .with_subject(location)
            .hint(hint)
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}=… (line {})", self.name, self.line)
    }
}

impl fmt::Debug for DotEnv {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.display_path().display(), self.variables)
    }
}
