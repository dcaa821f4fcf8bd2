//! A `.env` file, read as npm's `dotenv` reads it, because hosts read the same files
//! with it.
//!
//! Whatever `dotenv` takes has the same names and values here. What it silently skips,
//! or takes with a quote in the value, is an error with its location. Nothing is
//! expanded.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fmt::Formatter;
use std::path::{Path, PathBuf};

use cogtools_document::file::ReadScope;
use cogtools_document::text::{Text, TextError};
use cogtools_document::{Code, Diagnostic, text};

use super::Environment;
use crate::owner::{ForeignOwner, Owners};

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
    /// Reads the file of the project at `root`, if it belongs to one of the `owners`.
    pub fn read_owned(
        path: &Path,
        display_path: &Path,
        root: &Path,
        owners: &Owners,
    ) -> Result<Self, DotEnvError> {
        let read = Text::read_with_meta(path, display_path, &ReadScope::project(root));
        let (text, meta) = read.map_err(DotEnvError::Text)?;
        let opened = owners.check_opened(path, &meta, root);
        let checked = opened.and_then(|()| owners.check(path, root));
        checked.map_err(DotEnvError::Foreign)?;
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

/// A position in the text, in which every line end is `\n`.
struct Parser<'t> {
    text: &'t Text,
    content: Cow<'t, str>,
    at: usize,
    /// The number of the line, from 1, at the position that was counted last.
    line: usize,
    counted: usize,
}

/// The keyword of shells that may precede a name.
const EXPORT: &str = "export";

impl<'t> Parser<'t> {
    fn new(text: &'t Text) -> Self {
        let content = text.as_str();
        Self {
            text,
            content: if content.contains('\r') {
                content.replace("\r\n", "\n").replace('\r', "\n").into()
            } else {
                content.into()
            },
            at: 0,
            line: 1,
            counted: 0,
        }
    }

    /// All variables of the file.
    fn variables(mut self) -> Result<Vec<Variable>, DotEnvError> {
        let mut variables = Vec::new();
        while self.skip_blank() {
            variables.push(self.variable()?);
        }
        Ok(variables)
    }

    /// Moves to the next variable; returns false at the end.
    fn skip_blank(&mut self) -> bool {
        loop {
            self.at = self.after_space(self.at);
            match self.char(self.at) {
                Some('#') => self.at = self.line_end(self.at),
                next => return next.is_some(),
            }
        }
    }

    fn variable(&mut self) -> Result<Variable, DotEnvError> {
        let line = self.line_number();
        let start = self.name_start();
        let end = self.after_name(start);
        let value = self.after_separator(end).filter(|_| end > start);
        let value = value.ok_or_else(|| DotEnvError::Line(self.location()))?;
        let name = self.content[start..end].to_owned();
        let value = match self.quoted_value(value) {
            Some(value) => value,
            None => self.unquoted_value(value)?,
        };
        if value.contains('\0') {
            return Err(DotEnvError::Character(self.location(), "a NUL character"));
        }
        Ok(Variable { name, value, line })
    }

    /// The start of the name: after `export`, unless that is the name itself.
    fn name_start(&self) -> usize {
        let Some(rest) = self.content[self.at..].strip_prefix(EXPORT) else {
            return self.at;
        };
        let after = self.after_space(self.at + EXPORT.len());
        let is_keyword = rest.starts_with(is_space) && self.after_name(after) > after;
        if is_keyword { after } else { self.at }
    }

    /// The end of the name that begins at `start`.
    fn after_name(&self, start: usize) -> usize {
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
        let name = &self.content[start..];
        start + name.find(is_other).unwrap_or(name.len())
    }

    /// The start of the value after the name that ends at `end`: after a `=`, or after
    /// a colon and one white space.
    fn after_separator(&self, end: usize) -> Option<usize> {
        let next = self.after_space(end);
        if self.char(next) == Some('=') {
            return Some(next + 1);
        }
        let rest = self.content[end..].strip_prefix(':')?;
        let space = rest.chars().next().filter(|c| is_space(*c))?;
        Some(end + 1 + space.len_utf8())
    }

    /// The value between quotes, if it begins after white space from `start` and only a
    /// comment follows: up to the first quote without a backslash before it, or else up
    /// to the last one with a backslash.
    fn quoted_value(&mut self, start: usize) -> Option<String> {
        let open = self.after_space(start);
        let quote = self.char(open).filter(|c| is_quote(*c))?;
        let mut found = None;
        for (at, _) in self.content[open + 1..].match_indices(quote) {
            let at = open + 1 + at;
            let rest = &self.content[at + 1..];
            let end = rest.find(|c| !is_space(c) || is_line_end(c));
            let end = end.map_or(self.content.len(), |end| at + 1 + end);
            if self.char(end).is_none_or(|c| c == '#' || is_line_end(c)) {
                found = Some((at, end));
            }
            if !self.content[open + 1..at].ends_with('\\') {
                break;
            }
        }
        let (close, end) = found?;
        let value = self.content[open + 1..close].to_owned();
        self.at = self.line_end(end);
        Some(unescape(value, quote))
    }

    /// The rest of the line from `start`, up to a comment, without surrounding white
    /// space.
    fn unquoted_value(&mut self, start: usize) -> Result<String, DotEnvError> {
        let rest = &self.content[start..];
        let line = &rest[..rest.find(['\n', '#']).unwrap_or(rest.len())];
        let value = line.trim_matches(is_space);
        let quote = value.chars().next().filter(|c| is_quote(*c));
        if value.contains(is_line_end) {
            let name = "an invisible line separator (U+2028 or U+2029)";
            return Err(DotEnvError::Character(self.location(), name));
        }
        let value = match quote {
            // Quotes in a value between quotes of the same kind are kept.
            Some(quote) if value.len() > 1 && value.ends_with(quote) => {
                unescape(value[1..value.len() - 1].to_owned(), quote)
            }
            Some(quote) if value[1..].contains(quote) => {
                return Err(DotEnvError::Rest(self.location()));
            }
            Some(_) => return Err(DotEnvError::Quote(self.location())),
            None => value.to_owned(),
        };
        self.at = self.line_end(start + line.len());
        Ok(value)
    }

    /// The position after the white space at `at`, which may span lines.
    fn after_space(&self, at: usize) -> usize {
        let rest = &self.content[at..];
        at + rest.find(|c| !is_space(c)).unwrap_or(rest.len())
    }

    /// The end of the line that contains `at`.
    fn line_end(&self, at: usize) -> usize {
        let rest = &self.content[at..];
        at + rest.find(is_line_end).unwrap_or(rest.len())
    }

    fn char(&self, at: usize) -> Option<char> {
        self.content[at..].chars().next()
    }

    /// The number of the current line.
    fn line_number(&mut self) -> usize {
        let passed = &self.content[self.counted..self.at];
        self.line += passed.bytes().filter(|byte| *byte == b'\n').count();
        self.counted = self.at;
        self.line
    }

    /// The location of the variable that was counted last.
    fn location(&self) -> String {
        format!("{}:{}", self.text.display_path().display(), self.line)
    }
}

/// The escapes of double quotes; others have none.
fn unescape(value: String, quote: char) -> String {
    if quote == '"' {
        value.replace("\\n", "\n").replace("\\r", "\r")
    } else {
        value
    }
}

const fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`')
}

/// White space in JavaScript, which differs from Unicode's.
const fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t'..='\r'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

/// Returns true for a line end in JavaScript.
const fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{2028}' | '\u{2029}')
}

/// The files that a host would load into its environment.
pub struct LoadedFiles(Vec<LoadedFile>);

/// A file that a host would load.
enum LoadedFile {
    Parsed(String, DotEnv),
    /// Text that another parser may understand.
    Unparsable(String),
    /// It may contain anything.
    Unreadable,
}

/// The folders of hosts, in which they search for a `.env` before the folder itself.
const HOST_FOLDERS: [&str; 3] = [".gemini", ".qwen", ".iflow"];

/// The files that a host in `directory` may load into its environment, except those in
/// the user's `home`: in the directory and all above it.
pub fn host_files(directory: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let real_home = home.and_then(|home| home.canonicalize().ok());
    let is_home = |folder: &Path| Some(folder) == home || Some(folder) == real_home.as_deref();
    // A host's own path of the directory has no links.
    let real = directory.canonicalize().ok();
    let real = real.as_deref().filter(|real| *real != directory);
    let mut files = Vec::new();
    for directory in std::iter::once(directory).chain(real) {
        let folders = directory.ancestors().take_while(|folder| !is_home(folder));
        for folder in folders {
            files.push(folder.join(Environment::FILE));
            let hosts = HOST_FOLDERS.iter().map(|host| folder.join(host));
            files.extend(hosts.map(|folder| folder.join(Environment::FILE)));
        }
    }
    files
}

impl fmt::Debug for LoadedFiles {
    /// The files may contain secrets.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedFiles").finish_non_exhaustive()
    }
}

impl LoadedFiles {
    /// Reads the [`host_files`] that exist.
    pub fn above(directory: &Path, home: Option<&Path>) -> Self {
        let files = host_files(directory, home);
        let files = files.iter().filter_map(|file| LoadedFile::read(file));
        Self(files.collect())
    }

    /// Returns true if a host may have loaded the variable `name` with this value from one of the
    /// files.
    pub fn may_set(&self, name: &str, value: &OsStr) -> bool {
        self.0.iter().any(|file| file.may_set(name, value))
    }
}

impl LoadedFile {
    fn read(path: &Path) -> Option<Self> {
        let bytes = match text::bytes(path, path, Text::MAX_BYTES, &ReadScope::User) {
            Ok(bytes) => bytes,
            // `NotADirectory` is a file in place of the folder `.gemini`.
            Err(TextError::NotFound(_) | TextError::Dangling(_) | TextError::NotAFile(_)) => {
                return None;
            }
            Err(TextError::Io(_, error)) if error.kind() == std::io::ErrorKind::NotADirectory => {
                return None;
            }
            Err(_) => return Some(Self::Unreadable),
        };
        let content = String::from_utf8_lossy(&bytes).into_owned();
        let parsed = Text::new(path, bytes).ok().map(DotEnv::parse);
        Some(match parsed {
            Some(Ok(file)) => Self::Parsed(content, file),
            _ => Self::Unparsable(content),
        })
    }

    fn may_set(&self, name: &str, value: &OsStr) -> bool {
        match self {
            Self::Unreadable => true,
            Self::Unparsable(content) => contains_word(content, name),
            Self::Parsed(content, file) => {
                let value = value.to_string_lossy();
                let entries = file.variables().iter();
                entries
                    .filter(|entry| entry.name == name)
                    // Other parsers resolve more escapes, and expand variables.
                    .any(|entry| *entry.value == *value || entry.value.contains(['$', '\\']))
                    // They also have other comments and quotes.
                    || (!value.is_empty()
                        && content
                            .lines()
                            .any(|line| line.contains(name) && line.contains(&*value)))
            }
        }
    }
}

/// Returns true if `text` contains `name`, not as a part of another name.
fn contains_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}
