//! What an editor is asked.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

/// A question to an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// What is selected.
    SelectedText,
    /// The whole text of the current file, saved or not.
    CurrentFile,
    /// The files that are open.
    OpenFiles,
    /// The errors and warnings that the editor shows.
    Diagnostics,
    /// To show a change of a file, which the user accepts or rejects.
    ProposeEdit {
        /// The file, absolute.
        path: PathBuf,
        /// The whole text that it is to have.
        content: String,
    },
}

impl Request {
    /// The longest text that an answer has, in bytes of UTF-8.
    pub const MAX_TEXT_BYTES: usize = 1 << 20;

    /// The method of the protocol, which is also the name of the tool.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::SelectedText => "get_selected_text",
            Self::CurrentFile => "get_current_file",
            Self::OpenFiles => "get_open_files",
            Self::Diagnostics => "get_diagnostics",
            Self::ProposeEdit { .. } => "propose_edit",
        }
    }

    /// The parameters of the method.
    pub(crate) fn params(&self) -> Value {
        match self {
            Self::SelectedText | Self::CurrentFile => {
                json!({"max_bytes": Self::MAX_TEXT_BYTES})
            }
            Self::OpenFiles | Self::Diagnostics => json!({}),
            Self::ProposeEdit { path, content } => {
                json!({"path": path.to_string_lossy(), "content": content})
            }
        }
    }

    /// How long one editor may take: a person answers a proposal.
    pub(crate) const fn timeout(&self) -> Duration {
        match self {
            Self::ProposeEdit { .. } => Duration::from_mins(9),
            _ => Duration::from_secs(1),
        }
    }

    /// How long all of them together may take.
    pub(crate) const fn total(&self) -> Duration {
        match self {
            Self::ProposeEdit { .. } => self.timeout(),
            _ => Duration::from_secs(2),
        }
    }
}
