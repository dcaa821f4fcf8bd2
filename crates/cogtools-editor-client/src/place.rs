//! Where editors are searched for.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The user's own variables: the caller leaves out what a project may have set.
#[derive(Clone, Debug, Default)]
pub struct Variables(BTreeMap<OsString, OsString>);

/// Where editors are searched for, and for which folder.
#[derive(Clone, Debug)]
pub struct Place {
    /// The user's variables.
    pub variables: Variables,
    /// The directory that an editor's folder has to contain.
    pub directory: PathBuf,
}

impl Variables {
    /// Names the socket of an editor, or `none`.
    pub const EDITOR: &'static str = "COGTOOLS_EDITOR";
    /// All variables that are read.
    pub const NAMES: [&'static str; 18] = [
        Self::EDITOR,
        "XDG_RUNTIME_DIR",
        "TMPDIR",
        "NVIM",
        "INSIDE_EMACS",
        "EMACS_SOCKET_NAME",
        "COGTOOLS_SELECTED_TEXT",
        "COGTOOLS_CURRENT_FILE",
        "ZED_SELECTED_TEXT",
        "ZED_FILE",
        "ZED_ROW",
        "ZED_COLUMN",
        "kak_selection",
        "kak_buffile",
        "kak_cursor_line",
        "kak_cursor_column",
        Self::GEMINI_COMPANION,
        Self::CLAUDE_COMPANION,
    ];
    /// Is set by the companion of Gemini CLI.
    pub(crate) const GEMINI_COMPANION: &'static str = "GEMINI_CLI_IDE_SERVER_PORT";
    /// Is set by the companion of Claude Code.
    pub(crate) const CLAUDE_COMPANION: &'static str = "CLAUDE_CODE_SSE_PORT";

    /// The variables, of which only [`Self::NAMES`] count.
    pub const fn new(variables: BTreeMap<OsString, OsString>) -> Self {
        Self(variables)
    }

    /// The value of a variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value)
    }

    /// The value of a variable that is set, even if it is empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let value = self.0.get(OsStr::new(name))?;
        Some(value.to_string_lossy().into_owned())
    }

    /// An absolute path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.get(name)?);
        path.is_absolute().then_some(path)
    }
}

impl Place {
    /// How many components the deepest of `folders` has that contains the directory.
    pub(crate) fn depth_in(&self, folders: &[PathBuf]) -> Option<usize> {
        let real = canonical(&self.directory);
        let folders = folders.iter().filter(|folder| folder.is_absolute());
        folders
            .map(|folder| canonical(folder))
            .filter(|folder| real.starts_with(folder))
            .map(|folder| folder.components().count())
            .max()
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
