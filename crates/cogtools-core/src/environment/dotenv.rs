//! A `.env` file: lines of `NAME=value`.
//!
//! Accepts what npm's `dotenv` accepts, because hosts read the same files with it:
//! `export`, comments, and values in single, double and back quotes, which may span
//! lines. Nothing is expanded. Any other line is an error with its location, where
//! others ignore it.

use std::fmt::{self, Formatter};
use std::path::Path;

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
    /// A line is not `NAME=value`.
    #[error("not a line of the form NAME=value")]
    Line(String),
    /// A quote is not closed.
    #[error("the quote is never closed")]
    Quote(String),
    /// A closed quote is followed by other text.
    #[error("only a comment may follow a quoted value")]
    Rest(String),
}

struct Cursor<'t> {
    text: &'t Text,
    at: usize,
}

impl DotEnv {
    /// Reads the file at `path`, known to the user as `display_path`.
    pub fn read(path: &Path, display_path: &Path) -> Result<Self, DotEnvError> {
        Self::parse(Text::read(path, display_path).map_err(DotEnvError::Text)?)
    }

    /// Parses the text of an `.env` file.
    pub fn parse(text: Text) -> Result<Self, DotEnvError> {
        let mut cursor = Cursor { text: &text, at: 0 };
        let mut variables = Vec::new();
        while cursor.skip_blank() {
            variables.push(cursor.variable()?);
        }
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

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        &self.text.as_str()[self.at..]
    }

    fn line(&self) -> &'t str {
        self.rest().lines().next().unwrap_or("")
    }

    /// The current line, from 1.
    fn number(&self) -> usize {
        self.text.as_str()[..self.at].matches('\n').count() + 1
    }

    fn location(&self) -> String {
        format!("{}:{}", self.text.display_path().display(), self.number())
    }

    /// Moves to the next line that is not blank or a comment; returns false at the end.
    fn skip_blank(&mut self) -> bool {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.as_str().len() - rest.len();
            if !rest.starts_with('#') {
                return !rest.is_empty();
            }
            self.at += self.line().len();
        }
    }

    fn variable(&mut self) -> Result<Variable, DotEnvError> {
        let line = self.number();
        let invalid = || DotEnvError::Line(self.location());
        let (head, _) = self.line().split_once('=').ok_or_else(invalid)?;
        let value_start = self.at + head.len() + 1;
        let left = head.trim_end();
        let name = match left.strip_prefix("export") {
            Some(name) if name.starts_with([' ', '\t']) => name.trim_start(),
            _ => left,
        }
        .to_owned();
        if !is_name(&name) {
            return Err(invalid());
        }
        self.at = value_start;
        let blank = self.line().len() - self.line().trim_start().len();
        self.at += blank;
        let value = match self.line().chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => self.quoted_value(quote)?,
            _ => self.unquoted_value(),
        };
        Ok(Variable { name, value, line })
    }

    /// The rest of the line, without a comment after white space.
    fn unquoted_value(&mut self) -> String {
        let line = self.line();
        let mut end = line.len();
        if line.starts_with('#') {
            end = 0;
        } else if let Some(at) = line.find(" #").into_iter().chain(line.find("\t#")).min() {
            end = at;
        }
        let value = line[..end].trim_end().to_owned();
        self.at += line.len();
        value
    }

    /// Everything up to the closing quote; only double quotes support escapes.
    fn quoted_value(&mut self, quote: char) -> Result<String, DotEnvError> {
        let location = self.location();
        let mut value = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        let mut end = None;
        while let Some((at, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    end = Some(at + 1);
                    break;
                }
                '\\' if quote == '"' => match characters.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, escaped @ ('"' | '\\' | '$'))) => value.push(escaped),
                    Some((_, other)) => value.extend(['\\', other]),
                    None => {}
                },
                _ => value.push(character),
            }
        }
        self.at += end.ok_or(DotEnvError::Quote(location))?;
        let rest = self.line().trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            return Err(DotEnvError::Rest(self.location()));
        }
        self.at += self.line().len();
        Ok(value)
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

impl DotEnvError {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        let (location, hint) = match self {
            Self::Text(error) => return error.diagnostic(Code::InvalidConfig),
            Self::Line(location) => (location, "write NAME=value, or put a # before the line"),
            Self::Quote(location) => (location, "close it, or write the value without quotes"),
            Self::Rest(location) => (location, "put the whole value between the quotes"),
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
