//! The answers of editors, checked and bounded, and the reasons for which one has none.

use std::io;
use std::path::PathBuf;

use cogtools_core::digest;
use serde::{Deserialize, Serialize};

use super::edit::{Edit, RefusalKind};
use super::protocol::Request;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The selection, or the whole text of a file.
    Text(Text),
    /// The open files.
    Files(OpenFiles),
    /// The findings of the editor.
    Problems(Problems),
    /// True if the file is shown.
    Opened(bool),
    /// The outcome of a proposal.
    Edit(Edit),
}

/// Text in an editor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Text {
    /// The file; none for text that was never saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The language, as the editor calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The text; empty if nothing is selected.
    pub text: String,
    /// Where it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Position>,
    /// The position after its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Position>,
    /// True if the file has text that is not saved, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
    /// True if the text goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The SHA-256 of the whole text of the file, with LF for each line end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// A position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The line, from 1.
    pub line: u64,
    /// The character in the line, from 1, as Unicode counts.
    pub column: u64,
}

/// The open files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpenFiles {
    /// The files, in the editor's order.
    pub files: Vec<OpenFile>,
    /// True if there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// One open file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFile {
    /// Its path.
    pub path: String,
    /// True if it is the current one.
    #[serde(default)]
    pub active: bool,
    /// True if it has text that is not saved.
    #[serde(default)]
    pub dirty: bool,
}

/// The findings of an editor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Problems {
    /// Each finding.
    pub diagnostics: Vec<Diagnostic>,
    /// True if there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// One finding of an editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The character in the line, from 1.
    pub column: u64,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// The mistake.
    pub message: String,
    /// The program that has found it, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A reply of an editor, before it is checked, without unknown fields.
#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    name: Option<String>,
    #[serde(default)]
    folders: Vec<PathBuf>,
    path: Option<String>,
    language: Option<String>,
    text: Option<String>,
    start: Option<Position>,
    end: Option<Position>,
    dirty: Option<bool>,
    #[serde(default)]
    truncated: bool,
    files: Option<Vec<OpenFile>>,
    diagnostics: Option<Vec<Diagnostic>>,
    pub(super) hash: Option<String>,
    pub(super) accepted: Option<bool>,
    pub(super) content: Option<String>,
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) stale: bool,
    pub(super) refused: Option<RefusalKind>,
    pub(super) process: Option<u32>,
}

/// The most files and findings of an answer.
const MAX_ITEMS: usize = 200;
/// The longest message of a finding, in characters.
const MAX_MESSAGE: usize = 2_000;
/// The severities, as LSP calls them.
const SEVERITIES: [&str; 4] = ["error", "warning", "information", "hint"];

impl Reply {
    /// An answer as JSON.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, Failure> {
        // Texts in other encodings reach editors, and some send them as they are.
        Ok(serde_json::from_str(&String::from_utf8_lossy(json))?)
    }

    /// The editor's name for people.
    pub(crate) fn name(&self) -> Option<String> {
        self.name.as_deref().map(name)
    }

    /// The folders that are open in its window.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The answer to `request`.
    pub(crate) fn answer(self, request: &Request) -> Result<Answer, Failure> {
        let missing = |key: &str| Failure::Invalid(format!("it has no `{key}`"));
        match request {
            Request::SelectedText | Request::CurrentFile { .. } => {
                let text = self.text.ok_or_else(|| missing("text"))?;
                Ok(Answer::Text(
                    Text {
                        path: self.path,
                        language: self.language,
                        text,
                        start: self.start,
                        end: self.end,
                        dirty: self.dirty,
                        truncated: self.truncated,
                        hash: self.hash.filter(|hash| digest::is_hash(hash)),
                    }
                    .bounded(),
                ))
            }
            Request::OpenFiles => {
                let mut files = self.files.ok_or_else(|| missing("files"))?;
                let truncated = self.truncated || files.len() > MAX_ITEMS;
                files.truncate(MAX_ITEMS);
                Ok(Answer::Files(OpenFiles { files, truncated }))
            }
            Request::Diagnostics => {
                let diagnostics = self.diagnostics.ok_or_else(|| missing("diagnostics"))?;
                Problems::new(diagnostics, self.truncated).map(Answer::Problems)
            }
            Request::OpenFile { .. } => Ok(Answer::Opened(true)),
            Request::ProposeEdit { content, .. } => {
                let edit = Edit::of(self, content);
                edit.map(Answer::Edit).ok_or_else(|| missing("accepted"))
            }
        }
    }
}

impl Text {
    /// The text, cut at [`Request::MAX_TEXT_BYTES`].
    pub(crate) fn bounded(mut self) -> Self {
        if self.text.len() > Request::MAX_TEXT_BYTES {
            let end = self.text.floor_char_boundary(Request::MAX_TEXT_BYTES);
            self.text.truncate(end);
            self.truncated = true;
        }
        self
    }
}

impl Problems {
    fn new(mut diagnostics: Vec<Diagnostic>, truncated: bool) -> Result<Self, Failure> {
        let truncated = truncated || diagnostics.len() > MAX_ITEMS;
        diagnostics.truncate(MAX_ITEMS);
        for diagnostic in &mut diagnostics {
            if !SEVERITIES.contains(&diagnostic.severity.as_str()) {
                return Err(Failure::invalid("a severity is unknown"));
            }
            if let Some((end, _)) = diagnostic.message.char_indices().nth(MAX_MESSAGE) {
                diagnostic.message.truncate(end);
            }
        }
        Ok(Self {
            diagnostics,
            truncated,
        })
    }
}

impl Answer {
    /// The answer when no editor has one.
    pub fn empty(request: &Request) -> Self {
        match request {
            Request::SelectedText | Request::CurrentFile { .. } => Self::Text(Text::default()),
            Request::OpenFiles => Self::Files(OpenFiles::default()),
            Request::Diagnostics => Self::Problems(Problems::default()),
            Request::OpenFile { .. } => Self::Opened(false),
            Request::ProposeEdit { .. } => Self::Edit(Edit::Rejected { reason: None }),
        }
    }
}

/// The name of an editor, which is shown to people.
pub(crate) fn name(text: &str) -> String {
    let name: String = shown(text).chars().take(60).collect();
    if name.is_empty() {
        "editor".to_owned()
    } else {
        name
    }
}

/// Why one editor did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The variable names something else than a socket.
    #[error("`{0}` is not the path of a socket")]
    NotAPath(String),
    /// The socket is gone.
    #[error("there is no socket at `{}`", .0.display())]
    Absent(PathBuf),
    /// The editor has ended and left the socket.
    #[error("nothing listens on `{}`", .0.display())]
    Refused(PathBuf),
    /// A file, a folder or a socket of another user.
    #[error("`{}` belongs to another user", .0.display())]
    Foreign(PathBuf),
    /// Others could have written it.
    #[error("`{}` can be written by other users", .0.display())]
    Shared(PathBuf),
    /// The discovery file cannot be used.
    #[error("`{}` is not valid: {reason}", .file.display())]
    Discovery {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The process that wrote the discovery file has ended.
    #[error("process {0} has ended")]
    Ended(u32),
    /// No answer came in time.
    #[error("it did not answer within {0} s")]
    TimedOut(u64),
    /// It ended the connection.
    #[error("it closed the connection without an answer")]
    Closed,
    /// The answer has no end, or one that is too far.
    #[error("its answer is longer than {} MiB", .0 >> 20)]
    TooLong(u64),
    /// The answer has the wrong form.
    #[error("its answer is not valid: {0}")]
    Invalid(String),
    /// The editor's own error.
    #[error("it answered: {0}")]
    Rejected(String),
    /// The editor cannot do that.
    #[error("it does not have `{0}`")]
    Unsupported(&'static str),
    /// Its folders are others.
    #[error("none of its folders contains `{}`", .0.display())]
    Elsewhere(PathBuf),
    /// It has no server to connect to.
    #[error("it has no server: load the output of cogtools editor print emacs")]
    NoServer,
    /// An extension for one agent, whose connection another client would break.
    #[error("the companion of {0} serves {0} alone: run cogtools editor install")]
    Companion(&'static str),
    /// The user does not want an editor.
    #[error("COGTOOLS_EDITOR is `none`")]
    Disabled,
    /// The selection of a snapshot.
    #[error("`{0}` is no range of the file: LINE:COLUMN-LINE:COLUMN, from 1")]
    NoSelection(String),
    /// The file of a snapshot.
    #[error("`{}` cannot be read: {reason}", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// The system's error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Failure {
    /// The longest text of an editor that a message contains, in characters.
    const MAX_SHOWN: usize = 200;

    /// Returns true if there is an editor, which might have had an answer.
    pub(crate) const fn has_editor(&self) -> bool {
        matches!(
            self,
            Self::TimedOut(_)
                | Self::Closed
                | Self::TooLong(_)
                | Self::Invalid(_)
                | Self::Rejected(_)
                | Self::Io(_)
        )
    }

    /// The editor's own error, which may have any length.
    pub(crate) fn rejected(message: &str) -> Self {
        Self::Rejected(shown(message))
    }

    /// An answer that is not valid.
    pub(crate) fn invalid(reason: &str) -> Self {
        Self::Invalid(shown(reason))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::invalid(&error.to_string())
    }
}

/// The beginning of a text by others, in one line.
pub(crate) fn shown(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default().trim();
    let shown = line.chars().filter(|c| !c.is_control());
    shown.take(Failure::MAX_SHOWN).collect()
}
