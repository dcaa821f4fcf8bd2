//! A text file in memory, and locations in it.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use similar::TextDiff;

use crate::file::{self, Boundary, ReadError, ReadScope};
use crate::{Code, Diagnostic, Location, size};

/// A range of a text, as byte offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The start.
    pub start: usize,
    /// The end, exclusive; never before `start`.
    pub end: usize,
}

impl Span {
    /// Makes a range of its start and its end.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A text and its display path.
#[derive(Clone, Debug)]
pub struct Text {
    display_path: PathBuf,
    path: PathBuf,
    content: String,
    scope: ReadScope,
}

/// Why a file cannot be read as text.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// No such file.
    #[error("`{0}` does not exist")]
    NotFound(PathBuf),
    /// A dangling symbolic link.
    #[error("`{0}` is a link to a file that does not exist")]
    Dangling(PathBuf),
    /// A link that leaves the folder of its author: the file, and the link if that is a
    /// folder on its path. Neither its target nor its content is ever shown.
    #[error("`{0}` {how} points outside {2}", how = describe_link(.1.as_deref()))]
    Outside(PathBuf, Option<PathBuf>, Boundary),
    /// A directory, a pipe or a device: reading it might never end.
    #[error("`{0}` is not a regular file")]
    NotAFile(PathBuf),
    /// More than this number of bytes.
    #[error("`{0}` is larger than {limit}", limit = size::show(*.1 as u64))]
    TooLarge(PathBuf, usize),
    /// Not UTF-8 at this byte.
    #[error("`{0}` is not valid UTF-8 at byte {1}")]
    Encoding(PathBuf, usize),
    /// The system's error.
    #[error("`{0}` cannot be read: {1}")]
    Io(PathBuf, std::io::Error),
}

/// Time limit of the search for the smallest difference; after it, the difference is larger.
const MAX_DIFF_TIME: Duration = Duration::from_secs(2);

/// Compares two texts line by line.
pub fn compare<'t>(before: &'t str, after: &'t str) -> TextDiff<'t, 't, str> {
    TextDiff::configure()
        .timeout(MAX_DIFF_TIME)
        .diff_lines(before, after)
}

impl Text {
    /// The maximum size of a file: 1 MiB.
    pub const MAX_BYTES: usize = 1 << 20;

    /// Decodes the bytes of `name`. A byte order mark is removed.
    pub fn new(name: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Self, TextError> {
        let name = name.into();
        match String::from_utf8(bytes) {
            Ok(mut text) => {
                let mark = text.len() - without_mark(text.as_bytes()).len();
                text.drain(..mark);
                Ok(Self {
                    path: name.clone(),
                    display_path: name,
                    content: text,
                    scope: ReadScope::User,
                })
            }
            Err(error) => Err(TextError::Encoding(name, error.utf8_error().valid_up_to())),
        }
    }

    /// Returns the text as if it were in the file at `path`: other files are found from there.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.path = path.to_path_buf();
        self
    }

    /// An empty text for something known as `name` that is not a file.
    pub fn empty(name: impl Into<PathBuf>) -> Self {
        Self {
            display_path: name.into(),
            path: PathBuf::new(),
            content: String::new(),
            scope: ReadScope::User,
        }
    }

    /// Reads the regular file at `path` in `scope`, known to the user as `display_path`.
    pub fn read(path: &Path, display_path: &Path, scope: &ReadScope) -> Result<Self, TextError> {
        Self::read_with_meta(path, display_path, scope).map(|(text, _)| text)
    }

    /// Reads like `read`, and returns the metadata of the opened file.
    pub fn read_with_meta(
        path: &Path,
        display_path: &Path,
        scope: &ReadScope,
    ) -> Result<(Self, Metadata), TextError> {
        let (bytes, meta) = read(path, display_path, Self::MAX_BYTES, scope)?;
        let text = Self {
            path: path.to_path_buf(),
            ..Self::new(display_path, bytes)?.in_scope(scope)
        };
        Ok((text, meta))
    }

    /// The path that it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path shown to the user.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }

    /// Returns the text as a file in `scope`.
    #[must_use]
    pub fn in_scope(mut self, scope: &ReadScope) -> Self {
        self.scope = scope.clone();
        self
    }

    /// Where the file and those beside it may be.
    pub const fn scope(&self) -> &ReadScope {
        &self.scope
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.content
    }

    /// The location of `span`, truncated at the end of its first line.
    pub fn location(&self, span: Span) -> Location {
        let mut location = Location::of(&self.display_path, &self.content, span.start..span.end);
        location.text = location.text.filter(|_| self.scope.is_quotable());
        location
    }

    /// The location of `width` characters at `line` and `column` (both from 1).
    pub fn location_at(&self, line: usize, column: usize, width: usize) -> Location {
        let mut location = Location::new(&self.display_path, &self.content, line, column, width);
        location.text = location.text.filter(|_| self.scope.is_quotable());
        location
    }
}

/// The bytes of the regular file at `path` in `scope`, known to the user as
/// `display_path`, if there are at most `limit`.
pub fn bytes(
    path: &Path,
    display_path: &Path,
    limit: usize,
    scope: &ReadScope,
) -> Result<Vec<u8>, TextError> {
    read(path, display_path, limit, scope).map(|(bytes, _)| bytes)
}

/// Reads like `bytes`, and returns the metadata of the opened file.
pub fn read(
    path: &Path,
    display_path: &Path,
    limit: usize,
    scope: &ReadScope,
) -> Result<(Vec<u8>, Metadata), TextError> {
    let name = || display_path.to_path_buf();
    file::read(path, scope, limit as u64).map_err(|error| match error {
        error if error.is_too_large() => TextError::TooLarge(name(), limit),
        ReadError::Outside { link, boundary } => TextError::Outside(name(), link, boundary),
        ReadError::Dangling => TextError::Dangling(name()),
        ReadError::NotAFile => TextError::NotAFile(name()),
        ReadError::Io(error) if error.kind() == ErrorKind::NotFound => TextError::NotFound(name()),
        ReadError::Io(error) => TextError::Io(name(), error),
    })
}

/// Returns text in UTF-8 without a byte order mark, with which JSON does not begin.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

impl TextError {
    /// The diagnostic to show, with `code` for a file that exists but cannot be used.
    pub fn diagnostic(&self, code: Code) -> Diagnostic {
        let hint = match self {
            Self::NotFound(_) => "check the path; the file may have been removed meanwhile",
            Self::Dangling(_) => "correct the link, or remove it",
            Self::Outside(_, None, _) => "replace the link with a copy of the file",
            Self::Outside(_, Some(_), _) => "replace the link with a copy of the folder",
            Self::NotAFile(_) => "put a regular file there, or a link to one",
            Self::TooLarge(..) => "shorten it; long reference text belongs outside the tool",
            Self::Encoding(..) => "save it as UTF-8",
            Self::Io(..) => "check that the file is readable",
        };
        let code = match self {
            Self::NotFound(_) | Self::Io(..) => Code::IoFailed,
            _ => code,
        };
        Diagnostic::new(code, self.to_string()).hint(hint)
    }
}

/// Describes the way to a file, before the rest of the sentence.
fn describe_link(folder: Option<&Path>) -> String {
    folder.map_or_else(
        || "is a link that".to_owned(),
        |link| format!("is behind the link `{}`, which", link.display()),
    )
}
