//! The session that a user means: by name, by the beginning of it, or the newest one.

use cogtools_core::{Code, Diagnostic};

use crate::{FindError, SessionFile, Store};

/// How many names a message lists.
const MAX_NAMES: usize = 5;

impl Store {
    /// The file of the session that has or begins with the name `prefix`; without one, of the
    /// session that was written to last.
    ///
    /// # Errors
    ///
    /// `SESSION_NOT_FOUND` if there is none, or several; `IO_FAILED` if the folder cannot be read.
    pub fn locate(&self, prefix: Option<&str>) -> Result<SessionFile, Box<Diagnostic>> {
        let Some(prefix) = prefix else {
            let newest = self.newest().map_err(|error| self.unreadable(&error))?;
            let newest = newest.ok_or_else(|| {
                let message = "this project has no sessions";
                Diagnostic::new(Code::SessionNotFound, message)
                    .hint("name the file of a session, or begin one with `cogtools ask`")
            })?;
            return Ok(self.file(&newest.id));
        };
        let found = self
            .find(prefix)
            .map_err(|error| self.unreadable(&error))?
            .map_err(|error| not_found(&error))?;
        Ok(self.file(&found.id))
    }

    /// The failure of a folder that cannot be read.
    pub fn unreadable(&self, error: &std::io::Error) -> Diagnostic {
        let message = format!("`{}` cannot be read: {error}", self.folder().display());
        Diagnostic::new(Code::IoFailed, message).hint("make the folder readable")
    }
}

fn not_found(error: &FindError) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::SessionNotFound, error.to_string());
    match error {
        FindError::NotFound(_) => {
            diagnostic.hint("`cogtools session list` shows the sessions of this project")
        }
        FindError::Ambiguous { ids, .. } => {
            let names = ids.iter().take(MAX_NAMES).map(|id| format!("`{id}`"));
            let names: Vec<String> = names.collect();
            let more = if ids.len() > MAX_NAMES { ", …" } else { "" };
            diagnostic.hint(format!("name one of {}{more}", names.join(", ")))
        }
    }
}
