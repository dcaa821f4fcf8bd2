//! Text in the user's editor, as git opens it.

use std::ffi::OsStr;
use std::io::Write as _;

use cogtools_core::{Code, Diagnostic};

use crate::system_program::{SystemProgram, own_variables};
use crate::{Failure, Io};

/// The editor of a user who names none.
const EDITOR: &str = "vi";

impl Io<'_> {
    /// Opens `text` in the editor of `VISUAL`, or else `EDITOR`, and returns what the user has made of
    /// it. The file, which only the user can read, ends in `suffix`. A project's `.env` cannot choose
    /// the editor.
    ///
    /// # Errors
    /// `IO_FAILED` if there is no such editor, it fails, or its text cannot be read.
    pub fn edit(&self, text: &str, suffix: &str) -> Result<String, Failure> {
        let variables = own_variables(self);
        let set = ["VISUAL", "EDITOR"].map(|name| variables.get(OsStr::new(name)));
        let line = set.into_iter().flatten().find(|line| !line.is_empty());
        let line = line.map_or(Some(EDITOR), |line| line.to_str());
        let words = line.and_then(shlex::split).unwrap_or_default();
        let failed = |reason: String| {
            let message = format!("the editor failed: {reason}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Failure::from(diagnostic.hint("VISUAL or EDITOR names your editor"))
        };
        let io_failed = |error: std::io::Error| failed(error.to_string());
        let found = words.split_first().and_then(|(name, args)| {
            let program = SystemProgram::find(name, &self.cwd, self)?;
            Some((program, args))
        });
        let (program, args) = found.ok_or_else(|| failed("it is not on PATH".to_owned()))?;
        let mut file = tempfile::Builder::new();
        let mut file = file.suffix(suffix).tempfile().map_err(io_failed)?;
        file.write_all(text.as_bytes()).map_err(io_failed)?;
        let status = program.command().args(args).arg(file.path()).status();
        let status = status.map_err(io_failed)?;
        if !status.success() {
            return Err(failed(status.to_string()));
        }
        // An editor may have put another file in its place.
        std::fs::read_to_string(file.path()).map_err(io_failed)
    }
}
